/* The preparation of one text for the comparison of equal runs: the names of its runs, and its spelling. */

#include "align.h"

#define BASE 0x9E3779B97F4A7C15u
#define BASE_INVERSE 0xF1DE83E19937733Du

/* Writes prefix sums of n token hashes, each times a power, and the inverse powers: `Runs` of align_rules.py. */
EXPORT void pmbf_align_runs_of(const uint64_t *hashes, int64_t n, uint64_t *sums, uint64_t *back) {
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

/* Arguments of pmbf_align_spell, with `_Folded` of native_align.py. */
typedef struct {
    const uint8_t *folded;
    int64_t size, n;
    const uint32_t *origin, *starts;
    const uint8_t *singles;
    uint8_t *spelling;
    int64_t *offsets;
} folded_t;

/* Copies the folded text with one separator between two words and no other. Writes where each token begins in the copy
 * and where the last ends, in code points. Returns the bytes written. */
EXPORT int64_t pmbf_align_spell(const folded_t *text) {
    const uint8_t *at = text->folded, *end = at + text->size;
    uint8_t *to = text->spelling;
    int64_t token = 0, n_kept = 0; /* number of the next token */
    bool after_space = false;
    for (int64_t place = 0; at < end; place++) {
        while (token < text->n && text->origin[place] >= text->starts[token]) text->offsets[token++] = n_kept;
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
    while (token <= text->n) text->offsets[token++] = n_kept;
    return to - text->spelling;
}
