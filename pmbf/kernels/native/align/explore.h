/* A query and a text explored together: what the judging goes on with. */

#pragma once

#include "judged.h"

/* Chains of blocks, the worthiest first; chain c is `blocks[bounds[c]] … blocks[bounds[c + 1] - 1]`. */
typedef struct {
    block_t *blocks;
    int64_t *bounds;
    int64_t n_blocks, capacity, n_chains;
} chains_t;

typedef struct {
    matched_t matched;
    chains_t chains;
    boxes_t boxes;
    bool *may; /* of each alignment, whether it is long and alike enough */
    bool any;  /* whether a chain or an alignment may become a passage */
} explored_t;

/* Finds chains and alignments. `explored_free` is to be called in any case. Returns false if out of memory. */
bool explore(const asked_t *asked, const ready_t *source, explored_t *found);
void explored_free(explored_t *found);

/* judge.c: compares a query with a text that `ready_make` made ready. Returns the number of passages, which are in
 * malloc's memory, or ALIGN_NO_MEMORY. */
int64_t compare(const asked_t *asked, const uint8_t *block, line_t **lines);
