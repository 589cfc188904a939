/* The units of a text as a function of the extension module: only C knows how many there are. */

#include "module.h"

#include "../sentences/units.h"

static PyObject *bytes_of(const void *items, size_t size) {
    return PyBytes_FromStringAndSize(items, (Py_ssize_t)size);
}

/* units(table, utf8, code, from_each) -> (sentences, uint32 (n, 2); units, uint32 (n, 2); keys, uint64 (n_units, n_keys);
 * characters); None for bytes that are not UTF-8 */
static PyObject *module_units(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t n) {
    if (n != 4) return PyErr_Format(PyExc_TypeError, "%zd arguments, expected 4", n);
    const table_t *table = PyLong_AsVoidPtr(arguments[0]);
    const uint8_t *text = (const uint8_t *)PyBytes_AsString(arguments[1]);
    const size_t size = (size_t)PyBytes_Size(arguments[1]);
    const int code = (int)PyLong_AsLong(arguments[2]), from_each = PyObject_IsTrue(arguments[3]) == 1;
    if (PyErr_Occurred()) return NULL;
    units_t found;
    int status;
    Py_BEGIN_ALLOW_THREADS
    status = units_find(table, text, size, code, from_each, &found);
    Py_END_ALLOW_THREADS
    if (status == TEXT_NOT_UTF8) Py_RETURN_NONE;
    if (status != TEXT_OK) return PyErr_NoMemory();
    const unsigned long long n_chars = found.n_chars;
    PyObject *sentences = bytes_of(found.sentences, found.n_sentences * sizeof *found.sentences);
    PyObject *units = bytes_of(found.units, found.n_units * sizeof *found.units);
    PyObject *keys = bytes_of(found.keys, found.n_units * found.n_keys * sizeof *found.keys);
    units_free(&found);
    if (!sentences || !units || !keys) return Py_XDECREF(sentences), Py_XDECREF(units), Py_XDECREF(keys), NULL;
    return Py_BuildValue("NNNK", sentences, units, keys, n_chars);
}

PyMethodDef units_methods[] = {
    {"units", AS_METHOD(module_units), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};
