/* The evidence of a query's hits, as a function of the extension module. A query calls it a few times, and a call with
 * ctypes takes as long as most answers. */

#include "module.h"

#include "../bits/evidence.h"
#include "arrays.h"

/* Takes n whole numbers. Returns whether each is at least its number in `least`. */
static int take_numbers(PyObject *const *arguments, int n, const int64_t *least, int64_t *out) {
    for (int i = 0; i < n; i++) {
        out[i] = PyLong_AsLongLong(arguments[i]);
        if (out[i] == -1 && PyErr_Occurred()) return PyErr_Clear(), 0;
        if (out[i] < least[i]) return 0;
    }
    return 1;
}

/* Returns (n, buffer), None for a refusal, or NULL with an error set. Takes over `buffer`. */
static PyObject *answer(int64_t n, PyObject *buffer) {
    if (n >= 0) return Py_BuildValue("LN", (long long)n, buffer);
    Py_DECREF(buffer);
    if (n == PMBF_NO_MEMORY) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *find_evidence(PyObject *const *arguments, arrays_t *arrays) {
    array_in_t bounds = arrays_take(arrays, arguments[0], INT64, 1), places = arrays_take(arrays, arguments[1], UINT32, 1);
    array_in_t weights = arrays_take(arrays, arguments[2], INT32, 1), tokens = arrays_take(arrays, arguments[3], UINT32, 1);
    int64_t numbers[2], status;
    if (arrays->refused || !bounds.n || weights.n != tokens.n) Py_RETURN_NONE;
    if (!take_numbers(arguments + 4, 2, (int64_t[]){1, 1}, numbers)) Py_RETURN_NONE;
    const weighing_t by = {weights.items, tokens.items, weights.n, numbers[0], numbers[1]};
    PyObject *buffer = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(sizeof(most_t) * bounds.n));
    if (!buffer) return NULL;
    most_t *out = (most_t *)(void *)PyByteArray_AsString(buffer);
    Py_BEGIN_ALLOW_THREADS
    status = evidence_of_lists(bounds.items, bounds.n - 1, places.items, places.n, by, out);
    Py_END_ALLOW_THREADS
    return answer(status < 0 ? status : (int64_t)bounds.n - 1, buffer);
}

/* evidence(bounds, places, weights, tokens, shingle_tokens, window) -> (n, buffer); each most_t */
static PyObject *module_evidence(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t n) {
    arrays_t arrays = {.n = 0};
    if (n != 6) return PyErr_Format(PyExc_TypeError, "%zd arguments, expected 6", n);
    PyObject *found = find_evidence(arguments, &arrays);
    arrays_release(&arrays);
    return found;
}

PyMethodDef query_methods[] = {
    {"evidence", AS_METHOD(module_evidence), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};
