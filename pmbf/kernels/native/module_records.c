/* Fingerprint records as a function of the extension module: one is made for every small text. */

#include "module_records.h"

#include <stdlib.h>

#include "records_write.h"

PyObject *module_record(PyObject *Py_UNUSED(module), PyObject *arguments) {
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
