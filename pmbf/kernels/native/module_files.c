/* Plain text files as a function of the extension module: a batch of them in one call, during which the interpreter's
 * lock is released, so that threads read side by side. */

#include "module_files.h"

#include "files.h"

typedef struct {
    PyObject *path; /* as the system takes it, in bytes */
    int status;
    file_t file;
} slot_t;

static PyObject *bytes_of(const void *bytes, uint64_t size) {
    return PyBytes_FromStringAndSize(size ? (const char *)bytes : "", (Py_ssize_t)size);
}

static PyObject *taken(const file_t *file) {
    const result_t *sample = &file->sample;
    unsigned long long n_hashes = sample->sizes[0] / 4, n_bounds = sample->sizes[3] / 4;
    return Py_BuildValue("NNKKKKN", PyUnicode_FromStringAndSize(file->sha256, SHA256_HEX), bytes_of(file->bytes, file->size),
                         n_hashes, n_bounds, (unsigned long long)sample->n_chars, (unsigned long long)sample->n_tokens,
                         bytes_of(file->record, file->record_size));
}

/* Returns the hashes and bounds of all files end to end: one object for the batch, not two for each file. */
static PyObject *numbers_of(const slot_t *slots, Py_ssize_t n) {
    uint64_t size = 0;
    for (Py_ssize_t i = 0; i < n; i++) size += slots[i].file.sample.sizes[0] + slots[i].file.sample.sizes[3];
    PyObject *numbers = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    char *at = numbers ? PyBytes_AsString(numbers) : NULL;
    for (Py_ssize_t i = 0; at && i < n; i++)
        for (int part = 0; part < MOST_PARTS; part++) {
            uint64_t part_size = slots[i].file.sample.sizes[part];
            if (part_size) memcpy(at, slots[i].file.sample.parts[part], part_size);
            at += part_size;
        }
    return numbers;
}

/* Returns what each file gave, or NULL with an error set. */
static PyObject *files_of(slot_t *slots, Py_ssize_t n) {
    PyObject *list = PyList_New(n);
    for (Py_ssize_t i = 0; list && i < n; i++) {
        slot_t *slot = &slots[i];
        PyObject *result = Py_None;
        if (slot->status == TEXT_OK)
            result = taken(&slot->file);
        else if (slot->status == TEXT_NO_MEMORY)
            result = PyErr_NoMemory();
        else
            Py_INCREF(result);
        file_free(&slot->file); /* at once: a batch is not held twice */
        if (!result || PyList_SetItem(list, i, result)) {
            Py_DECREF(list);
            list = NULL;
        }
    }
    return list;
}

static PyObject *read_texts(slot_t *slots, PyObject *paths, Py_ssize_t n, const table_t *table, uint64_t max_bytes,
                            const options_t *options) {
    for (Py_ssize_t i = 0; i < n; i++)
        if (!PyUnicode_FSConverter(PyList_GetItem(paths, i), &slots[i].path)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < n; i++)
        slots[i].status = file_take(table, PyBytes_AsString(slots[i].path), max_bytes, options, &slots[i].file);
    Py_END_ALLOW_THREADS
    PyObject *numbers = numbers_of(slots, n), *files = numbers ? files_of(slots, n) : NULL;
    if (!files) {
        Py_XDECREF(numbers);
        return NULL;
    }
    return Py_BuildValue("NN", files, numbers);
}

PyObject *module_read_texts(PyObject *Py_UNUSED(module), PyObject *arguments) {
    unsigned long long table, max_bytes, shingle_tokens, min_hashes, segment_chars;
    options_t options = {.positions = false};
    PyObject *paths;
    int ordered;
    if (!PyArg_ParseTuple(arguments, "KOKKKKdp", &table, &paths, &max_bytes, &shingle_tokens, &min_hashes, &segment_chars,
                          &options.density, &ordered))
        return NULL;
    options.shingle_tokens = shingle_tokens;
    options.min_hashes = min_hashes;
    options.segment_chars = segment_chars;
    options.ordered = ordered != 0;
    Py_ssize_t n = PyList_Size(paths);
    if (n < 0) return NULL;
    slot_t *slots = calloc((size_t)n + 1, sizeof *slots);
    if (!slots) return PyErr_NoMemory();
    PyObject *list = read_texts(slots, paths, n, (const table_t *)(uintptr_t)table, max_bytes, &options);
    for (Py_ssize_t i = 0; i < n; i++) {
        Py_XDECREF(slots[i].path);
        file_free(&slots[i].file);
    }
    free(slots);
    return list;
}
