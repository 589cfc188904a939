#include "keys.h"

#include "../text/shingles.h"
#include "units.h"

bool keys_begin(keys_t *keys, const text_t *text, int code) {
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

void keys_of(const keys_t *keys, size_t first, size_t stop, uint64_t *out) {
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

void keys_end(keys_t *keys) { free(keys->values), free(keys->mixed); }
