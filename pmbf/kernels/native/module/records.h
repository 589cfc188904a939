/* The functions of records.c. */

#ifndef PMBF_MODULE_RECORDS_H
#define PMBF_MODULE_RECORDS_H

#include <Python.h>

/* record(hashes, bounds) -> bytes; both contiguous and uint32, bounds ascending from 0 to the number of hashes */
PyObject *module_record(PyObject *module, PyObject *arguments);

/* shared(parts, {number: entries}, {serial: (bytes, checked)}, hashes, weights, page_bytes, paged_bytes)
 * -> (status, document, n_documents, n_places, buffer); the buffer holds n_having and bounds, int64, ids and places, uint32 */
PyObject *module_shared(PyObject *module, PyObject *const *arguments, Py_ssize_t n);

#endif
