/* What the hits of a query weigh, as functions of the extension module: a query asks a handful of times, and a call through
 * ctypes takes as long as most of the answers. */

#include "module_query.h"

#include "bits_evidence.h"
#include "module_arrays.h"

/* Takes whole numbers, at least as large as `least`. Returns whether they are. */
static int take_numbers(PyObject *const *arguments, int n, const int64_t *least, int64_t *out) {
    for (int i = 0; i < n; i++) {
        out[i] = PyLong_AsLongLong(arguments[i]);
        if (out[i] == -1 && PyErr_Occurred()) return PyErr_Clear(), 0;
        if (out[i] < least[i]) return 0;
    }
    return 1;
}

/* Returns (n, buffer), None for a refusal, or NULL with an error set. `buffer` is given away. */
static PyObject *answer(int64_t n, PyObject *buffer) {
    if (n >= 0) return Py_BuildValue("LN", (long long)n, buffer);
    Py_DECREF(buffer);
    if (n == PMBF_NO_MEMORY) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *find_evidence(PyObject *const *arguments, arrays_t *arrays) {
    array_in_t bounds = arrays_take(arrays, arguments[0], INT64, 1), places = arrays_take(arrays, arguments[1], UINT32, 1);
    array_in_t weights = arrays_take(arrays, arguments[2], INT32, 1), tokens = arrays_take(arrays, arguments[3], UINT32, 1);
    int64_t numbers[3], status;
    if (arrays->refused || !bounds.n || weights.n != tokens.n) Py_RETURN_NONE;
    if (!take_numbers(arguments + 4, 3, (int64_t[]){1, 1, 0}, numbers)) Py_RETURN_NONE;
    const weighing_t by = {weights.items, tokens.items, NULL, weights.n, numbers[0], numbers[1], numbers[2]};
    PyObject *buffer = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(8 * bounds.n));
    if (!buffer) return NULL;
    int64_t *out = (int64_t *)(void *)PyByteArray_AsString(buffer);
    Py_BEGIN_ALLOW_THREADS
    status = evidence_of_lists(bounds.items, bounds.n - 1, places.items, places.n, by, out);
    Py_END_ALLOW_THREADS
    return answer(status < 0 ? status : (int64_t)bounds.n - 1, buffer);
}

PyObject *module_evidence(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t n) {
    arrays_t arrays = {.n = 0};
    if (n != 7) return PyErr_Format(PyExc_TypeError, "%zd arguments, expected 7", n);
    PyObject *found = find_evidence(arguments, &arrays);
    arrays_release(&arrays);
    return found;
}

static PyObject *find_rows(PyObject *const *arguments, arrays_t *arrays) {
    array_in_t hits = arrays_take(arrays, arguments[0], UINT64, 2), weights = arrays_take(arrays, arguments[1], INT32, 1);
    array_in_t tokens = arrays_take(arrays, arguments[2], UINT32, 1);
    int64_t numbers[4], n_rows;
    if (arrays->refused || weights.n != tokens.n || weights.n != hits.n) Py_RETURN_NONE;
    if (!take_numbers(arguments + 3, 4, (int64_t[]){1, 1, 0, 1}, numbers)) Py_RETURN_NONE;
    const weighing_t by = {weights.items, tokens.items, NULL, weights.n, numbers[0], numbers[1], numbers[2]};
    PyObject *buffer = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(8 * (64 * hits.width + 1)));
    if (!buffer) return NULL;
    int64_t *out = (int64_t *)(void *)PyByteArray_AsString(buffer);
    Py_BEGIN_ALLOW_THREADS
    n_rows = rows_with_evidence(hits.items, hits.width, by, numbers[3], out);
    Py_END_ALLOW_THREADS
    return answer(n_rows, buffer);
}

PyObject *module_rows_with_evidence(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t n) {
    arrays_t arrays = {.n = 0};
    if (n != 7) return PyErr_Format(PyExc_TypeError, "%zd arguments, expected 7", n);
    PyObject *found = find_rows(arguments, &arrays);
    arrays_release(&arrays);
    return found;
}
