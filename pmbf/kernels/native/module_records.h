/* The function of module_records.c. */

#ifndef PMBF_MODULE_RECORDS_H
#define PMBF_MODULE_RECORDS_H

#include <Python.h>

/* record(hashes, bounds) -> bytes; both contiguous and uint32, bounds ascending from 0 to the number of hashes */
PyObject *module_record(PyObject *module, PyObject *arguments);

#endif
