/* Ascending keys, digit by digit, the lowest digit first: a radix sort, in which keys with an equal digit keep their
 * order. Keys of postings come document by document: their lower halves ascend, so three passes are enough. */

#include <stdbool.h>
#include <stdlib.h>

#include "postings.h"

enum { DIGITS = 6, MOST_VALUES = 1 << 11 };

/* Where each digit of a key begins, and its bits: three digits for each half. */
static const unsigned begins[DIGITS] = {0, 11, 22, 32, 43, 54}, widths[DIGITS] = {11, 11, 10, 11, 11, 10};

INLINE size_t digit_of(uint64_t key, unsigned digit) { return key >> begins[digit] & ((1u << widths[digit]) - 1); }

/* Counts how many keys have each value at a digit. */
static void count(const uint64_t *keys, size_t n, unsigned digit, size_t *counts) {
    memset(counts, 0, MOST_VALUES * sizeof *counts);
    for (size_t i = 0; i < n; i++) counts[digit_of(keys[i], digit)]++;
}

/* Copies the keys in the order of a digit. */
static void distribute(const uint64_t *keys, size_t n, unsigned digit, size_t *counts, uint64_t *out) {
    for (size_t value = 0, before = 0; value < MOST_VALUES; value++) {
        size_t here = counts[value];
        counts[value] = before;
        before += here;
    }
    for (size_t i = 0; i < n; i++) out[counts[digit_of(keys[i], digit)]++] = keys[i];
}

/* Returns the first digit by which the keys are not in order. */
static unsigned first_digit(const uint64_t *keys, size_t n) {
    bool low_ascend = true;
    for (size_t i = 1; i < n; i++) low_ascend &= (uint32_t)keys[i - 1] <= (uint32_t)keys[i];
    return low_ascend ? DIGITS / 2 : 0;
}

/* Sorts the keys in place. Returns 0 or PMBF_NO_MEMORY. */
EXPORT int64_t pmbf_sort_keys(uint64_t *keys, size_t n) {
    size_t counts[MOST_VALUES];
    uint64_t *from = keys, *into = malloc((n + 1) * sizeof *keys), *room = into;
    if (!room) return PMBF_NO_MEMORY;
    for (unsigned digit = first_digit(keys, n); digit < DIGITS && n; digit++) {
        count(from, n, digit, counts);
        if (counts[digit_of(*from, digit)] == n) continue;
        distribute(from, n, digit, counts, into);
        uint64_t *swapped = from;
        from = into;
        into = swapped;
    }
    if (from != keys) memcpy(keys, from, n * sizeof *keys);
    free(room);
    return 0;
}
