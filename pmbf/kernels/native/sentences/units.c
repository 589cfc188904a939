/* A unit is made of whole sentences of one paragraph. It ends with the first sentence that brings it to LEAST columns. If
 * that would be more than MOST columns, then it ends inside the sentence. */

#include "units.h"

#include "../align/words.h"
#include "../text/shingles.h"
#include "../text/utf8.h"

enum { LEAST = 110, HIGH = 190, MOST = 250, SHORT = 40 }; /* columns */
enum { HAN_COLUMNS = 3, HANGUL_COLUMNS = 2 };             /* of a letter; other letters have 1 */

/* The keys of units: minimal hashes of what a unit is made of, under hash functions h ↦ h · step modulo 2^64.
 *
 * Of the words, PAPER_CODE takes one bit of each of 100 minima, and makes a key of every 20 bits. WORD_CODE takes the
 * minima of the shingles, which are made of 3 words in any order, or of 6 letters in scripts written without spaces. */
enum { UNIT_SHINGLE = 3, MINIMA = 100 };

typedef struct {
    const uint64_t *hashes; /* of the tokens */
    const uint8_t *singles;
    uint64_t *values, *mixed; /* of each token the hash of what begins there, and of the token alone */
    uint64_t steps[MINIMA];
    int code;
} keys_t;

/* Takes memory for the tokens of a text, and hashes them. Returns false if out of memory; `keys_end` frees it. */
static bool keys_begin(keys_t *keys, const text_t *text, int code) {
    const size_t n = (size_t)text->n;
    keys->code = code;
    keys->singles = text->singles;
    keys->mixed = malloc((n + 1) * sizeof *keys->mixed);
    keys->values = malloc((n + 1) * sizeof *keys->values);
    if (!keys->mixed || !keys->values) return false;
    for (size_t i = 0; i < MINIMA; i++) keys->steps[i] = fmix64(i + 1) | 1;
    for (size_t i = 0; i < n; i++) keys->mixed[i] = fmix64(keys->hashes[i]);
    if (code == PAPER_CODE) return true;
    for (size_t i = 0; i < n; i++) {
        const size_t length = UNIT_SHINGLE << keys->singles[i];
        keys->values[i] = i + length > n ? 0 : fmix64(window_sum(keys->mixed + i, length, 1) + length * SHINGLE_LENGTH);
    }
    return true;
}

static void paper_keys(const keys_t *keys, size_t first, size_t stop, uint64_t *out) {
    for (size_t group = 0; group < PAPER_KEYS; group++) {
        uint64_t bits = 0;
        for (size_t bit = 0; bit < GROUP_BITS; bit++) {
            const uint64_t step = keys->steps[group * GROUP_BITS + bit];
            uint64_t least = UINT64_MAX;
            for (size_t i = first; i < stop; i++) {
                const uint64_t value = keys->mixed[i] * step;
                least = value < least ? value : least;
            }
            bits |= (fmix64(least) & 1) << bit;
        }
        out[group] = ((uint64_t)group << GROUP_BITS | bits) << (64 - GROUP_BITS - 3);
    }
}

/* Writes the keys of the tokens [first, stop), at least one. */
static void keys_of(const keys_t *keys, size_t first, size_t stop, uint64_t *out) {
    if (keys->code == PAPER_CODE) {
        paper_keys(keys, first, stop, out);
        return;
    }
    uint64_t least[WORD_KEYS];
    bool any = false;
    for (size_t k = 0; k < WORD_KEYS; k++) least[k] = UINT64_MAX;
    for (size_t i = first; i + UNIT_SHINGLE <= stop; i++) {
        if (keys->singles[i] && i + 2 * UNIT_SHINGLE > stop) continue;
        any = true;
        for (size_t k = 0; k < WORD_KEYS; k++) {
            const uint64_t value = keys->values[i] * keys->steps[k];
            least[k] = value < least[k] ? value : least[k];
        }
    }
    if (!any) { /* too short: one shingle */
        const size_t length = stop - first;
        const uint64_t value = fmix64(window_sum(keys->mixed + first, length, 1) + length * SHINGLE_LENGTH);
        for (size_t k = 0; k < WORD_KEYS; k++) least[k] = value * keys->steps[k];
    }
    for (size_t k = 0; k < WORD_KEYS; k++) out[k] = fmix64(least[k]);
}

static void keys_end(keys_t *keys) { free(keys->values), free(keys->mixed); }

typedef struct {
    result_t parts; /* of `text_ready` */
    text_t text;
    uint64_t *more;     /* of all tokens before each, columns beyond one a letter */
    uint32_t *sentence; /* of each token, the end of its sentence */
    keys_t keys;
    bool from_each;
    units_t *out;
    size_t room; /* units that `out` has memory for */
} work_t;

static bool is_han(uint32_t code) {
    return (code >= 0x3400 && code < 0xA000) || (code >= 0xF900 && code < 0xFB00) || (code >= 0x20000 && code < 0x40000);
}

static bool is_hangul(uint32_t code) { return code >= 0xAC00 && code < 0xD7A4; }

/* Returns the columns of a token beyond one a letter. */
static uint32_t more_columns(const text_t *text, size_t token) {
    const range_t bytes = text->bytes[token];
    uint32_t columns = 0;
    if (bytes.stop - bytes.start == text->stops[token] - text->starts[token]) return 0; /* ASCII */
    for (size_t at = bytes.start; at < bytes.stop; at += utf8_width(text->text[at])) {
        const uint32_t code = text->text[at] < 0xE0 ? 0 : utf8_code(text->text + at);
        columns += is_han(code) ? HAN_COLUMNS - 1 : is_hangul(code) ? HANGUL_COLUMNS - 1 : 0;
    }
    return columns;
}

/* Returns the columns of the tokens [first, stop), and of what stands between them. */
static int64_t width(const work_t *work, size_t first, size_t stop) {
    const text_t *text = &work->text;
    if (stop <= first) return 0;
    return (int64_t)text->stops[stop - 1] - text->starts[first] + (int64_t)(work->more[stop] - work->more[first]);
}

/* Returns where a unit ends inside the sentence [at, stop): before the last gap within HIGH columns, or where these end. */
static size_t cut(const work_t *work, size_t first, size_t at, size_t stop) {
    const text_t *text = &work->text;
    size_t last = at > first ? at : first + 1, gap = 0;
    for (size_t token = last; token < stop && width(work, first, token) <= HIGH; token++) {
        last = token;
        if (text->starts[token] > text->stops[token - 1] && width(work, first, token) >= LEAST) gap = token;
    }
    return gap ? gap : last;
}

/* Returns where the unit ends that begins at a token. `end` is the end of the paragraph. */
static size_t unit_stop(const work_t *work, size_t first, size_t end) {
    size_t stop = first;
    while (stop < end && width(work, first, stop) < LEAST) {
        const size_t next = work->sentence[stop];
        if (width(work, first, next) > MOST) {
            stop = cut(work, first, stop, next);
            break;
        }
        stop = next;
    }
    return width(work, stop, end) < SHORT ? end : stop;
}

static bool add_unit(work_t *work, size_t first, size_t stop) {
    units_t *out = work->out;
    if (out->n_units == work->room) {
        const size_t room = 2 * work->room + 16;
        piece_t *units = realloc(out->units, room * sizeof *units);
        if (!units) return false;
        out->units = units;
        uint64_t *keys = realloc(out->keys, room * out->n_keys * sizeof *keys);
        if (!keys) return false;
        out->keys = keys;
        work->room = room;
    }
    keys_of(&work->keys, first, stop, out->keys + out->n_units * out->n_keys);
    out->units[out->n_units++] = (piece_t){work->text.starts[first], work->text.stops[stop - 1]};
    return true;
}

/* Adds the units from a token on: up to the end of the paragraph, or if a unit begins at each sentence, up to the end of
 * a sentence. */
static bool add_units(work_t *work, size_t first, size_t end) {
    while (first < end && width(work, first, end) >= SHORT) {
        const size_t stop = unit_stop(work, first, end);
        if (!add_unit(work, first, stop)) return false;
        if (work->from_each && words_sentence_begins(&work->text, stop)) break;
        first = stop;
    }
    return true;
}

static bool find(work_t *work) {
    const text_t *text = &work->text;
    const size_t n = (size_t)text->n;
    for (size_t first = 0, end = 0, stop; first < n; first = stop) {
        const bool opens = first == end; /* a paragraph */
        stop = work->sentence[first];
        if (opens)
            do end = work->sentence[end];
            while (text->borders[end] != PARAGRAPH);
        work->out->sentences[work->out->n_sentences++] = (piece_t){text->starts[first], text->stops[stop - 1]};
        if ((opens || work->from_each) && !add_units(work, first, end)) return false;
    }
    return true;
}

static bool take_memory(work_t *work, int code) {
    const size_t n = (size_t)work->text.n;
    work->text.borders = malloc(n + 1);
    work->more = malloc((n + 1) * sizeof *work->more);
    work->sentence = malloc((n + 1) * sizeof *work->sentence);
    work->out->sentences = malloc((n + 1) * sizeof *work->out->sentences);
    return work->text.borders && work->more && work->sentence && work->out->sentences && keys_begin(&work->keys, &work->text, code);
}

/* Returns whether three bytes are a letter of Thai or Lao, U+0E00 to U+0EFF. */
static bool is_thai(const uint8_t *at) { return at[0] == 0xE0 && at[1] >= 0xB8 && at[1] <= 0xBB; }

/* Returns whether a letter has blanks around it inside a sentence: U+0E46 and U+0EC6 repeat a word, U+0E2F and U+0EAF
 * leave a part of it out. */
static bool goes_on(const uint8_t *at) { return at[2] == (at[1] & 1 ? 0x86 : 0xAF); }

/* Returns whether nothing but blanks stands between a token and the one before, and letters of Thai or Lao beside. */
static bool is_clause(const text_t *text, size_t token) {
    const uint32_t stop = text->bytes[token - 1].stop, start = text->bytes[token].start;
    if (start <= stop || stop < 3 || start + 3 > text->text_size) return false;
    const uint8_t *before = text->text + stop - 3, *here = text->text + start;
    if (!is_thai(here) || !is_thai(before) || goes_on(before) || goes_on(here)) return false;
    for (uint32_t at = stop; at < start; at++)
        if (text->text[at] != ' ' && text->text[at] != '\t') return false;
    return true;
}

static void end_clauses(const text_t *text) {
    for (int64_t token = 1; token < text->n; token++)
        if (text->borders[token] == PLAIN && is_clause(text, (size_t)token)) text->borders[token] = SENTENCE;
}

/* Finds the columns and the sentence of each token. */
static void measure(const work_t *work) {
    const size_t n = (size_t)work->text.n;
    work->more[0] = 0;
    for (size_t token = 0; token < n; token++) work->more[token + 1] = work->more[token] + more_columns(&work->text, token);
    for (size_t token = n; token--;)
        work->sentence[token] = words_sentence_begins(&work->text, token + 1) ? (uint32_t)token + 1 : work->sentence[token + 1];
}

int units_find(const table_t *table, const uint8_t *utf8, size_t size, int code, bool from_each, units_t *found) {
    work_t work = {.from_each = from_each, .out = found};
    int status = text_ready(table, utf8, size, &work.parts);
    *found = (units_t){.n_keys = code == PAPER_CODE ? PAPER_KEYS : WORD_KEYS};
    if (status != TEXT_OK) return status;
    work.text = words_text(utf8, size, &work.parts);
    work.keys.hashes = work.parts.parts[READY_HASHES];
    found->n_chars = work.parts.n_chars;
    bool done = take_memory(&work, code);
    if (done) {
        words_borders(&work.text);
        end_clauses(&work.text);
        measure(&work);
        done = find(&work);
    }
    if (!done) units_free(found);
    free(work.text.borders), free(work.more), free(work.sentence);
    keys_end(&work.keys);
    result_free(&work.parts);
    return done ? TEXT_OK : TEXT_NO_MEMORY;
}

void units_free(units_t *found) {
    free(found->sentences), free(found->units), free(found->keys);
    *found = (units_t){.n_units = 0};
}
