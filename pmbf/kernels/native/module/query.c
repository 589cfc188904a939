/* The hits of a query, and their evidence, as functions of the extension module. A query calls them a few times, and a
 * call with ctypes takes as long as most answers. */

#include "module.h"

#include "../bits/evidence.h"
#include "arrays.h"

/* Takes n whole numbers. Returns whether each is at least its number in `least`. */
static int take_numbers(PyObject *const *arguments, int n, const int64_t *least, int64_t *out) {
    for (int i = 0; i < n; i++) {
        out[i] = PyLong_AsLongLong(arguments[i]);
        if (out[i] == -1 && PyErr_Occurred()) return PyErr_Clear(), 0;
        if (out[i] < least[i]) return 0;
    }
    return 1;
}

/* Returns (n, buffer), None for a refusal, or NULL with an error set. Takes over `buffer`. */
static PyObject *answer(int64_t n, PyObject *buffer) {
    if (n >= 0) return Py_BuildValue("LN", (long long)n, buffer);
    Py_DECREF(buffer);
    if (n == PMBF_NO_MEMORY) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *find_evidence(PyObject *const *arguments, arrays_t *arrays) {
    array_in_t bounds = arrays_take(arrays, arguments[0], INT64, 1), places = arrays_take(arrays, arguments[1], UINT32, 1);
    array_in_t weights = arrays_take(arrays, arguments[2], INT32, 1), tokens = arrays_take(arrays, arguments[3], UINT32, 1);
    int64_t numbers[2], status;
    if (arrays->refused || !bounds.n || weights.n != tokens.n) Py_RETURN_NONE;
    if (!take_numbers(arguments + 4, 2, (int64_t[]){1, 1}, numbers)) Py_RETURN_NONE;
    const weighing_t by = {weights.items, tokens.items, weights.n, numbers[0], numbers[1]};
    PyObject *buffer = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(8 * bounds.n));
    if (!buffer) return NULL;
    int64_t *out = (int64_t *)(void *)PyByteArray_AsString(buffer);
    Py_BEGIN_ALLOW_THREADS
    status = evidence_of_lists(bounds.items, bounds.n - 1, places.items, places.n, by, out);
    Py_END_ALLOW_THREADS
    return answer(status < 0 ? status : (int64_t)bounds.n - 1, buffer);
}

/* evidence(bounds, places, weights, tokens, shingle_tokens, window) -> (n, buffer); int64 */
static PyObject *module_evidence(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t n) {
    arrays_t arrays = {.n = 0};
    if (n != 6) return PyErr_Format(PyExc_TypeError, "%zd arguments, expected 6", n);
    PyObject *found = find_evidence(arguments, &arrays);
    arrays_release(&arrays);
    return found;
}

static PyObject *find_rows(PyObject *const *arguments, arrays_t *arrays) {
    array_in_t hits = arrays_take(arrays, arguments[0], UINT64, 2), weights = arrays_take(arrays, arguments[1], INT32, 1);
    array_in_t tokens = arrays_take(arrays, arguments[2], UINT32, 1);
    int64_t numbers[3], n_rows;
    if (arrays->refused || weights.n != tokens.n || weights.n != hits.n) Py_RETURN_NONE;
    if (!take_numbers(arguments + 3, 3, (int64_t[]){1, 1, 1}, numbers)) Py_RETURN_NONE;
    const weighing_t by = {weights.items, tokens.items, weights.n, numbers[0], numbers[1]};
    PyObject *buffer = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(8 * (64 * hits.width + 1)));
    if (!buffer) return NULL;
    int64_t *out = (int64_t *)(void *)PyByteArray_AsString(buffer);
    Py_BEGIN_ALLOW_THREADS
    n_rows = rows_with_evidence(hits.items, hits.width, by, numbers[2], out);
    Py_END_ALLOW_THREADS
    return answer(n_rows, buffer);
}

/* rows_with_evidence(hits, weights, tokens, shingle_tokens, window, least) -> (n, buffer); int64 */
static PyObject *module_rows_with_evidence(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t n) {
    arrays_t arrays = {.n = 0};
    if (n != 6) return PyErr_Format(PyExc_TypeError, "%zd arguments, expected 6", n);
    PyObject *found = find_rows(arguments, &arrays);
    arrays_release(&arrays);
    return found;
}

/* ------------------------------------------------------------------ look_up */

/* A tile of a look-up. */
typedef struct {
    const uint64_t *bits;
    size_t n, width; /* (n, width) words */
    uint32_t k;
    int sealed;
    size_t first; /* first word of its hits in each line */
} tile_t;

/* The tiles of a look-up, and where their hits go. */
typedef struct {
    tile_t *tiles;
    Py_buffer *views;
    size_t n_tiles, n_views, n_words;
} tiles_t;

/* Takes the next tile. Returns whether it is a tile. */
static int take_tile(tiles_t *tiles, PyObject *given) {
    arrays_t arrays = {.n = 0};
    PyObject *bits = PyTuple_Check(given) && PyTuple_Size(given) == 3 ? PyTuple_GetItem(given, 0) : NULL;
    if (!bits) return 0;
    array_in_t taken = arrays_take(&arrays, bits, UINT64, 2);
    if (arrays.n) tiles->views[tiles->n_views++] = arrays.views[0];
    int64_t k;
    if (arrays.refused || !take_numbers((PyObject *[]){PyTuple_GetItem(given, 2)}, 1, (int64_t[]){1}, &k)) return 0;
    tile_t tile = {taken.items, taken.n, taken.width, (uint32_t)k, PyObject_IsTrue(PyTuple_GetItem(given, 1)), tiles->n_words};
    const size_t row_bits = tile.sealed ? tile.n : 64 * tile.width;
    if (!row_bits || row_bits > UINT32_MAX || k > UINT32_MAX) return 0;
    tiles->n_words += tile.sealed ? tile.width : words_for(tile.n);
    tiles->tiles[tiles->n_tiles++] = tile;
    return 1;
}

/* Writes the hits of all tiles, and the number of rows that each hash hits. Returns 0 or PMBF_NO_MEMORY. */
static int64_t look_up(const tiles_t *tiles, const uint32_t *hashes, size_t n, uint64_t *hits, int64_t *n_hit) {
    const size_t stride = tiles->n_words;
    for (size_t i = 0; i < tiles->n_tiles; i++) {
        const tile_t *tile = &tiles->tiles[i];
        const query_t query = {hashes, n, tile->k};
        if (tile->sealed) hits_of_slices(tile->bits, tile->n, tile->width, &query, hits + tile->first, stride);
        else if (hits_of_rows(tile->bits, tile->n, tile->width, &query, hits + tile->first, stride)) return PMBF_NO_MEMORY;
    }
    bits_variant()->popcounts(hits, n, stride, n_hit);
    return 0;
}

static PyObject *looked_up(const tiles_t *tiles, const array_in_t *hashes) {
    const size_t n = hashes->n, n_words = tiles->n_words;
    int64_t status;
    PyObject *hits = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(8 * (n * n_words + 1)));
    PyObject *n_hit = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(8 * (n + 1)));
    if (!hits || !n_hit) return Py_XDECREF(hits), Py_XDECREF(n_hit), NULL;
    uint64_t *lines = (uint64_t *)(void *)PyByteArray_AsString(hits);
    int64_t *counts = (int64_t *)(void *)PyByteArray_AsString(n_hit);
    Py_BEGIN_ALLOW_THREADS
    status = look_up(tiles, hashes->items, n, lines, counts);
    Py_END_ALLOW_THREADS
    if (!status) return Py_BuildValue("nnNN", (Py_ssize_t)n, (Py_ssize_t)n_words, hits, n_hit);
    Py_DECREF(hits), Py_DECREF(n_hit);
    return PyErr_NoMemory();
}

/* look_up([(bits, sealed, k), …], hashes) -> (n_hashes, n_words, hits, n_hit); uint64 (n_hashes, n_words) and int64 */
static PyObject *module_look_up(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t n) {
    if (n != 2) return PyErr_Format(PyExc_TypeError, "%zd arguments, expected 2", n);
    Py_ssize_t n_tiles = PyList_Size(arguments[0]);
    if (n_tiles < 0) return NULL;
    arrays_t arrays = {.n = 0};
    array_in_t hashes = arrays_take(&arrays, arguments[1], UINT32, 1);
    tiles_t tiles = {.tiles = calloc((size_t)n_tiles + 1, sizeof *tiles.tiles),
                     .views = calloc((size_t)n_tiles + 1, sizeof *tiles.views)};
    int is_fit = tiles.tiles && tiles.views && !arrays.refused;
    for (Py_ssize_t i = 0; is_fit && i < n_tiles; i++) is_fit = take_tile(&tiles, PyList_GetItem(arguments[0], i));
    PyObject *answer = is_fit ? looked_up(&tiles, &hashes) : Py_NewRef(Py_None);
    while (tiles.n_views) PyBuffer_Release(&tiles.views[--tiles.n_views]);
    arrays_release(&arrays);
    free(tiles.tiles), free(tiles.views);
    return answer;
}

PyMethodDef query_methods[] = {
    {"evidence", AS_METHOD(module_evidence), METH_FASTCALL, NULL},
    {"look_up", AS_METHOD(module_look_up), METH_FASTCALL, NULL},
    {"rows_with_evidence", AS_METHOD(module_rows_with_evidence), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};
