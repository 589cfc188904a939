/* The smallest distinct hashes of a segment: docs/text.md, section 4. */

#pragma once

#include "text.h"

/* Memory that is kept from segment to segment. A new one is all zero. */
typedef struct {
    uint64_t *keys, *sorted;
    uint32_t *counts;
    size_t capacity;
} select_t;

/* Writes the `quota` smallest distinct hashes of `hashes[0..n)` to `select->sorted`, ascending, each as hash << 32 |
 * the first place of the hash. Returns their number, or -1 if out of memory. */
ptrdiff_t select_smallest(select_t *select, const ops_t *ops, const uint32_t *hashes, size_t n, uint64_t quota);
void select_free(select_t *select);
size_t collect_portable(const uint32_t *hashes, size_t n, uint32_t low, uint32_t high, uint64_t *keys);
