/* The smallest distinct hashes of a segment: docs/text.md, section 4. */

#ifndef PMBF_TEXT_SELECT_H
#define PMBF_TEXT_SELECT_H

#include "text.h"

/* Room that is kept from segment to segment; all zero at first. */
typedef struct {
    uint64_t *keys, *sorted;
    uint32_t *counts;
    size_t capacity;
} select_t;

/* Leaves the `quota` smallest distinct of `hashes[0..n)` in `select->sorted`, ascending, each hash << 32 | the index
 * where it first stands. Returns how many, or -1 when out of memory. */
ptrdiff_t select_smallest(select_t *select, const ops_t *ops, const uint32_t *hashes, size_t n, uint64_t quota);
void select_free(select_t *select);
size_t collect_portable(const uint32_t *hashes, size_t n, uint32_t low, uint32_t high, uint64_t *keys);

#endif
