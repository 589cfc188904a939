/* The function of rows.c. */

#ifndef PMBF_MODULE_ROWS_H
#define PMBF_MODULE_ROWS_H

#include <Python.h>

/* checked_rows(rows) -> the same, each tuple with its checksum behind its columns */
PyObject *module_checked_rows(PyObject *module, PyObject *rows);

#endif
