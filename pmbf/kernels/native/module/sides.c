/* The sides of passages in characters, and the share of their words that counts, as a function of the extension module: it reads
 * Python's texts where they are. reference_sides.py is the twin. */

#include "module.h"

#include "../align/judged.h"
#include "arrays.h"

enum { UPPER = 2, DIGIT = 4, SPACE = 8, CLOSING = 16 }; /* as `_kind_of` of native_compare.py; 0 for what it was not asked */
enum { MOST_CLOSING = 8, MOST_GLUED = 16, LEAST_NAMES = 4, SAMPLED_WORDS = 500, MOST_WORDS = 4096, ACRONYM_LETTERS = 3 };
#define CAPITAL_SHARE (1.0 / 3.0)

/* A text that was made ready, with its original. */
typedef struct {
    PyObject *text;
    Py_buffer block;
    head_t head;
    const uint8_t *starts, *stops; /* of tokens, in elements of `width` */
} original_t;

/* What code points are, asked once about each. */
typedef struct {
    uint8_t *known;
    PyObject *ask;
    bool failed; /* with an error set */
} kinds_t;

typedef struct {
    int64_t start, stop;
} range_t;

/* Returns false with an error set if the block is not one of the text. `original_close` is to be called in any case. */
static bool original_open(original_t *original, PyObject *text, PyObject *block) {
    *original = (original_t){.text = text};
    if (PyObject_GetBuffer(block, &original->block, PyBUF_SIMPLE)) return false;
    memcpy(&original->head, original->block.buf, sizeof original->head);
    const head_t *head = &original->head;
    if (PyUnicode_GetLength(text) != head->n_chars) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "a block of another text");
        return false;
    }
    original->starts = (const uint8_t *)original->block.buf + sizeof *head + 8 * head->n + (8 + 4 + 4) * head->n_types;
    original->stops = original->starts + head->width * head->n;
    return true;
}

static void original_close(original_t *original) {
    if (original->block.obj) PyBuffer_Release(&original->block);
}

static int64_t place(const original_t *original, const uint8_t *places, int64_t token) {
    return original->head.width == 2 ? ((const uint16_t *)(const void *)places)[token] : ((const uint32_t *)(const void *)places)[token];
}

static int64_t start_of(const original_t *original, int64_t token) { return place(original, original->starts, token); }
static int64_t stop_of(const original_t *original, int64_t token) { return place(original, original->stops, token); }

/* Returns whether the character at a place is of a kind. */
static bool is_of(kinds_t *kinds, const original_t *original, int64_t at, uint8_t kind) {
    Py_UCS4 code = PyUnicode_ReadChar(original->text, (Py_ssize_t)at);
    if (code > 0x10FFFF) return kinds->failed = true, false;
    uint8_t *known = &kinds->known[code];
    if (!*known && !kinds->failed) {
        PyObject *told = PyObject_CallFunction(kinds->ask, "I", (unsigned int)code);
        long number = told ? PyLong_AsLong(told) : -1;
        Py_XDECREF(told);
        kinds->failed = number < 0;
        *known = kinds->failed ? 0 : (uint8_t)number;
    }
    return *known & kind;
}

/* Returns whether a word begins with a capital letter or a digit, and is no long word in capitals. */
static bool is_name(kinds_t *kinds, const original_t *original, int64_t token) {
    int64_t start = start_of(original, token);
    if (!is_of(kinds, original, start, UPPER)) return is_of(kinds, original, start, DIGIT);
    return stop_of(original, token) - start <= ACRONYM_LETTERS || !is_of(kinds, original, start + 1, UPPER);
}

/* Returns how many other words may stand between two names of a run. */
static int64_t reach_of(kinds_t *kinds, const original_t *original) {
    int64_t n = least(original->head.n, SAMPLED_WORDS), n_capitals = 0;
    for (int64_t token = 0; token < n; token++) n_capitals += is_of(kinds, original, start_of(original, token), UPPER);
    return (double)n_capitals < CAPITAL_SHARE * (double)n;
}

/* Returns the share of a token range's words that count, if each run of names counts as one word. */
static double share_counted(kinds_t *kinds, const original_t *original, range_t tokens) {
    int64_t n = least(tokens.stop - tokens.start, MOST_WORDS), stop = tokens.start + n, n_names = 0, n_saved = 0;
    for (int64_t token = tokens.start; token < stop && n_names < LEAST_NAMES; token++) n_names += is_name(kinds, original, token);
    if (n_names < LEAST_NAMES) return 1.0;
    int64_t reach = reach_of(kinds, original), first = 0, before = 0;
    n_names = 0; /* of the run */
    for (int64_t token = tokens.start; token < stop; token++) {
        if (!is_name(kinds, original, token)) continue;
        if (n_names && token - before > reach + 1) {
            n_saved += n_names >= LEAST_NAMES ? before - first : 0;
            n_names = 0;
        }
        first = n_names++ ? first : token;
        before = token;
    }
    n_saved += n_names >= LEAST_NAMES ? before - first : 0;
    return 1 - (double)n_saved / (double)n;
}

static range_t exact(const original_t *original, range_t tokens) {
    return (range_t){start_of(original, tokens.start), stop_of(original, tokens.stop - 1)};
}

/* Moves the ends of both sides behind the closing punctuation that follows in both texts. */
static void close_both(kinds_t *kinds, const original_t *originals, range_t *sides) {
    for (int n = 0; n < MOST_CLOSING; n++) {
        if (sides[0].stop >= originals[0].head.n_chars || sides[1].stop >= originals[1].head.n_chars) return;
        if (!is_of(kinds, &originals[0], sides[0].stop, CLOSING)) return;
        if (PyUnicode_ReadChar(originals[0].text, (Py_ssize_t)sides[0].stop) != PyUnicode_ReadChar(originals[1].text, (Py_ssize_t)sides[1].stop)) return;
        sides[0].stop++;
        sides[1].stop++;
    }
}

/* Returns the characters of a token range, with those glued to it: up to white space or the next token. */
static range_t grown_side(kinds_t *kinds, const original_t *original, range_t tokens) {
    range_t side = exact(original, tokens);
    int64_t low = greatest(tokens.start ? stop_of(original, tokens.start - 1) : 0, side.start - MOST_GLUED);
    int64_t end = tokens.stop < original->head.n ? start_of(original, tokens.stop) : original->head.n_chars;
    int64_t high = least(end, side.stop + MOST_GLUED);
    while (side.start > low && !is_of(kinds, original, side.start - 1, SPACE)) side.start--;
    while (side.stop < high && !is_of(kinds, original, side.stop, SPACE)) side.stop++;
    return side;
}

/* Returns the sides of one passage and the share that counts. */
static PyObject *one_passage(kinds_t *kinds, const original_t *originals, const int64_t *edges, bool is_exact) {
    range_t tokens[2], sides[2];
    for (int side = 0; side < 2; side++) {
        tokens[side] = (range_t){edges[2 * side], edges[2 * side + 1]};
        if (tokens[side].start < 0 || tokens[side].start >= tokens[side].stop || tokens[side].stop > originals[side].head.n)
            return PyErr_Format(PyExc_ValueError, "a passage of other texts");
        sides[side] = is_exact ? exact(&originals[side], tokens[side]) : grown_side(kinds, &originals[side], tokens[side]);
    }
    if (is_exact) close_both(kinds, originals, sides);
    double counted = share_counted(kinds, &originals[0], tokens[0]);
    if (counted < 1) {
        double theirs = share_counted(kinds, &originals[1], tokens[1]);
        counted = theirs > counted ? theirs : counted;
    }
    if (kinds->failed) return NULL;
    return Py_BuildValue("LLLLd", (long long)sides[0].start, (long long)sides[0].stop, (long long)sides[1].start, (long long)sides[1].stop, counted);
}

static PyObject *all_passages(kinds_t *kinds, const original_t *originals, array_in_t edges, array_in_t names) {
    if (edges.width != 4 || edges.n != names.n) return PyErr_Format(PyExc_ValueError, "no edges of passages");
    PyObject *found = PyList_New((Py_ssize_t)edges.n);
    for (size_t at = 0; found && at < edges.n; at++) {
        bool is_exact = ((const int64_t *)names.items)[at] < REWORDED;
        PyObject *one = one_passage(kinds, originals, (const int64_t *)edges.items + 4 * at, is_exact);
        if (one) PyList_SetItem(found, (Py_ssize_t)at, one);
        else Py_CLEAR(found);
    }
    return found;
}

/* sides(query, block, source, block, edges, kinds, known, ask) -> [(start, stop, start, stop, share)]; `known` is a bytearray
 * with what each code point is, and `ask` returns it where it is 0 */
static PyObject *module_sides(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *texts[2], *blocks[2], *edges, *names, *found = NULL;
    kinds_t kinds = {.failed = false};
    PyObject *known;
    if (!PyArg_ParseTuple(arguments, "UOUOOOYO", &texts[0], &blocks[0], &texts[1], &blocks[1], &edges, &names, &known, &kinds.ask)) return NULL;
    if (PyByteArray_Size(known) <= 0x10FFFF) return PyErr_Format(PyExc_ValueError, "too few code points");
    kinds.known = (uint8_t *)PyByteArray_AsString(known);
    arrays_t arrays = {.n = 0};
    array_in_t rows = arrays_take(&arrays, edges, INT64, 2), each = arrays_take(&arrays, names, INT64, 1);
    original_t originals[2] = {{.text = NULL}, {.text = NULL}};
    if (arrays.refused) PyErr_SetString(PyExc_ValueError, "no edges of passages");
    else if (original_open(&originals[0], texts[0], blocks[0]) && original_open(&originals[1], texts[1], blocks[1]))
        found = all_passages(&kinds, originals, rows, each);
    for (int side = 0; side < 2; side++) original_close(&originals[side]);
    arrays_release(&arrays);
    return found;
}

PyMethodDef sides_methods[] = {
    {"sides", module_sides, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
