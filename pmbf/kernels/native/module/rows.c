/* Rows of a table with their checksums as a function of the extension module: a load makes two for every small text. */

#include "rows.h"

#include "../records/write.h"
#include "../text/result.h"

/* Adds bytes to what is shown. Returns 0, or -1 with an error set. */
static int show(array_t *shown, const char *bytes, size_t size) {
    void *room = array_room(shown, size);
    if (!room) return PyErr_NoMemory(), -1;
    memcpy(room, bytes, size);
    shown->size += size;
    return 0;
}

static int show_number(array_t *shown, long long number) {
    char digits[24], *at = digits + sizeof digits;
    unsigned long long rest = number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number;
    do *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0) *--at = '-';
    return show(shown, at, (size_t)(digits + sizeof digits - at));
}

/* Whether Python shows a string as it is, between single quotes. */
static bool is_plain(const char *text, Py_ssize_t size) {
    unsigned other = 0;
    for (Py_ssize_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        other |= (unsigned)(c < 0x20) | (unsigned)(c > 0x7E) | (unsigned)(c == '\'') | (unsigned)(c == '\\');
    }
    return !other;
}

static int show_by_python(array_t *shown, PyObject *column) {
    PyObject *repr = PyObject_Repr(column);
    Py_ssize_t size;
    const char *text = repr ? PyUnicode_AsUTF8AndSize(repr, &size) : NULL;
    int status = text ? show(shown, text, (size_t)size) : -1;
    Py_XDECREF(repr);
    return status;
}

static int show_column(array_t *shown, PyObject *column) {
    if (PyUnicode_Check(column)) {
        Py_ssize_t size;
        const char *text = PyUnicode_AsUTF8AndSize(column, &size);
        if (!text) return -1;
        if (PyUnicode_CheckExact(column) && is_plain(text, size))
            return show(shown, "'", 1) || show(shown, text, (size_t)size) || show(shown, "'", 1) ? -1 : 0;
    } else if (PyLong_CheckExact(column)) {
        int overflow;
        long long number = PyLong_AsLongLongAndOverflow(column, &overflow);
        if (!overflow) return show_number(shown, number);
    }
    return show_by_python(shown, column);
}

/* Returns a row with its checksum; `shown` is room. */
static PyObject *checked_row(PyObject *row, array_t *shown) {
    if (!PyTuple_Check(row)) return PyErr_Format(PyExc_TypeError, "a row is no tuple");
    Py_ssize_t n = PyTuple_Size(row);
    PyObject *checked = PyTuple_New(n + 1);
    shown->size = 0;
    int status = checked ? show(shown, "(", 1) : -1;
    for (Py_ssize_t i = 0; i < n && !status; i++) {
        PyObject *column = PyTuple_GetItem(row, i);
        if (i) status = show(shown, ", ", 2);
        if (!status) status = show_column(shown, column);
        if (!status) status = PyTuple_SetItem(checked, i, Py_NewRef(column));
    }
    if (!status) status = n == 1 ? show(shown, ",)", 2) : show(shown, ")", 1);
    PyObject *sum = status ? NULL : PyLong_FromUnsignedLong(checksum(shown->bytes, shown->size));
    if (sum && !PyTuple_SetItem(checked, n, sum)) return checked;
    Py_XDECREF(checked);
    return NULL;
}

PyObject *module_checked_rows(PyObject *Py_UNUSED(module), PyObject *rows) {
    Py_ssize_t n = PyList_Size(rows);
    PyObject *list = n < 0 ? NULL : PyList_New(n);
    array_t shown = {0};
    for (Py_ssize_t i = 0; list && i < n; i++) {
        PyObject *checked = checked_row(PyList_GetItem(rows, i), &shown);
        if (!checked || PyList_SetItem(list, i, checked)) {
            Py_DECREF(list);
            list = NULL;
        }
    }
    free(shown.bytes);
    return list;
}
