/* The kernels of result sets as functions of the extension module: only C knows how much they return, and a call with
 * ctypes takes a tenth of what a set of a hundred articles takes. */

#include "module.h"

#include "../resultset/lists.h"
#include "../resultset/sentences.h"
#include "arrays.h"

/* The memory of lists that were taken from Python. */
typedef struct {
    uint32_t *hashes, *limits;
    int64_t *bounds;
} room_t;

/* Copies the lists, without some hashes, end to end. Returns whether each is bytes of a limit and of hashes. */
static int copy_lists(PyObject *given, const array_in_t *without, room_t *room) {
    size_t n = 0;
    for (Py_ssize_t list = 0; list < PyList_Size(given); list++) {
        PyObject *one = PyList_GetItem(given, list);
        const uint32_t *from = (const uint32_t *)(const void *)PyBytes_AsString(one);
        const size_t size = (size_t)PyBytes_Size(one);
        if (!size || size % sizeof *from) return 0;
        room->limits[list] = from[0];
        room->bounds[list] = (int64_t)n;
        n += lists_copy(from + 1, size / sizeof *from - 1, without->items, without->n, room->hashes + n);
    }
    room->bounds[PyList_Size(given)] = (int64_t)n;
    return 1;
}

/* Returns the bytes of all lists, or -1 if one is none. */
static Py_ssize_t size_of(PyObject *given) {
    Py_ssize_t size = 0;
    if (!PyList_Check(given) || PyList_Size(given) > INT32_MAX) return -1;
    for (Py_ssize_t list = 0; list < PyList_Size(given); list++) {
        PyObject *one = PyList_GetItem(given, list);
        if (!PyBytes_Check(one)) return -1;
        size += PyBytes_Size(one);
    }
    return size;
}

/* Returns the pairs as bytes, and frees them. */
static PyObject *bytes_of(alike_t *found, int64_t n) {
    if (n == LISTS_NO_MEMORY) return PyErr_NoMemory();
    if (n < 0) Py_RETURN_NONE;
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)found, (Py_ssize_t)((size_t)n * sizeof *found));
    free(found);
    return bytes;
}

static PyObject *find_alike(PyObject *given, const array_in_t *without, likeness_t likeness) {
    const Py_ssize_t size = size_of(given), n_lists = size < 0 ? 0 : PyList_Size(given);
    if (size < 0) Py_RETURN_NONE;
    room_t room = {malloc((size_t)size + 4), malloc(4 * (size_t)n_lists + 4), malloc(8 * (size_t)n_lists + 8)};
    const int has_room = room.hashes && room.limits && room.bounds, is_fit = has_room && copy_lists(given, without, &room);
    alike_t *found = NULL;
    int64_t n = has_room ? LISTS_REFUSED : LISTS_NO_MEMORY;
    if (is_fit) {
        const lists_t lists = {room.hashes, room.limits, room.bounds, (size_t)n_lists, (size_t)room.bounds[n_lists]};
        Py_BEGIN_ALLOW_THREADS
        n = lists_alike(&lists, likeness, &found);
        Py_END_ALLOW_THREADS
    }
    free(room.hashes), free(room.limits), free(room.bounds);
    return bytes_of(found, n);
}

/* lists_alike([bytes, …], share, of_smaller, without) -> the pairs, int32 (n, 5); None for a refusal */
static PyObject *module_lists_alike(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t n) {
    arrays_t arrays = {.n = 0};
    if (n != 4) return PyErr_Format(PyExc_TypeError, "%zd arguments, expected 4", n);
    const likeness_t likeness = {PyFloat_AsDouble(arguments[1]), PyObject_IsTrue(arguments[2]) == 1};
    if (PyErr_Occurred()) return NULL;
    const array_in_t without = arrays_take(&arrays, arguments[3], UINT32, 1);
    PyObject *found = arrays.refused ? Py_NewRef(Py_None) : find_alike(arguments[0], &without, likeness);
    arrays_release(&arrays);
    return found;
}

/* Returns whether an order has each of n places once, and pairs have places below n. */
static int is_order(const int64_t *order, size_t n, const alike_t *pairs, size_t n_pairs) {
    uint8_t *seen = calloc(n + 1, 1);
    int fits = seen != NULL;
    for (size_t i = 0; fits && i < n; i++) fits = order[i] >= 0 && order[i] < (int64_t)n && !seen[order[i]]++;
    for (size_t i = 0; fits && i < n_pairs; i++)
        fits = pairs[i].first >= 0 && pairs[i].second >= 0 && (size_t)pairs[i].first < n && (size_t)pairs[i].second < n;
    free(seen);
    return fits;
}

/* lists_shown(pairs, order, connected) -> what is shown, int64 (n,); None for a refusal */
static PyObject *module_lists_shown(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t n) {
    arrays_t arrays = {.n = 0};
    if (n != 3) return PyErr_Format(PyExc_TypeError, "%zd arguments, expected 3", n);
    const array_in_t pairs = arrays_take(&arrays, arguments[0], INT32, 2), order = arrays_take(&arrays, arguments[1], INT64, 1);
    PyObject *shown = NULL;
    if (arrays.refused || pairs.width != 5 || !is_order(order.items, order.n, pairs.items, pairs.n)) {
        shown = Py_NewRef(Py_None);
    } else if ((shown = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(8 * order.n)))) {
        int64_t *out = (int64_t *)(void *)PyBytes_AsString(shown);
        if (!lists_shown(pairs.items, pairs.n, order.items, order.n, PyObject_IsTrue(arguments[2]) == 1, out)) {
            Py_DECREF(shown);
            shown = PyErr_NoMemory();
        }
    }
    arrays_release(&arrays);
    return shown;
}

static PyObject *find_sentences(PyObject *const *arguments, arrays_t *arrays) {
    const table_t *table = PyLong_AsVoidPtr(arguments[0]);
    const char *text = PyBytes_AsString(arguments[1]);
    Py_ssize_t size = PyBytes_Size(arguments[1]);
    unsigned long long factor = PyLong_AsUnsignedLongLong(arguments[3]);
    if (PyErr_Occurred()) return NULL;
    array_in_t slots = {NULL, 0, 2};
    if (arguments[2] != Py_None) slots = arrays_take(arrays, arguments[2], UINT64, 2);
    if (arrays->refused || slots.width != 2 || slots.n == 1 || (slots.n & (slots.n - 1))) Py_RETURN_NONE;
    const stems_t stems = {slots.items, slots.n, factor};
    sentences_t found = {0};
    int status;
    Py_BEGIN_ALLOW_THREADS
    status = sentences_find(table, (const uint8_t *)text, (size_t)size, &stems, &found);
    Py_END_ALLOW_THREADS
    if (status == TEXT_NOT_UTF8) Py_RETURN_NONE;
    if (status != TEXT_OK) return PyErr_NoMemory();
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)found.found, (Py_ssize_t)(found.n * sizeof *found.found));
    PyObject *unknown = PyBytes_FromStringAndSize((const char *)found.unknown, (Py_ssize_t)(found.n_unknown * sizeof *found.unknown));
    const unsigned long long n_chars = found.n_chars;
    sentences_free(&found);
    if (!bytes || !unknown) return Py_XDECREF(bytes), Py_XDECREF(unknown), NULL;
    return Py_BuildValue("NNK", bytes, unknown, n_chars);
}

/* sentences(table, utf8, slots or None, factor) -> (sentences, uint32 (n, 3); unknown words, uint64 (n, 2); characters);
 * None for bytes that are not UTF-8 */
static PyObject *module_sentences(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t n) {
    arrays_t arrays = {.n = 0};
    if (n != 4) return PyErr_Format(PyExc_TypeError, "%zd arguments, expected 4", n);
    PyObject *found = find_sentences(arguments, &arrays);
    arrays_release(&arrays);
    return found;
}

PyMethodDef resultset_methods[] = {
    {"lists_alike", AS_METHOD(module_lists_alike), METH_FASTCALL, NULL},
    {"lists_shown", AS_METHOD(module_lists_shown), METH_FASTCALL, NULL},
    {"sentences", AS_METHOD(module_sentences), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};
