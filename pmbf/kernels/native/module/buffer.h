/* The parts of a kernel's result as one object. */

#ifndef PMBF_MODULE_BUFFER_H
#define PMBF_MODULE_BUFFER_H

#include <Python.h>

#include "../text/result.h"

/* Returns the parts end to end in a bytearray, with one byte more: NumPy refuses an empty array in an empty buffer. The
 * parts are freed. Returns NULL with an error set if out of memory. */
PyObject *result_buffer(result_t *result);

#endif
