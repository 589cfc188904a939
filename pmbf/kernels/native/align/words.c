/* The words of a text as alignment sees them: a key for each word, equal for all forms of it, and the border before it.
 *
 *  * The key of a word is made of its first KEY_LETTERS folded letters, or NUMBER_LETTERS if a digit is among them. The
 * key of a letter that is a token is made of that letter and the next ones. */

#include "align.h"
#include "../text/utf8.h"

enum { KEY_LETTERS = 5, NUMBER_LETTERS = 12, LEAST_SLIPPED = 6 };
#define LETTER_STEP 0x9E3779B97F4A7C15u
#define TOKEN_STEP 0xC2B2AE3D27D4EB4Fu
#define SYLLABIC 0x2E80u /* first of Han and Kana, two letters of which make a word; of letters below it three do */

/* Arguments of pmbf_align_words, with `_Text` of native_align.py. */
typedef struct {
    const uint8_t *text, *folded;
    int64_t text_size, folded_size, n_folded, n;
    const uint32_t *origin, *starts, *stops;
    const uint8_t *singles;
    uint64_t *keys;
    int32_t *types;
    uint8_t *borders;
    uint64_t *slips;   /* N_SLIPS for each type; 0 for none */
    uint32_t *letters; /* for each token, the byte where its folded letters begin */
    uint32_t *firsts;  /* for each type, the first token that has it */
} text_t;

static uint32_t next_code(const uint8_t **at) {
    const uint8_t *byte = *at;
    size_t width = utf8_width(*byte);
    *at += width;
    if (width == 1) return *byte;
    uint32_t code = *byte & (0x7Fu >> width);
    for (size_t i = 1; i < width; i++) code = code << 6 | (byte[i] & 0x3Fu);
    return code;
}

/* Writes a key for each token by its first letters, and to `types` how many letters make a word there. */
static void letter_keys(const text_t *text) {
    const uint8_t *folded = text->folded;
    int64_t place = 0;
    for (int64_t token = 0; token < text->n; token++) {
        while (place < text->n_folded && text->origin[place] < text->starts[token]) {
            folded += utf8_width(*folded);
            place++;
        }
        const uint8_t *letter = folded;
        text->letters[token] = (uint32_t)(folded - text->folded);
        uint64_t key = 0;
        uint32_t first = 0;
        bool number = false; /* 190415 and 190416 are different words */
        for (int64_t i = 0; i < (number ? NUMBER_LETTERS : KEY_LETTERS) && place + i < text->n_folded; i++) {
            if (*letter == ' ' || text->origin[place + i] >= text->stops[token]) break;
            uint32_t code = next_code(&letter);
            if (!i) first = code;
            number |= code >= '0' && code <= '9';
            key = (key + code) * LETTER_STEP;
        }
        text->keys[token] = key;
        text->types[token] = first < SYLLABIC ? 3 : 2;
    }
}

/* Joins the keys of single letters to those of the next, and mixes the bits of all keys. */
static void token_keys(const text_t *text) {
    for (int64_t token = 0; token < text->n; token++) {
        uint64_t key = text->keys[token];
        int32_t n = text->singles[token] ? text->types[token] : 1;
        for (int64_t next = token + 1; next < token + n && next < text->n && text->singles[next]; next++)
            key = key * TOKEN_STEP + text->keys[next];
        text->keys[token] = fmix64(key);
    }
}

static bool is_space(uint32_t code) {
    return (code >= 9 && code <= 13) || code == ' ' || code == 0x85 || code == 0xA0 || code == 0x1680 ||
           (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F ||
           code == 0x3000;
}

/* Returns whether a mark ends a sentence if white space follows. Full-width marks need no white space. */
static bool is_end(uint32_t code) {
    return code == '.' || code == '!' || code == '?' || code == 0x589 || code == 0x61F || code == 0x6D4 || code == 0x964 ||
           code == 0x104B || code == 0x17D4 || code == 0x2026 || code == 0x3002 || code == 0xFF01 || code == 0xFF1F;
}

typedef struct {
    int64_t lines;
    bool space, end, wide_end;
} gap_t;

static uint8_t border(const gap_t *gap) {
    bool sentence = gap->end && (gap->space || gap->wide_end);
    if (gap->lines > 1) return PARAGRAPH;
    if (gap->lines) return sentence ? SENTENCE_AND_LINE : LINE;
    return sentence ? SENTENCE : PLAIN;
}

/* Returns the gap between two tokens, or before the first: from `*at` on up to code point `stop`. */
static gap_t gap_before(const uint8_t **at, uint32_t place, uint32_t stop) {
    gap_t gap = {0, false, false, false};
    for (; place < stop; place++) {
        uint32_t code = next_code(at);
        gap.space |= is_space(code);
        gap.lines += code == '\n';
        bool end = is_end(code);
        gap.end |= end;
        gap.wide_end |= end && code > 0x3000;
    }
    return gap;
}

static void find_borders(const text_t *text) {
    const uint8_t *at = text->text;
    uint32_t place = 0;
    for (int64_t token = 0; token < text->n; token++) {
        gap_t gap = gap_before(&at, place, text->starts[token]);
        if (place < text->starts[token]) place = text->starts[token];
        text->borders[token] = border(&gap);
        for (; place < text->stops[token]; place++) at += utf8_width(*at);
    }
    text->borders[0] = text->borders[text->n] = PARAGRAPH;
}

/* Numbers the distinct keys, ascending, and moves them to the front. Returns their number, or ALIGN_NO_MEMORY. */
static int64_t number_keys(const text_t *text) {
    size_t n = (size_t)text->n, n_slots = 16, n_types = 0;
    while (n_slots < 2 * n) n_slots *= 2;
    int32_t *slots = malloc(n_slots * sizeof *slots), *ranks = malloc((n + 1) * sizeof *ranks);
    uint32_t *order = malloc((n + 1) * sizeof *order);
    named_t *names = malloc((2 * n + 1) * sizeof *names);
    bool done = slots && ranks && names && order;
    if (done) memset(slots, -1, n_slots * sizeof *slots);
    for (size_t token = 0; done && token < n; token++) {
        uint64_t key = text->keys[token];
        size_t slot = key & (n_slots - 1);
        while (slots[slot] >= 0 && names[slots[slot]].name != key) slot = (slot + 1) & (n_slots - 1);
        if (slots[slot] < 0) {
            names[n_types] = (named_t){key, (int64_t)n_types};
            slots[slot] = (int32_t)n_types;
            order[n_types++] = (uint32_t)token;
        }
        text->types[token] = slots[slot];
    }
    if (done) names_sort(names, (int64_t)n_types);
    for (size_t type = 0; done && type < n_types; type++) {
        ranks[names[type].place] = (int32_t)type;
        text->keys[type] = names[type].name;
        text->firsts[type] = order[names[type].place];
    }
    for (size_t token = 0; done && token < n; token++) text->types[token] = ranks[text->types[token]];
    free(slots);
    free(ranks);
    free(order);
    free(names);
    return done ? (int64_t)n_types : ALIGN_NO_MEMORY;
}

/* Writes the slips of a type: its first letters with one left out, each in turn. Short words and words with digits have
 * none. */
static void type_slips(const text_t *text, int64_t token, uint64_t *slips) {
    const uint8_t *at = text->folded + text->letters[token], *end = text->folded + text->folded_size;
    uint32_t codes[N_SLIPS];
    int n = 0;
    while (n < N_SLIPS && at < end && *at != ' ' && !(*at >= '0' && *at <= '9')) codes[n++] = next_code(&at);
    memset(slips, 0, N_SLIPS * sizeof *slips);
    if (n < LEAST_SLIPPED || text->singles[token] || (n < N_SLIPS && at < end && *at >= '0' && *at <= '9')) return;
    uint64_t powers[N_SLIPS + 1], behind[N_SLIPS + 1], before = 0; /* powers of LETTER_STEP; sums of letters */
    powers[n] = 1;
    behind[n] = 0;
    for (int i = n - 1; i >= 0; i--) {
        powers[i] = powers[i + 1] * LETTER_STEP;
        behind[i] = behind[i + 1] + codes[i] * powers[i];
    }
    for (int left_out = 0; left_out < n; left_out++) {
        slips[left_out] = fmix64(before + behind[left_out + 1]);
        before += codes[left_out] * powers[left_out + 1];
    }
}

/* Writes the distinct keys, ascending, to `keys`, the place of each word's key to `types`, and the borders and slips.
 * Returns the number of distinct keys, which are the types, or ALIGN_NO_MEMORY. */
EXPORT int64_t pmbf_align_words(const text_t *text) {
    letter_keys(text);
    token_keys(text);
    find_borders(text);
    int64_t n_types = number_keys(text);
    for (int64_t type = 0; type < n_types; type++) type_slips(text, text->firsts[type], text->slips + type * N_SLIPS);
    return n_types;
}
