/* The preparation of one text for the comparison of equal runs: the names of its runs, and its spelling. */

#include "runs.h"
#include "words.h"

#include "../text/text.h"

#define BASE_INVERSE 0xF1DE83E19937733Du

void runs_name(const uint64_t *hashes, int64_t n, uint64_t *sums, uint64_t *back) {
    uint64_t power = 1, inverse = 1, sum = 0;
    for (int64_t at = 0; at < n; at++) {
        sums[at] = sum;
        back[at] = inverse;
        sum += hashes[at] * power;
        power *= RUN_BASE;
        inverse *= BASE_INVERSE;
    }
    sums[n] = sum;
}

/* As `words_spell`, byte by byte: for texts with tokens that share a code point. */
static int64_t spell_bytes(const text_t *text, uint8_t *spelling, int64_t *offsets) {
    const uint8_t *at = text->folded, *end = at + text->folded_size;
    uint8_t *to = spelling;
    int64_t token = 0, n_kept = 0; /* number of the next token */
    bool after_space = false;
    while (at < end) {
        while (token < text->n && at - text->folded >= text->letters[token].start) offsets[token++] = n_kept;
        bool is_space = *at == ' ', between = token && token < text->n;
        if (is_space && (after_space || !between || text->singles[token - 1] || text->singles[token])) {
            at++;
        } else {
            do *to++ = *at++;
            while (at < end && (*at & 0xC0) == 0x80);
            n_kept++;
        }
        after_space = is_space;
    }
    while (token <= text->n) offsets[token++] = n_kept;
    return to - spelling;
}

/* Returns how many of the first n of eight bytes, at most all, begin a code point. */
static int64_t n_begun(uint64_t bytes, int64_t n) {
    uint64_t ones = 0x0101010101010101u, tails = bytes >> 7 & ~bytes >> 6 & ones;
    if (n < 8) tails &= ((uint64_t)1 << 8 * n) - 1;
    return least(n, 8) - (int64_t)(tails * ones >> 56);
}

/* Copies n letters, eight bytes at once if there is room. Returns how many code points they are. */
static int64_t copy_letters(uint8_t *to, const uint8_t *from, int64_t n, const uint8_t *end) {
    int64_t n_kept = 0, at = 0;
    for (; at < n && end - from - at >= 8; at += 8) {
        uint64_t bytes = load64(from + at);
        memcpy(to + at, &bytes, 8);
        n_kept += n_begun(bytes, n - at);
    }
    for (; at < n; at++) {
        to[at] = from[at];
        n_kept += (from[at] & 0xC0) != 0x80;
    }
    return n_kept;
}

int64_t words_spell(const text_t *text, uint8_t *spelling, int64_t *offsets) {
    const uint8_t *end = text->folded + text->folded_size;
    uint8_t *to = spelling;
    int64_t n_kept = 0, at = 0;
    for (int64_t token = 0; token < text->n; token++) {
        range_t letters = text->letters[token];
        if (letters.start < at) return spell_bytes(text, spelling, offsets);
        if (token && letters.start > at && !text->singles[token - 1] && !text->singles[token]) {
            *to++ = ' ';
            n_kept++;
        }
        offsets[token] = n_kept;
        int64_t n = (int64_t)letters.stop - letters.start;
        n_kept += copy_letters(to, text->folded + letters.start, n, end); /* never behind the folded letters */
        to += n;
        at = letters.stop;
    }
    offsets[text->n] = n_kept;
    return to - spelling;
}
