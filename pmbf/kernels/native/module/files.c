/* Plain text files as a function of the extension module: a batch of files in one call. The interpreter's lock is
 * released meanwhile, so that threads read side by side. */

#include "module.h"

#include "../files/files.h"

typedef struct {
    PyObject *path; /* the path in bytes, as the system takes it */
    PyObject *text; /* a new bytes object; no other code sees it until it is filled */
    uint8_t beyond; /* room for an empty text: all empty bytes objects are one object */
    int status;
    file_t file;
} slot_t;

static PyObject *bytes_of(const void *bytes, size_t size) {
    return PyBytes_FromStringAndSize(size ? (const char *)bytes : "", (Py_ssize_t)size);
}

/* Prepares a slot for a path and the size of its file. Returns 0, or -1 with an error set. */
static int slot_open(slot_t *slot, PyObject *path, PyObject *size) {
    size_t n_bytes = PyLong_AsSize_t(size);
    if (PyErr_Occurred() || !PyUnicode_FSConverter(path, &slot->path)) return -1;
    if (n_bytes > PY_SSIZE_T_MAX / 2) return PyErr_NoMemory(), -1;
    slot->text = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)n_bytes);
    if (!slot->text) return -1;
    /* A zero byte follows the bytes of the object: that is the one byte more that may be overwritten. */
    slot->file.bytes = n_bytes ? (uint8_t *)PyBytes_AsString(slot->text) : &slot->beyond;
    slot->file.size = n_bytes;
    return 0;
}

/* Returns the result of one file. `*record` is the next record of all files. */
static PyObject *result_of(slot_t *slot, const uint8_t **record) {
    const file_t *file = &slot->file;
    if (slot->status == TEXT_NO_MEMORY) return PyErr_NoMemory();
    if (slot->status != TEXT_OK) return Py_NewRef(Py_None);
    PyObject *text = slot->text, *own_record = bytes_of(*record, file->record_size);
    slot->text = NULL;
    *record += file->record_size;
    return Py_BuildValue("NnnnnN", text, (Py_ssize_t)file->n_hashes,
                         (Py_ssize_t)file->n_bounds, (Py_ssize_t)file->n_chars, (Py_ssize_t)file->n_tokens, own_record);
}

/* Returns the results of all files, or NULL with an error set. */
static PyObject *results_of(slot_t *slots, Py_ssize_t n, const taken_t *taken) {
    const uint8_t *record = taken->records.bytes;
    PyObject *list = PyList_New(n);
    for (Py_ssize_t i = 0; list && i < n; i++) {
        PyObject *result = result_of(&slots[i], &record);
        if (!result || PyList_SetItem(list, i, result)) {
            Py_DECREF(list);
            list = NULL;
        }
    }
    return list;
}

static PyObject *read_texts(slot_t *slots, PyObject *paths, PyObject *sizes, Py_ssize_t n, const table_t *table,
                            const options_t *options) {
    taken_t taken = {0};
    for (Py_ssize_t i = 0; i < n; i++)
        if (slot_open(&slots[i], PyList_GetItem(paths, i), PyList_GetItem(sizes, i))) return NULL;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < n; i++) {
        file_t *file = &slots[i].file;
        slots[i].status = file_take(&taken, table, PyBytes_AsString(slots[i].path), options, file);
        file->bytes[file->size] = 0;
    }
    Py_END_ALLOW_THREADS
    PyObject *numbers = bytes_of(taken.numbers.bytes, taken.numbers.size);
    PyObject *results = numbers ? results_of(slots, n, &taken) : NULL;
    taken_free(&taken);
    if (results) return Py_BuildValue("NN", results, numbers);
    Py_XDECREF(numbers);
    return NULL;
}

/* looks(bytes) -> (is_clean, longest, n_apart) */
static PyObject *module_looks(PyObject *Py_UNUSED(module), PyObject *content) {
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(content, &bytes, &size)) return NULL;
    looks_t looks = looks_of((const uint8_t *)bytes, (size_t)size);
    return Py_BuildValue("Nnn", PyBool_FromLong(looks.is_clean), (Py_ssize_t)looks.longest, (Py_ssize_t)looks.n_apart);
}

/* read_texts(table, paths, sizes, shingle_tokens, long_letters, min_hashes, segment_chars, density, ordered)
 * -> (files, numbers): `files` has for each path None or (utf8, n_hashes, n_bounds, n_chars, n_tokens, record);
 * `numbers` has the hashes and then the bounds of one file after another, uint32 as bytes */
static PyObject *module_read_texts(PyObject *Py_UNUSED(module), PyObject *arguments) {
    unsigned long long table, shingle_tokens, long_letters, min_hashes, segment_chars;
    options_t options = {.positions = false, .starts = false};
    PyObject *paths, *sizes;
    int ordered;
    if (!PyArg_ParseTuple(arguments, "KOOKKKKdp", &table, &paths, &sizes, &shingle_tokens, &long_letters, &min_hashes,
                          &segment_chars, &options.density, &ordered))
        return NULL;
    options.shingle_tokens = shingle_tokens;
    options.long_letters = long_letters;
    options.min_hashes = min_hashes;
    options.segment_chars = segment_chars;
    options.ordered = ordered != 0;
    Py_ssize_t n = PyList_Size(paths), n_sizes = PyList_Size(sizes);
    if (n < 0 || n_sizes < 0) return NULL;
    if (n != n_sizes) return PyErr_Format(PyExc_ValueError, "%zd paths and %zd sizes", n, n_sizes);
    slot_t *slots = calloc((size_t)n + 1, sizeof *slots);
    if (!slots) return PyErr_NoMemory();
    PyObject *result = read_texts(slots, paths, sizes, n, (const table_t *)(uintptr_t)table, &options);
    for (Py_ssize_t i = 0; i < n; i++) {
        Py_XDECREF(slots[i].path);
        Py_XDECREF(slots[i].text);
    }
    free(slots);
    return result;
}

PyMethodDef files_methods[] = {
    {"read_texts", module_read_texts, METH_VARARGS, NULL},
    {"looks", module_looks, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
