/* A text made ready to be compared with queries: all that depends on the text alone and on other texts, in one block of
 * memory that can be kept. No query folds or splits the text again, or looks its words up. */

#ifndef PMBF_ALIGN_READY_H
#define PMBF_ALIGN_READY_H

#include <stdint.h>

/* The head of a block, of `_N_SIZES` numbers in native_ready.py. The arrays follow in the order of `ready_t`: elements of 8 bytes, of
 * 4, of 1. */
typedef struct {
    int64_t n, n_types, n_slipped, n_spelled, commonest, n_chars, n_mixed, n_invisible;
} head_t;

/* Types go by their first word in the text. */
typedef struct {
    head_t head;
    const uint64_t *hashes;  /* of each token */
    const uint64_t *keys;    /* of each type */
    const uint64_t *slips;   /* N_SLIPS for each slipped type */
    const uint32_t *starts, *stops;
    const int32_t *types;    /* of each token */
    const int32_t *n_holding, *n_times; /* of each type: pages of the other texts that hold it, its occurrences there */
    const int32_t *slipped;  /* the types that have slips, ascending */
    const uint32_t *offsets; /* of each token in the spelling, and the end */
    const uint8_t *singles, *borders, *spelling;
} ready_t;

/* Returns the arrays of a block. */
ready_t ready_view(const uint8_t *block);

#endif
