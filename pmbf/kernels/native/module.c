/* The extension module itself: empty. The kernels are plain functions over buffers, called through ctypes, which
 * releases the interpreter's lock; Python only finds and loads the file. */

#include <Python.h>

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_native", NULL, -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) { return PyModule_Create(&module); }
