/* The text kernels as functions of the extension module: bytes in, a tuple of numbers and one buffer out. With ctypes a
 * call takes six microseconds, nearly as long as the text of a small file takes.
 *
 * The interpreter's lock is released while a kernel works. The answer is None for bytes that are not UTF-8. */

#include "module.h"

#include "../text/samples.h"
#include "arrays.h"
#include "texts.h"

int take_options(PyObject *how, options_t *options) {
    unsigned long long shingle_tokens, long_letters, min_hashes, segment_chars, hash_bits;
    int ordered;
    *options = (options_t){.positions = false, .starts = false, .words = true};
    if (!PyArg_ParseTuple(how, "KKKKdpK", &shingle_tokens, &long_letters, &min_hashes, &segment_chars,
                          &options->density, &ordered, &hash_bits))
        return 0;
    options->shingle_tokens = shingle_tokens;
    options->long_letters = long_letters;
    options->min_hashes = min_hashes;
    options->segment_chars = segment_chars;
    options->ordered = ordered != 0;
    options->hash_bits = hash_bits;
    return 1;
}

static PyObject *out_of_memory(Py_ssize_t size) {
    return PyErr_Format(PyExc_MemoryError, "no memory for the kernels of a text of %zd bytes", size);
}

PyObject *result_buffer(result_t *result) {
    size_t size = 1;
    for (int part = 0; part < MOST_PARTS; part++) size += result->sizes[part];
    PyObject *buffer = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (buffer)
        result_take(result, (uint8_t *)PyByteArray_AsString(buffer));
    else
        result_free(result);
    return buffer;
}

/* text_sample(table, utf8, how, positions, starts, words)
 * -> (buffer, n_hashes, n_starts, n_token, n_bounds, n_chars, n_tokens, n_shingles, n_mixed, n_invisible); the buffer
 * holds hashes, uint32 or, if they are wide, uint64; starts, tokens and bounds, uint32; the word list, and one byte more */
static PyObject *module_sample(PyObject *Py_UNUSED(module), PyObject *arguments) {
    unsigned long long table;
    options_t options;
    PyObject *utf8, *how;
    int positions, starts, words, status;
    if (!PyArg_ParseTuple(arguments, "KSOppp", &table, &utf8, &how, &positions, &starts, &words)) return NULL;
    if (!take_options(how, &options)) return NULL;
    options.positions = positions != 0;
    options.starts = positions && starts;
    options.words = words != 0;
    result_t result;
    const uint8_t *bytes = (const uint8_t *)PyBytes_AsString(utf8);
    Py_ssize_t size = PyBytes_Size(utf8);
    Py_BEGIN_ALLOW_THREADS
    status = text_sample((const table_t *)(uintptr_t)table, bytes, (size_t)size, &options, &result);
    Py_END_ALLOW_THREADS
    if (status == TEXT_NOT_UTF8) Py_RETURN_NONE;
    if (status != TEXT_OK) return out_of_memory(size);
    unsigned long long n_hashes = result.sizes[0] / hash_bytes(&options), n_starts = result.sizes[1] / 4, n_token = result.sizes[2] / 4;
    unsigned long long n_bounds = result.sizes[3] / 4;
    return Py_BuildValue("NKKKKKKKKK", result_buffer(&result), n_hashes, n_starts, n_token, n_bounds, result.n_chars, result.n_tokens,
                         result.n_shingles, result.n_mixed, result.n_invisible);
}

/* Returns whether each text lies in the buffer. */
static int texts_fit(const texts_t *texts, Py_ssize_t size) {
    for (size_t i = 0; i < texts->n; i++)
        if (texts->starts[i] < 0 || texts->stops[i] < texts->starts[i] || texts->stops[i] > size) return 0;
    return 1;
}

/* Samples the texts of a buffer. Returns the columns, None for a refusal, or NULL with an error set. */
static PyObject *samples_of(const table_t *table, PyObject *bytes, array_in_t starts, array_in_t stops,
                            const options_t *options) {
    result_t result;
    int status;
    texts_t texts = {(const uint8_t *)PyBytes_AsString(bytes), starts.items, stops.items, starts.n};
    if (starts.n != stops.n || !texts_fit(&texts, PyBytes_Size(bytes))) Py_RETURN_NONE;
    Py_BEGIN_ALLOW_THREADS
    status = text_samples(table, &texts, options, &result);
    Py_END_ALLOW_THREADS
    if (status != TEXT_OK) return out_of_memory(PyBytes_Size(bytes));
    unsigned long long n_parts = result.sizes[SAMPLES_BOUNDS] / 8 - 1;
    unsigned long long n_hashes = result.sizes[SAMPLES_HASHES] / hash_bytes(options);
    return Py_BuildValue("NKK", result_buffer(&result), n_parts, n_hashes);
}

/* text_samples(table, bytes, starts, stops, how, words)
 * -> (buffer, n_parts, n_hashes), or None if a text is not in the bytes; the buffer holds the columns of samples.h */
static PyObject *module_samples(PyObject *Py_UNUSED(module), PyObject *arguments) {
    unsigned long long table;
    options_t options;
    PyObject *bytes, *starts, *stops, *how;
    int words;
    if (!PyArg_ParseTuple(arguments, "KSOOOp", &table, &bytes, &starts, &stops, &how, &words)) return NULL;
    if (!take_options(how, &options)) return NULL;
    options.words = words != 0;
    arrays_t arrays = {.n = 0};
    array_in_t from = arrays_take(&arrays, starts, INT64, 1), to = arrays_take(&arrays, stops, INT64, 1);
    PyObject *found = arrays.refused ? Py_NewRef(Py_None)
                                     : samples_of((const table_t *)(uintptr_t)table, bytes, from, to, &options);
    arrays_release(&arrays);
    return found;
}

typedef int kernel_t(const table_t *table, const uint8_t *text, size_t size, result_t *result);

/* Runs a kernel that takes only a text. Returns 1, 0 for bytes that are not UTF-8, or -1 with an error set. */
static int run(kernel_t *kernel, PyObject *arguments, result_t *result) {
    unsigned long long table;
    PyObject *utf8;
    int status;
    if (!PyArg_ParseTuple(arguments, "KS", &table, &utf8)) return -1;
    const uint8_t *bytes = (const uint8_t *)PyBytes_AsString(utf8);
    Py_ssize_t size = PyBytes_Size(utf8);
    Py_BEGIN_ALLOW_THREADS
    status = kernel((const table_t *)(uintptr_t)table, bytes, (size_t)size, result);
    Py_END_ALLOW_THREADS
    if (status == TEXT_NO_MEMORY) out_of_memory(size);
    return status == TEXT_OK ? 1 : status == TEXT_NOT_UTF8 ? 0 : -1;
}

/* text_tokenise(table, utf8) -> (buffer, n_tokens, n_chars, n_mixed, n_invisible); the buffer holds hashes uint64,
 * starts and stops uint32, singles uint8 */
static PyObject *module_tokenise(PyObject *Py_UNUSED(module), PyObject *arguments) {
    result_t result;
    int found = run(text_tokenise, arguments, &result);
    if (found < 0) return NULL;
    if (!found) Py_RETURN_NONE;
    return Py_BuildValue("NKKKK", result_buffer(&result), result.n_tokens, result.n_chars, result.n_mixed,
                         result.n_invisible);
}

/* text_fold(table, utf8) -> (text, origins); origins are uint32, with one byte more */
static PyObject *module_fold(PyObject *Py_UNUSED(module), PyObject *arguments) {
    result_t result;
    int found = run(text_fold, arguments, &result);
    if (found < 0) return NULL;
    if (!found) Py_RETURN_NONE;
    PyObject *text = PyUnicode_DecodeUTF8((const char *)result.parts[1], (Py_ssize_t)result.sizes[1], NULL);
    if (!text) {
        result_free(&result);
        return NULL;
    }
    free(result.parts[1]);
    result.parts[1] = NULL;
    result.sizes[1] = 0;
    return Py_BuildValue("NN", text, result_buffer(&result));
}

PyMethodDef text_methods[] = {
    {"text_sample", module_sample, METH_VARARGS, NULL},
    {"text_samples", module_samples, METH_VARARGS, NULL},
    {"text_tokenise", module_tokenise, METH_VARARGS, NULL},
    {"text_fold", module_fold, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
