/* Plain text files and folders as functions of the extension module: a batch of files in one call, or a folder. The
 * interpreter's lock is released meanwhile, so that threads read side by side. */

#include "module.h"

#include <errno.h>

#include "../files/files.h"
#include "../files/folder.h"
#include "texts.h"

typedef struct {
    PyObject *path; /* the path in bytes, as the system takes it */
    size_t size;
    uint8_t is_read;
} slot_t;

/* Fills a slot for a path and the size of its file. Returns 0, or -1 with an error set. */
static int slot_open(slot_t *slot, PyObject *path, PyObject *size, size_t *n_bytes) {
    slot->size = PyLong_AsSize_t(size);
    if (PyErr_Occurred() || !PyUnicode_FSConverter(path, &slot->path)) return -1;
    *n_bytes += slot->size;
    if (slot->size > PY_SSIZE_T_MAX / 4 || *n_bytes > PY_SSIZE_T_MAX / 4) return PyErr_NoMemory(), -1;
    return 0;
}

/* Reads the files end to end. Returns TEXT_OK or TEXT_NO_MEMORY. */
static int take_all(slot_t *slots, size_t n, const table_t *table, const options_t *options, uint8_t *bytes,
                    result_t *result) {
    samples_t samples;
    int status = samples_begin(&samples) ? TEXT_OK : TEXT_NO_MEMORY;
    for (size_t i = 0; status != TEXT_NO_MEMORY && i < n; bytes += slots[i++].size) {
        status = file_take(&samples, table, PyBytes_AsString(slots[i].path), options, bytes, slots[i].size);
        slots[i].is_read = status == TEXT_OK;
        if (!slots[i].is_read) memset(bytes, 0, slots[i].size);
    }
    if (n) *bytes = 0; /* a zero byte follows the bytes of an object */
    samples_end(&samples, status != TEXT_NO_MEMORY, result);
    return status == TEXT_NO_MEMORY ? TEXT_NO_MEMORY : TEXT_OK;
}

static PyObject *flags_of(const slot_t *slots, Py_ssize_t n) {
    PyObject *flags = PyByteArray_FromStringAndSize(NULL, n + 1); /* NumPy refuses an empty array in an empty buffer */
    for (Py_ssize_t i = 0; flags && i < n; i++) PyByteArray_AsString(flags)[i] = (char)slots[i].is_read;
    return flags;
}

static PyObject *read_texts(slot_t *slots, PyObject *paths, PyObject *sizes, Py_ssize_t n, const table_t *table,
                            const options_t *options) {
    size_t n_bytes = 0;
    int status;
    result_t result;
    for (Py_ssize_t i = 0; i < n; i++)
        if (slot_open(&slots[i], PyList_GetItem(paths, i), PyList_GetItem(sizes, i), &n_bytes)) return NULL;
    /* No other code sees the object until it is filled. Room for one byte more: a short object may be shared. */
    PyObject *content = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)n_bytes + 2);
    if (!content) return NULL;
    uint8_t *bytes = (uint8_t *)PyBytes_AsString(content);
    memset(bytes + n_bytes, 0, 2);
    Py_BEGIN_ALLOW_THREADS
    status = take_all(slots, (size_t)n, table, options, bytes, &result);
    Py_END_ALLOW_THREADS
    if (status != TEXT_OK) {
        Py_DECREF(content);
        return PyErr_NoMemory();
    }
    unsigned long long n_parts = result.sizes[SAMPLES_BOUNDS] / 8 - 1;
    unsigned long long n_hashes = result.sizes[SAMPLES_HASHES] / hash_bytes(options);
    return Py_BuildValue("NNNKK", content, flags_of(slots, n), result_buffer(&result), n_parts, n_hashes);
}

/* looks(bytes) -> (is_clean, longest, n_apart) */
static PyObject *module_looks(PyObject *Py_UNUSED(module), PyObject *content) {
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(content, &bytes, &size)) return NULL;
    looks_t looks = looks_of((const uint8_t *)bytes, (size_t)size);
    return Py_BuildValue("Nnn", PyBool_FromLong(looks.is_clean), (Py_ssize_t)looks.longest, (Py_ssize_t)looks.n_apart);
}

/* read_texts(table, paths, sizes, how)
 * -> (content, is_read, buffer, n_parts, n_hashes): the files end to end, zeros for those that were not read, and two
 * bytes more; a byte for each file, and one more; the columns of samples.h for the files read */
static PyObject *module_read_texts(PyObject *Py_UNUSED(module), PyObject *arguments) {
    unsigned long long table;
    options_t options;
    PyObject *paths, *sizes, *how;
    if (!PyArg_ParseTuple(arguments, "KOOO", &table, &paths, &sizes, &how) || !take_options(how, &options)) return NULL;
    Py_ssize_t n = PyList_Size(paths), n_sizes = PyList_Size(sizes);
    if (n < 0 || n_sizes < 0) return NULL;
    if (n != n_sizes) return PyErr_Format(PyExc_ValueError, "%zd paths and %zd sizes", n, n_sizes);
    slot_t *slots = calloc((size_t)n + 1, sizeof *slots);
    if (!slots) return PyErr_NoMemory();
    PyObject *result = read_texts(slots, paths, sizes, n, (const table_t *)(uintptr_t)table, &options);
    for (Py_ssize_t i = 0; i < n; i++) Py_XDECREF(slots[i].path);
    free(slots);
    return result;
}

static PyObject *rows_of(const array_t *entries, const array_t *names) {
    const entry_t *entry = (const entry_t *)(const void *)entries->bytes;
    const char *name = (const char *)names->bytes;
    PyObject *rows = PyList_New((Py_ssize_t)(entries->size / sizeof *entry));
    for (Py_ssize_t i = 0; rows && i < PyList_Size(rows); i++, entry++, name += strlen(name) + 1) {
        PyObject *row = Py_BuildValue("NLLL", PyUnicode_DecodeFSDefault(name), (long long)entry->kind,
                                      (long long)entry->size, (long long)entry->time);
        if (!row) Py_CLEAR(rows);
        if (row) PyList_SetItem(rows, i, row);
    }
    return rows;
}

/* list_folder(path) -> [(name, kind, size, time)], in the order of the folder */
static PyObject *module_list_folder(PyObject *Py_UNUSED(module), PyObject *folder) {
    PyObject *path, *rows = NULL;
    array_t entries = {0}, names = {0};
    int status;
    if (!PyUnicode_FSConverter(folder, &path)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = folder_list(PyBytes_AsString(path), &entries, &names);
    Py_END_ALLOW_THREADS
    errno = status;
    if (status) PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, folder);
    if (!status) rows = rows_of(&entries, &names);
    free(entries.bytes);
    free(names.bytes);
    Py_DECREF(path);
    return rows;
}

PyMethodDef files_methods[] = {
    {"list_folder", module_list_folder, METH_O, NULL},
    {"read_texts", module_read_texts, METH_VARARGS, NULL},
    {"looks", module_looks, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
