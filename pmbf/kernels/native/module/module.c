/* The extension module. Most kernels are plain functions over buffers; ctypes calls them without the interpreter's
 * lock. A kernel that is called once for every small text, or for every query, is a function of the module. */

#include "module.h"

#include "../../interface.h"
#include "../compiler.h"

EXPORT int pmbf_interface(void) { return PMBF_INTERFACE; }

PyDoc_STRVAR(address_doc, "address(buffer, /)\n--\n\nReturn where the bytes of an object begin, an array or bytes.");

static PyObject *address(PyObject *Py_UNUSED(module), PyObject *object) {
    Py_buffer view;
    if (PyObject_GetBuffer(object, &view, PyBUF_STRIDES)) return NULL;
    PyObject *begin = PyLong_FromVoidPtr(view.buf);
    PyBuffer_Release(&view);
    return begin;
}

static PyMethodDef methods[] = {
    {"address", address, METH_O, address_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) {
    PyMethodDef *const lists[] = {files_methods, query_methods, records_methods, resultset_methods,
                                  rows_methods,  sides_methods, text_methods,   units_methods};
    PyObject *module = PyModule_Create(&definition);
    for (size_t i = 0; module && i < sizeof lists / sizeof *lists; i++)
        if (PyModule_AddFunctions(module, lists[i])) {
            Py_DECREF(module);
            module = NULL;
        }
    return module;
}
