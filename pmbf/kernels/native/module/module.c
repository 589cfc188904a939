/* The extension module. Most kernels are plain functions over buffers, called through ctypes, which releases the
 * interpreter's lock; what is called once for every small text is a function of the module. */

#include "files.h"
#include "query.h"
#include "records.h"
#include "rows.h"
#include "text.h"

/* The same number as INTERFACE in native_library.py; raised with every change of a function's arguments or
 * results. */
__attribute__((visibility("default"))) int pmbf_interface(void) { return 20; }

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
    {"evidence", (PyCFunction)(void (*)(void))module_evidence, METH_FASTCALL, NULL},
    {"look_up", (PyCFunction)(void (*)(void))module_look_up, METH_FASTCALL, NULL},
    {"rows_with_evidence", (PyCFunction)(void (*)(void))module_rows_with_evidence, METH_FASTCALL, NULL},
    {"checked_rows", module_checked_rows, METH_O, NULL},
    {"looks", module_looks, METH_O, NULL},
    {"record", module_record, METH_VARARGS, NULL},
    {"shared", (PyCFunction)(void (*)(void))module_shared, METH_FASTCALL, NULL},
    {"read_texts", module_read_texts, METH_VARARGS, NULL},
    {"text_sample", module_sample, METH_VARARGS, NULL},
    {"text_tokenise", module_tokenise, METH_VARARGS, NULL},
    {"text_fold", module_fold, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_native", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) { return PyModule_Create(&module); }
