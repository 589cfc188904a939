/* Lists of hashes, each of one article, and when two of them are alike: docs/resultsets.md.
 *
 *     hashes   4 9 17 30 | 4 17 | 9 30 31     bounds   0 4 6 9     limits   30  2^32-1  2^32-1
 *
 * A list is ascending and distinct. It knows the hashes of its article up to its limit: a trimmed list up to its last
 * hash, a whole list up to 2^32 - 1. Two lists are compared up to the smaller of their limits. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../arithmetic.h"
#include "../compiler.h"

enum { LISTS_NO_MEMORY = -1, LISTS_REFUSED = -2, MOST_LIST_HASHES = UINT16_MAX };

typedef struct {
    const uint32_t *hashes, *limits;
    const int64_t *bounds;
    size_t n, n_hashes;
} lists_t;

/* How many hashes two lists must share: a share of both together, or of the smaller one. */
typedef struct {
    double share;
    bool of_smaller;
} likeness_t;

/* Two lists, the hashes they share, and the hashes of each up to the smaller limit. */
typedef struct {
    int32_t first, second, n_shared, n_first, n_second;
} alike_t;

/* Returns the number of hashes that lists of n_a and n_b hashes must share. One equal hash may be chance, unless it is all
 * that both lists have. */
INLINE int64_t needed(likeness_t likeness, size_t n_a, size_t n_b) {
    const double of = (double)(likeness.of_smaller ? smaller(n_a, n_b) : n_a + n_b);
    const double wanted = likeness.share * of - 1e-9; /* a share that is a whole number is not rounded up by a wrong last bit */
    const int64_t below = (int64_t)wanted, share = below + (wanted > (double)below), least = n_a > 1 || n_b > 1 ? 2 : 1;
    return share > least ? share : least;
}

/* Returns the number of hashes up to a limit. */
INLINE size_t n_up_to(const uint32_t *hashes, size_t n, uint32_t limit) {
    if (!n || hashes[n - 1] <= limit) return n;
    const uint32_t *base = hashes;
    while (n > 1) {
        size_t half = n / 2;
        base += (base[half - 1] <= limit) * half;
        n -= half;
    }
    return (size_t)(base - hashes) + (*base <= limit);
}

/* Copies n hashes but those among `without`, which ascends. Returns the number of copied hashes. */
INLINE size_t lists_copy(const uint32_t *from, size_t n, const uint32_t *without, size_t n_without, uint32_t *to) {
    if (!n_without) return memcpy(to, from, n * sizeof *to), n;
    size_t n_copied = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t below = n_up_to(without, n_without, from[i]);
        to[n_copied] = from[i];
        n_copied += !below || without[below - 1] != from[i];
    }
    return n_copied;
}

/* Finds the pairs of lists that are alike, by first list, then by second. Returns their number, LISTS_NO_MEMORY, or
 * LISTS_REFUSED if a list does not ascend or has more than MOST_LIST_HASHES hashes. The caller frees `*found`. */
int64_t lists_alike(const lists_t *lists, likeness_t likeness, alike_t **found);

/* Writes for each of n lists the list that is shown for it. `order` has all lists, those that are rather shown first; in
 * the order of `order` a list is shown unless it is alike to a shown list. If `connected`, then the first of all lists that
 * pairs connect is shown. Returns false if out of memory. */
bool lists_shown(const alike_t *pairs, size_t n_pairs, const int64_t *order, size_t n, bool connected, int64_t *shown);
