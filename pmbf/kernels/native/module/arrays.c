/* Takes arrays with the buffer protocol, and refuses arrays of another type or layout. */

#include "arrays.h"

#include <string.h>

static int holds(const Py_buffer *view, items_t items) {
    static const struct {
        const char *letters;
        Py_ssize_t size;
    } kinds[] = {[INT32] = {"ilq", 4}, [UINT32] = {"ILQ", 4}, [INT64] = {"ilq", 8}, [UINT64] = {"ILQ", 8}};
    const char *format = view->format ? view->format : "B";
    return format[0] && !format[1] && strchr(kinds[items].letters, format[0]) && view->itemsize == kinds[items].size;
}

array_in_t arrays_take(arrays_t *arrays, PyObject *array, items_t items, int n_dims) {
    Py_buffer *view = &arrays->views[arrays->n];
    if (arrays->refused) return (array_in_t){0};
    if (PyObject_GetBuffer(array, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)) {
        PyErr_Clear();
        arrays->refused = 1;
        return (array_in_t){0};
    }
    arrays->n++;
    if (view->ndim != n_dims || !holds(view, items) || (uintptr_t)view->buf % (size_t)view->itemsize) {
        arrays->refused = 1;
        return (array_in_t){0};
    }
    return (array_in_t){view->buf, (size_t)view->shape[0], n_dims == 2 ? (size_t)view->shape[1] : 1};
}

void arrays_release(arrays_t *arrays) {
    while (arrays->n) PyBuffer_Release(&arrays->views[--arrays->n]);
}
