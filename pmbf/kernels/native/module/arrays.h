/* NumPy arrays as arguments of a function of the extension module. */

#ifndef PMBF_MODULE_ARRAYS_H
#define PMBF_MODULE_ARRAYS_H

#include <Python.h>
#include <stdint.h>

/* What an array holds. */
typedef enum { INT32, UINT32, INT64, UINT64 } items_t;

enum { MOST_ARRAYS = 6 };

/* The arrays of a call, released together; all zero at first. */
typedef struct {
    Py_buffer views[MOST_ARRAYS];
    int n;
    int refused; /* whether one was no contiguous array of what it should hold, or of other dimensions */
} arrays_t;

/* An array of one or two dimensions. */
typedef struct {
    void *items;
    size_t n, width; /* width is 1 where there is one dimension */
} array_in_t;

/* Returns the next array, all zero where one was refused. */
array_in_t arrays_take(arrays_t *arrays, PyObject *array, items_t items, int n_dims);
void arrays_release(arrays_t *arrays);

#endif
