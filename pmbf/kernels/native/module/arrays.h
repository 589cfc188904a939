/* NumPy arrays as arguments of a function of the extension module. */

#pragma once

#include <Python.h>
#include <stdint.h>

/* The elements of an array. */
typedef enum { INT32, UINT32, INT64, UINT64 } items_t;

enum { MOST_ARRAYS = 6 };

/* The arrays of a call, released together. A new one is all zero. */
typedef struct {
    Py_buffer views[MOST_ARRAYS];
    int n;
    int refused; /* whether an array was not contiguous, or had other elements or dimensions */
} arrays_t;

/* An array of one or two dimensions. */
typedef struct {
    void *items;
    size_t n, width; /* width is 1 if there is one dimension */
} array_in_t;

/* Returns the next array; all zero if it is refused. */
array_in_t arrays_take(arrays_t *arrays, PyObject *array, items_t items, int n_dims);
void arrays_release(arrays_t *arrays);
