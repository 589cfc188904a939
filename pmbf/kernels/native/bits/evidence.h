/* What the hits of a query are worth. */

#ifndef PMBF_BITS_EVIDENCE_H
#define PMBF_BITS_EVIDENCE_H

#include "bits.h"

/* What a query's hashes weigh, and when hits of them overlap. */
typedef struct {
    const int32_t *weights;
    const uint32_t *tokens;
    const int64_t *owed; /* by place: what a stretch from the first place to that one costs, were nothing hit */
    size_t n;
    int64_t length, window, missed;
} weighing_t;

/* Writes the evidence of each of n lists of places, places[bounds[i] … bounds[i + 1]); `owed` is made here. Returns 0,
 * PMBF_NO_MEMORY, or PMBF_REFUSED when bounds do not ascend to the number of places, a place is none of the query's, or the
 * query is not in order. */
int64_t evidence_of_lists(const int64_t *bounds, size_t n, const uint32_t *places, size_t n_places, weighing_t by,
                          int64_t *out);

/* Writes the rows whose hits weigh `least`, at least 1, within a window, less what is missed, ascending; returns how many,
 * or PMBF_NO_MEMORY, or PMBF_REFUSED when the query is not in order. There are `width` words of hits for each hash. */
int64_t rows_with_evidence(const uint64_t *hits, size_t width, weighing_t by, int64_t least, int64_t *out);

#endif
