/* Fingerprint records as functions of the extension module. A record is made for every small text; a query reads
 * many. */

#include "module.h"

#include <stdlib.h>
#include <string.h>

#include "../records/shared.h"
#include "../records/write.h"

/* record(hashes, bounds) -> bytes; both contiguous and uint32, bounds ascending from 0 to the number of hashes */
static PyObject *module_record(PyObject *Py_UNUSED(module), PyObject *arguments) {
    Py_buffer hashes, bounds;
    if (!PyArg_ParseTuple(arguments, "y*y*", &hashes, &bounds)) return NULL;
    size_t n_hashes = (size_t)hashes.len / 4, n_parts = (size_t)bounds.len / 4 - 1;
    uint8_t *room = malloc(record_room(n_hashes, n_parts));
    PyObject *record = NULL;
    if (room) {
        size_t size = record_write(hashes.buf, bounds.buf, (uint32_t)n_parts, room);
        record = PyBytes_FromStringAndSize((const char *)room, (Py_ssize_t)size);
        free(room);
    } else {
        PyErr_NoMemory();
    }
    PyBuffer_Release(&hashes);
    PyBuffer_Release(&bounds);
    return record;
}

/* ------------------------------------------------------------------ shared */

/* The buffers of a call, released together. */
typedef struct {
    Py_buffer *views;
    Py_ssize_t n;
} views_t;

static const void *view(views_t *views, PyObject *object, size_t *size) {
    Py_buffer *next = views->views + views->n;
    if (PyObject_GetBuffer(object, next, PyBUF_SIMPLE)) return NULL;
    views->n++;
    *size = (size_t)next->len;
    return next->buf;
}

/* Takes {number: locations}. Returns 0, or -1 with an error set. */
static int take_directory(PyObject *chunks, views_t *views, locations_t *out) {
    PyObject *number, *locations;
    for (Py_ssize_t at = 0; PyDict_Next(chunks, &at, &number, &locations); out++) {
        out->number = PyLong_AsLongLong(number);
        if (!(out->locations = view(views, locations, &out->n))) return -1;
        out->n /= sizeof(location_t);
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* Takes {serial: (bytes, checked)}. Returns 0, or -1 with an error set. */
static int take_files(PyObject *files, views_t *views, file_t *out) {
    PyObject *serial, *file;
    for (Py_ssize_t at = 0; PyDict_Next(files, &at, &serial, &file); out++) {
        PyObject *bytes = PyTuple_GetItem(file, 0), *checked = bytes ? PyTuple_GetItem(file, 1) : NULL;
        out->serial = PyLong_AsLongLong(serial);
        if (!checked || !(out->bytes = view(views, bytes, &out->n_bytes))) return -1;
        if (!(out->checked = view(views, checked, &out->n_pages))) return -1;
    }
    return PyErr_Occurred() ? -1 : 0;
}

static char *put(char *at, const void *bytes, size_t size) {
    if (size) memcpy(at, bytes, size);
    return at + size;
}

/* Returns (status, document, n_documents, n_places, buffer); the buffer holds n_having, bounds, ids and places. */
static PyObject *answer_of(const asked_t *asked, const shared_t *shared) {
    const int whole = shared->status == SHARED_WHOLE;
    size_t n_documents = whole ? shared->n_documents : 0, n_places = whole ? shared->n_places : 0;
    size_t n_having = whole ? 8 * asked->n_hashes : 0, bounds = 8 * (n_documents + 1), ids = 4 * n_documents;
    size_t places = 4 * n_places;
    if (shared->status == SHARED_NO_MEMORY) return PyErr_NoMemory();
    PyObject *buffer = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(n_having + bounds + ids + places + 1));
    if (!buffer) return NULL;
    char *at = PyByteArray_AsString(buffer);
    static const int64_t none = 0;
    at = put(put(at, shared->n_having, n_having), whole ? shared->bounds : &none, bounds);
    put(put(at, shared->ids, ids), shared->places, places);
    return Py_BuildValue("iInnN", shared->status, (unsigned)shared->document, (Py_ssize_t)n_documents,
                         (Py_ssize_t)n_places, buffer);
}

static PyObject *find_shared(asked_t *asked, PyObject *const *arguments, views_t *views, locations_t *chunks,
                             file_t *files) {
    size_t parts, hashes, weights;
    if (take_directory(arguments[1], views, chunks) || take_files(arguments[2], views, files)) return NULL;
    if (!(asked->parts = view(views, arguments[0], &parts))) return NULL;
    if (!(asked->hashes = view(views, arguments[3], &hashes))) return NULL;
    if (!(asked->weights = view(views, arguments[4], &weights))) return NULL;
    asked->n_parts = parts / sizeof(part_t), asked->n_hashes = hashes / 4;
    asked->page_bytes = PyLong_AsSize_t(arguments[5]), asked->paged_bytes = PyLong_AsSize_t(arguments[6]);
    if (PyErr_Occurred()) return NULL;
    shared_t shared;
    Py_BEGIN_ALLOW_THREADS
    shared_find(asked, &shared);
    Py_END_ALLOW_THREADS
    PyObject *answer = answer_of(asked, &shared);
    shared_free(&shared);
    return answer;
}

/* shared(parts, {number: locations}, {serial: (bytes, checked)}, hashes, weights, page_bytes, paged_bytes) -> (status,
 * document, n_documents, n_places, buffer); the buffer holds n_having and bounds, int64, ids and places, uint32 */
static PyObject *module_shared(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t n) {
    if (n != 7) return PyErr_Format(PyExc_TypeError, "%zd arguments, expected 7", n);
    Py_ssize_t n_chunks = PyDict_Size(arguments[1]), n_files = PyDict_Size(arguments[2]);
    if (n_chunks < 0 || n_files < 0) return NULL;
    locations_t *chunks = calloc((size_t)n_chunks + 1, sizeof *chunks);
    file_t *files = calloc((size_t)n_files + 1, sizeof *files);
    views_t views = {calloc((size_t)(n_chunks + 2 * n_files + 3), sizeof *views.views), 0};
    asked_t asked = {.directory = chunks, .n_chunks = (size_t)n_chunks, .files = files, .n_files = (size_t)n_files};
    PyObject *answer = chunks && files && views.views ? find_shared(&asked, arguments, &views, chunks, files)
                                                      : PyErr_NoMemory();
    while (views.n) PyBuffer_Release(&views.views[--views.n]);
    free(chunks), free(files), free(views.views);
    return answer;
}

PyMethodDef records_methods[] = {
    {"record", module_record, METH_VARARGS, NULL},
    {"shared", AS_METHOD(module_shared), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};
