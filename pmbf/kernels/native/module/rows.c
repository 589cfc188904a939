/* The checksums of rows of a table, as a function of the extension module: a list of tuples in, columns out. */

#include "module.h"

#include "../records/records.h"
#include "../text/result.h"

/* What the columns of a row hold: 'i' an integer, 's' a text. */
typedef struct {
    const char *kinds;
    size_t n, n_numbers;
} table_of_t;

/* Returns the bytes of a row's texts, -1 if a column is of another kind than its table's. */
static Py_ssize_t text_bytes(PyObject *row, const table_of_t *table) {
    Py_ssize_t total = 0, size;
    for (size_t i = 0; i < table->n; i++) {
        if (table->kinds[i] != 's') continue;
        PyObject *column = PyTuple_GetItem(row, (Py_ssize_t)i);
        if (!PyUnicode_Check(column) || !PyUnicode_AsUTF8AndSize(column, &size)) return -1;
        total += size;
    }
    return total;
}

/* Writes the numbers of a row. Returns whether each is an integer of 64 bits. */
static bool put_numbers(PyObject *row, const table_of_t *table, int64_t *numbers) {
    for (size_t i = 0; i < table->n; i++) {
        if (table->kinds[i] != 'i') continue;
        PyObject *column = PyTuple_GetItem(row, (Py_ssize_t)i);
        if (!PyLong_Check(column)) return false;
        *numbers = PyLong_AsLongLong(column);
        if (*numbers++ == -1 && PyErr_Occurred()) return false;
    }
    return true;
}

/* Returns the checksum of a row, over the kinds, the numbers, the lengths of the texts and the texts; -1 if it is not one
 * of the table, -2 if out of memory. Writes its numbers. */
static int64_t sum_of(PyObject *row, const table_of_t *table, array_t *content, int64_t *numbers) {
    if (!PyTuple_Check(row) || (size_t)PyTuple_Size(row) < table->n) return -1;
    Py_ssize_t size = text_bytes(row, table);
    if (size < 0 || !put_numbers(row, table, numbers)) return -1;
    size_t n_numbers = 8 * table->n_numbers;
    uint8_t *room = array_room(content, 9 * table->n + (size_t)size + 1);
    if (!room) return -2;
    memcpy(room, table->kinds, table->n);
    memcpy(room + table->n, numbers, n_numbers);
    uint8_t *length_at = room + table->n + n_numbers, *text_at = room + 9 * table->n;
    for (size_t i = 0; i < table->n; i++) {
        if (table->kinds[i] != 's') continue;
        const char *text = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(row, (Py_ssize_t)i), &size);
        int64_t length = size;
        memcpy(length_at, &length, sizeof length);
        memcpy(text_at, text, (size_t)size);
        length_at += 8, text_at += size;
    }
    return checksum(room, (size_t)(text_at - room));
}

/* Sums the rows. Returns 0, or -1 with an error set. */
static int sum_all(PyObject *rows, const table_of_t *table, int64_t *numbers, int64_t *sums) {
    array_t content = {0};
    int64_t sum = 0;
    for (Py_ssize_t i = 0; i < PyList_Size(rows) && sum != -2; i++, numbers += table->n_numbers) {
        sums[i] = sum = sum_of(PyList_GetItem(rows, i), table, &content, numbers);
        PyErr_Clear(); /* of a text that is no Unicode, or of a number beyond 64 bits */
    }
    free(content.bytes);
    if (sum == -2) PyErr_NoMemory();
    return sum == -2 ? -1 : 0;
}

/* sum_rows(rows, kinds) -> (numbers, sums), int64 as bytes, and one byte more */
static PyObject *module_sum_rows(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *rows;
    const char *kinds;
    if (!PyArg_ParseTuple(arguments, "Os", &rows, &kinds)) return NULL;
    Py_ssize_t n = PyList_Size(rows);
    if (n < 0) return NULL;
    table_of_t table = {kinds, strlen(kinds), 0};
    for (size_t i = 0; i < table.n; i++) table.n_numbers += kinds[i] == 'i';
    PyObject *numbers = PyByteArray_FromStringAndSize(NULL, n * (Py_ssize_t)(8 * table.n_numbers) + 1);
    PyObject *sums = PyByteArray_FromStringAndSize(NULL, 8 * n + 1);
    if (numbers && sums &&
        !sum_all(rows, &table, (int64_t *)(void *)PyByteArray_AsString(numbers), (int64_t *)(void *)PyByteArray_AsString(sums)))
        return Py_BuildValue("NN", numbers, sums);
    Py_XDECREF(numbers);
    Py_XDECREF(sums);
    return NULL;
}

PyMethodDef rows_methods[] = {
    {"sum_rows", module_sum_rows, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
