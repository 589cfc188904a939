/* A text made ready to be compared with queries: all that depends on the text alone and on other texts, in one block of
 * memory that can be kept. No query folds or splits the text again, or looks its words up. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "weigh.h"

#include "../text/text.h"

/* The head of a block, of `_N_SIZES` numbers in native_compare.py. The arrays follow in the order of `ready_t`: elements of 8
 * bytes, of 4, of `width`, of 1. The width is 2 if that is enough, else 4: most of what is kept are places and types. */
typedef struct {
    int64_t n, n_types, n_slipped, n_spelled, commonest, n_chars, n_mixed, n_invisible, width;
} head_t;

/* Types go by their first word in the text. */
typedef struct {
    head_t head;
    const uint64_t *hashes;  /* of each token */
    const uint64_t *keys;    /* of each type */
    const int32_t *n_holding, *n_times; /* of each type: pages of the other texts that hold it, its occurrences there */
    const uint32_t *starts, *stops;
    const int32_t *types;    /* of each token */
    const int32_t *slipped;  /* the types that have slips, ascending */
    const uint32_t *letters; /* N_SLIPS for each slipped type */
    const void *offsets; /* where each token begins in the spelling, and its end, in elements of `width` */
    const uint8_t *singles, *borders;
    const uint8_t *spelling; /* in UTF-8 */
    void *memory;            /* for arrays of 4 bytes */
} ready_t;

/* Opens a block; `ready_close` frees what that takes. Returns false if out of memory. */
bool ready_open(const uint8_t *block, ready_t *ready);
void ready_close(ready_t *ready);

/* Returns where a token begins in the spelling, in code points; behind the last token, where the spelling ends. */
int64_t ready_offset(const ready_t *ready, int64_t token);
/* Writes where each token begins in the spelling, and its end; and the key of each token. */
void ready_spelled(const ready_t *ready, int64_t *offsets, uint64_t *keys);
/* Decodes the spelling, which is valid UTF-8 with n code points. */
void ready_letters(const ready_t *ready, int64_t n, uint32_t *letters);

/* Makes a text in UTF-8 ready. `commonest` has two numbers: of words, and of single letters. Returns the size of the
 * block, which is in malloc's memory, or TEXT_NO_MEMORY or TEXT_NOT_UTF8. */
int64_t ready_make(const table_t *table, const counts_t *others, const int64_t *commonest, const uint8_t *utf8, int64_t size,
                   void **block);
