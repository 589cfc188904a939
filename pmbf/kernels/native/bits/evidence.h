/* The evidence of a query's hits. */

#pragma once

#include "bits.h"

/* The weights of a query's hashes, and where their shingles begin, which says when hits overlap. */
typedef struct {
    const int32_t *weights;
    const uint32_t *tokens;
    size_t n;
    int64_t length, window;
} weighing_t;

/* The evidence of hits: the greatest within a window of places, and the first and the last place there, 0 and 0 for no
 * evidence. */
typedef struct {
    int64_t evidence;
    uint32_t first, last;
} most_t;

/* Writes the evidence of each of n lists of places. List i is places[bounds[i] … bounds[i + 1]).
 * Returns 0 or PMBF_REFUSED: the bounds do not ascend to the number of places, a place is outside the query, or the
 * query is not in order. */
int64_t evidence_of_lists(const int64_t *bounds, size_t n, const uint32_t *places, size_t n_places, weighing_t by,
                          most_t *out);
