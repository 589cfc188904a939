/* The preparation of one text for the comparison of equal runs: the names of its runs, and its spelling. */

#include "runs.h"
#include "words.h"

#define BASE 0x9E3779B97F4A7C15u
#define BASE_INVERSE 0xF1DE83E19937733Du

void runs_name(const uint64_t *hashes, int64_t n, uint64_t *sums, uint64_t *back) {
    uint64_t power = 1, inverse = 1, sum = 0;
    for (int64_t at = 0; at < n; at++) {
        sums[at] = sum;
        back[at] = inverse;
        sum += hashes[at] * power;
        power *= BASE;
        inverse *= BASE_INVERSE;
    }
    sums[n] = sum;
}

/* Arguments are those of `runs_name`. */
EXPORT void pmbf_align_runs_of(const uint64_t *hashes, int64_t n, uint64_t *sums, uint64_t *back) {
    runs_name(hashes, n, sums, back);
}

int64_t words_spell(const text_t *text, uint8_t *spelling, int64_t *offsets) {
    const uint8_t *at = text->folded, *end = at + text->folded_size;
    uint8_t *to = spelling;
    int64_t token = 0, n_kept = 0; /* number of the next token */
    bool after_space = false;
    while (at < end) {
        while (token < text->n && at - text->folded >= text->letters[token].start) offsets[token++] = n_kept;
        if (*at > ' ' && *at < 0x80) { /* most letters */
            *to++ = *at++;
            n_kept++;
            after_space = false;
            continue;
        }
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
