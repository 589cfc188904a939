/* Fingerprint records as a function of the extension module: those of many documents in one call. */

#include "module.h"

#include <stdlib.h>

#include "../records/records.h"

/* Writes the record of each fingerprint, and where it ends. Returns the bytes of all. */
static size_t write_all(const parts_t *all, const int64_t *firsts, size_t n, uint8_t *out, int64_t *ends) {
    size_t n_bytes = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t n_parts = (uint32_t)(firsts[i + 1] - firsts[i]);
        const parts_t parts = {all->hashes, all->bounds + firsts[i], n_parts, all->hash_bits};
        ends[i] = (int64_t)(n_bytes += record_write(&parts, out + n_bytes));
    }
    return n_bytes;
}

/* records(hashes, bounds, firsts, hash_bits) -> (bytes, ends): the records end to end, and where each ends, int64; all
 * arrays contiguous, bounds and firsts int64; hashes uint32, or uint64 if they have more than 32 bits */
static PyObject *module_records(PyObject *Py_UNUSED(module), PyObject *arguments) {
    Py_buffer hashes, bounds, firsts;
    Py_ssize_t hash_bits;
    if (!PyArg_ParseTuple(arguments, "y*y*y*n", &hashes, &bounds, &firsts, &hash_bits)) return NULL;
    const size_t n_hashes = (size_t)hashes.len / (hash_bits > 32 ? 8 : 4), n_parts = (size_t)bounds.len / 8 - 1;
    const size_t n = (size_t)firsts.len / 8 - 1;
    const parts_t all = {hashes.buf, bounds.buf, (uint32_t)n_parts, (size_t)hash_bits};
    uint8_t *room = malloc(records_room(n, n_hashes, n_parts, all.hash_bits));
    PyObject *ends = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(8 * n + 1)); /* see flags_of of files.c */
    PyObject *records = NULL;
    if (room && ends) {
        size_t size = write_all(&all, firsts.buf, n, room, (int64_t *)(void *)PyByteArray_AsString(ends));
        records = PyBytes_FromStringAndSize((const char *)room, (Py_ssize_t)size);
    } else if (ends) {
        PyErr_NoMemory();
    }
    free(room);
    PyBuffer_Release(&hashes);
    PyBuffer_Release(&bounds);
    PyBuffer_Release(&firsts);
    return records ? Py_BuildValue("NN", records, ends) : (Py_XDECREF(ends), NULL);
}

PyMethodDef records_methods[] = {
    {"records", module_records, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
