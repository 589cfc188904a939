/* Which documents share how many features: inverted_layout.py draws the arrays. Python has checked their lengths; the
 * functions check what they read of them, since an index may come from a file or from another process.
 *
 * An exported function returns a count, or PMBF_NO_MEMORY, or PMBF_REFUSED for numbers that are not in order. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../arithmetic.h"
#include "../bits/bits.h"
#include "../compiler.h"

#define PMBF_UNSORTED (-3) /* the features of a list do not ascend */

typedef struct {
    const uint64_t *offsets; /* n + 1 */
    const uint32_t *features;
    uint64_t n;
} lists_t;

typedef struct {
    const uint32_t *features, *starts, *documents, *directory;
    uint64_t n_features, n_postings, n_slots, shift, n_documents;
} inverted_t;

/* Which counts are told. */
typedef struct {
    uint64_t min_shared;
    double threshold; /* of the Jaccard index; 0: none */
    const uint32_t *list_sizes, *sizes;
} telling_t;

/* Documents and counts of one list after another. The arrays grow; Python frees them. */
typedef struct {
    uint32_t *documents, *counts;
    uint64_t n, room;
    uint64_t *offsets; /* of n_lists + 1 */
} pairs_t;

/* The postings of a feature. */
typedef struct {
    uint32_t start, stop;
} run_t;

/* invert.c: Inverts lists: the features that at least `least` of them have, 1 or more. `numbers` are those of their
 * documents, or NULL. All arrays have room for all postings, `starts` for one more. Returns the number of features,
 * PMBF_NO_MEMORY or PMBF_UNSORTED. */
int64_t pmbf_invert(const lists_t *lists, const uint32_t *numbers, size_t least, uint32_t *features, uint32_t *starts,
                    uint32_t *documents);

/* lookup.c: Finds the postings of each feature; a feature that no document has gets an empty run. Returns how many
 * postings there are in all, or PMBF_REFUSED for a damaged index. */
int64_t find_runs(const inverted_t *inverted, const uint32_t *features, size_t n, run_t *runs);

/* Returns whether features are distinct and ascending. */
INLINE bool ascends(const uint32_t *features, size_t n) {
    bool falls = false;
    for (size_t i = 1; i < n; i++) falls |= features[i - 1] >= features[i];
    return !falls;
}

INLINE size_t longest_list(const lists_t *lists) {
    size_t longest = 0;
    for (size_t i = 0; i < lists->n; i++) {
        size_t size = lists->offsets[i + 1] - lists->offsets[i];
        longest = size > longest ? size : longest;
    }
    return longest;
}
