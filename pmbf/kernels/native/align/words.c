/* The words of a text as alignment sees them: a key for each word, equal for all forms of it, and the border before it.
 *
 *  * The key of a word is made of its first KEY_LETTERS folded letters, or NUMBER_LETTERS if a digit is among them. The
 * key of a letter that is a token is made of that letter and the next ones. */

#include "words.h"

#include "../text/utf8.h"

enum { KEY_LETTERS = 5, NUMBER_LETTERS = 12, LEAST_SLIPPED = 6 };
#define LETTER_STEP 0x9E3779B97F4A7C15u
#define TOKEN_STEP 0xC2B2AE3D27D4EB4Fu
#define SYLLABIC 0x2E80u /* first of Han and Kana, two letters of which make a word; of letters below it three do */

static uint32_t next_code(const uint8_t **at) {
    const uint8_t *byte = *at;
    size_t width = utf8_width(*byte);
    *at += width;
    if (width == 1) return *byte;
    uint32_t code = *byte & (0x7Fu >> width);
    for (size_t i = 1; i < width; i++) code = code << 6 | (byte[i] & 0x3Fu);
    return code;
}

/* Powers of LETTER_STEP and of its inverse modulo 2^64. */
#define STEP_2 (LETTER_STEP * LETTER_STEP)
#define STEP_3 (STEP_2 * LETTER_STEP)
#define INVERSE 0xF1DE83E19937733Du
static const uint64_t powers[N_SLIPS + 1] = {
    1, LETTER_STEP, STEP_2, STEP_3, STEP_2 *STEP_2, STEP_3 *STEP_2, STEP_3 *STEP_3, STEP_3 *STEP_3 *LETTER_STEP};
static const uint64_t inverses[KEY_LETTERS + 1] = {
    INVERSE *INVERSE *INVERSE *INVERSE *INVERSE, INVERSE *INVERSE *INVERSE *INVERSE, INVERSE *INVERSE *INVERSE, INVERSE *INVERSE, INVERSE, 1};

#define BYTES(byte) (0x0101010101010101u * (byte))

/* Returns the key of a token whose first letters are from a to z, or 0 if it is not so simple; most are. Letter i of n
 * counts LETTER_STEP^(n - i). The sum is that of five letters, of which the missing ones are 0, times an inverse power:
 * no branch depends on the length, which no processor predicts. */
static uint64_t simple_key(const text_t *text, range_t letters) {
    int64_t all = (int64_t)letters.stop - letters.start, n = all < KEY_LETTERS ? all : KEY_LETTERS;
    if (letters.start + 8 > text->folded_size || n < 1) return 0;
    uint64_t inside = ((uint64_t)1 << 8 * n) - 1, word = load64(text->folded + letters.start) & inside;
    uint64_t filled = word | (BYTES('a') & ~inside), low = filled + BYTES(0x80 - 'a'), high = filled + BYTES(0x7F - 'z');
    if ((filled | ~low | high) & BYTES(0x80)) return 0;
    uint64_t sum = (word & 0xFF) * (STEP_3 * STEP_2) + (word >> 8 & 0xFF) * (STEP_2 * STEP_2) + (word >> 16 & 0xFF) * STEP_3 +
                   (word >> 24 & 0xFF) * STEP_2 + (word >> 32) * LETTER_STEP;
    return sum * inverses[n];
}

/* Returns the key of a token's first letters, and the first of them. */
static uint64_t letter_key(const text_t *text, range_t letters, uint32_t *first) {
    const uint8_t *letter = text->folded + letters.start, *end = text->folded + letters.stop;
    uint64_t key = 0;
    bool number = false; /* 190415 and 190416 are different words */
    *first = 0;
    for (int i = 0; i < (number ? NUMBER_LETTERS : KEY_LETTERS) && letter < end && *letter != ' '; i++) {
        uint32_t code = next_code(&letter);
        if (!i) *first = code;
        number |= code >= '0' && code <= '9';
        key = (key + code) * LETTER_STEP;
    }
    return key;
}

/* Writes a key for each token by its first letters, and to `types` how many letters make a word there. */
static void letter_keys(const text_t *text) {
    for (int64_t token = 0; token < text->n; token++) {
        uint32_t first = 'a';
        uint64_t key = simple_key(text, text->letters[token]);
        text->keys[token] = key ? key : letter_key(text, text->letters[token], &first);
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

static gap_t gap_of(const uint8_t *at, const uint8_t *stop) {
    gap_t gap = {0, false, false, false};
    while (at < stop) {
        uint32_t code = next_code(&at);
        gap.space |= is_space(code);
        gap.lines += code == '\n';
        bool end = is_end(code);
        gap.end |= end;
        gap.wide_end |= end && code > 0x3000;
    }
    return gap;
}

/* Returns the bytes that equal `byte`, by their highest bits. All bytes are ASCII. */
static uint64_t equal_bytes(uint64_t bytes, uint8_t byte) { return ~((bytes ^ BYTES(byte)) + BYTES(0x7F)) & BYTES(0x80); }

/* The same for eight bytes of ASCII at once. Bytes that are not in the gap are 1, which is no space and no mark. */
static gap_t gap_of_ascii(uint64_t bytes) {
    uint64_t blanks = (bytes + BYTES(0x80 - '\t')) & ~(bytes + BYTES(0x7F - '\r')) & BYTES(0x80), lines = equal_bytes(bytes, '\n');
    uint64_t ends = equal_bytes(bytes, '.') | equal_bytes(bytes, '!') | equal_bytes(bytes, '?');
    return (gap_t){lines ? 1 + !!(lines & (lines - 1)) : 0, blanks || equal_bytes(bytes, ' '), ends != 0, false};
}

void words_borders(const text_t *text) {
    uint32_t start = 0;
    for (int64_t token = 0; token < text->n; token++) {
        uint32_t stop = text->bytes[token].start, n = stop > start ? stop - start : 0;
        if (n == 1 && text->text[start] == ' ') { /* most gaps */
            text->borders[token] = PLAIN;
            start = text->bytes[token].stop;
            continue;
        }
        uint64_t bytes = (int64_t)start + 8 <= text->text_size && n <= 8 ? load64(text->text + start) : ~(uint64_t)0;
        uint64_t outside = n < 8 ? ~(uint64_t)0 << 8 * n : 0;
        bytes = (bytes & ~outside) | (BYTES(1) & outside);
        gap_t gap = bytes & BYTES(0x80) ? gap_of(text->text + start, text->text + start + n) : gap_of_ascii(bytes);
        text->borders[token] = border(&gap);
        if (text->bytes[token].stop > start) start = text->bytes[token].stop;
    }
    text->borders[0] = text->borders[text->n] = PARAGRAPH;
}

/* Numbers the distinct keys of the tokens in the order of the text, and moves them to the front. Returns their number,
 * or ALIGN_NO_MEMORY. */
static int64_t number_keys(const text_t *text) {
    size_t n = (size_t)text->n, n_slots = 16, n_types = 0;
    while (n_slots < 2 * n) n_slots *= 2;
    int32_t *slots = malloc(n_slots * sizeof *slots);
    if (!slots) return ALIGN_NO_MEMORY;
    memset(slots, -1, n_slots * sizeof *slots);
    for (size_t token = 0; token < n; token++) {
        uint64_t key = text->keys[token];
        size_t slot = key & (n_slots - 1);
        while (slots[slot] >= 0 && text->keys[slots[slot]] != key) slot = (slot + 1) & (n_slots - 1);
        if (slots[slot] < 0) {
            slots[slot] = (int32_t)n_types;
            text->keys[n_types] = key; /* never behind the token's own */
            text->firsts[n_types++] = (uint32_t)token;
        }
        text->types[token] = slots[slot];
    }
    free(slots);
    return (int64_t)n_types;
}

bool words_letters(const text_t *text, int64_t type, uint32_t *codes) {
    int64_t token = text->firsts[type];
    const uint8_t *at = text->folded + text->letters[token].start, *end = text->folded + text->folded_size;
    int n = 0;
    while (n < N_SLIPS && at < end && *at != ' ' && !(*at >= '0' && *at <= '9')) codes[n++] = next_code(&at);
    if (n < LEAST_SLIPPED || text->singles[token]) return false;
    if (n == N_SLIPS) return true;
    codes[n] = 0;
    return !(at < end && *at >= '0' && *at <= '9');
}

void words_slips(const uint32_t *codes, uint64_t *slips) {
    int n = codes[LEAST_SLIPPED] ? N_SLIPS : LEAST_SLIPPED;
    uint64_t behind[N_SLIPS + 1], before = 0; /* sums of letters */
    behind[n] = slips[N_SLIPS - 1] = 0;
    for (int i = n - 1; i >= 0; i--) behind[i] = behind[i + 1] + codes[i] * powers[n - i];
    for (int left_out = 0; left_out < n; left_out++) {
        slips[left_out] = fmix64(before + behind[left_out + 1]);
        before += codes[left_out] * powers[n - left_out - 1];
    }
}

int64_t words_find(const text_t *text) {
    letter_keys(text);
    token_keys(text);
    words_borders(text);
    return number_keys(text);
}

