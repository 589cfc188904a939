/* Fingerprint records as a function of the extension module: a record is made for every small text. */

#include "module.h"

#include <stdlib.h>

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

PyMethodDef records_methods[] = {
    {"record", module_record, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
