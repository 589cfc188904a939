/* Fingerprint records as a function of the extension module: a record is made for every small text. */

#include "module.h"

#include <stdlib.h>

#include "../records/records.h"

/* record(hashes, bounds, hash_bits) -> bytes; both contiguous, bounds uint32, ascending from 0 to the number of hashes;
 * hashes uint32, or uint64 if they have more than 32 bits */
static PyObject *module_record(PyObject *Py_UNUSED(module), PyObject *arguments) {
    Py_buffer hashes, bounds;
    Py_ssize_t hash_bits;
    if (!PyArg_ParseTuple(arguments, "y*y*n", &hashes, &bounds, &hash_bits)) return NULL;
    size_t n_hashes = (size_t)hashes.len / (hash_bits > 32 ? 8 : 4), n_parts = (size_t)bounds.len / 4 - 1;
    const parts_t parts = {hashes.buf, bounds.buf, (uint32_t)n_parts, (size_t)hash_bits};
    uint8_t *room = malloc(record_room(n_hashes, n_parts, parts.hash_bits));
    PyObject *record = NULL;
    if (room) {
        size_t size = record_write(&parts, room);
        record = PyBytes_FromStringAndSize((const char *)room, (Py_ssize_t)size);
        free(room);
    } else {
        PyErr_NoMemory();
    }
    PyBuffer_Release(&hashes);
    PyBuffer_Release(&bounds);
    return record;
}

PyMethodDef records_methods[] = {
    {"record", module_record, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
