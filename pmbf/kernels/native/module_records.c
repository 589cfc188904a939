/* Fingerprint records as a function of the extension module: one is made for every small text. */

#include "module_records.h"

#include "records.h"

/* Writes a record: checksum, number of parts, hashes in each, the parts as gaps. Returns its size; `out` has room for
 * 8 bytes, 5 for each part and 5 for each hash. */
static size_t write_record(const uint32_t *hashes, const uint32_t *bounds, uint32_t n_parts, uint8_t *out) {
    uint8_t *at = out + 8 + 4 * (size_t)n_parts;
    memcpy(out + 4, &n_parts, sizeof n_parts);
    for (uint32_t part = 0; part < n_parts; part++) {
        uint32_t n = bounds[part + 1] - bounds[part];
        memcpy(out + 8 + 4 * (size_t)part, &n, sizeof n);
        at += pmbf_encode_gaps(hashes + bounds[part], n, at);
    }
    uint32_t sum = checksum(out + 4, (size_t)(at - out) - 4);
    memcpy(out, &sum, sizeof sum);
    return (size_t)(at - out);
}

PyObject *module_record(PyObject *Py_UNUSED(module), PyObject *arguments) {
    Py_buffer hashes, bounds;
    if (!PyArg_ParseTuple(arguments, "y*y*", &hashes, &bounds)) return NULL;
    size_t n_hashes = (size_t)hashes.len / 4, n_parts = (size_t)bounds.len / 4 - 1;
    uint8_t *room = malloc(16 + 5 * n_parts + 5 * n_hashes);
    PyObject *record = NULL;
    if (room) {
        size_t size = write_record(hashes.buf, bounds.buf, (uint32_t)n_parts, room);
        record = PyBytes_FromStringAndSize((const char *)room, (Py_ssize_t)size);
        free(room);
    } else {
        PyErr_NoMemory();
    }
    PyBuffer_Release(&hashes);
    PyBuffer_Release(&bounds);
    return record;
}
