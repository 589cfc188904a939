/* The fingerprints of many texts, one after another, in the same memory. */

#pragma once

#include "chunk.h"
#include "result.h"
#include "select.h"

/* A new sampler is all zero. */
typedef struct {
    const options_t *options;
    chunk_t chunk;
    cuts_t cuts;
    size_t cuts_capacity;
    array_t values, singles, longs, value_starts;  /* uint64, uint8, uint8, uint32: by token */
    array_t hashes, lows, starts, tokens;          /* uint32: by shingle of the segment, if asked for */
    array_t kept, kept_starts, kept_tokens, bounds; /* uint32: the result; wide hashes are uint64 */
    array_t selected;                              /* uint64: a bit for each shingle of the segment */
    select_t select;
    size_t first_token; /* number of the token at values[0] */
    size_t n_shingles, segment, n_chars;
} sampler_t;

/* Samples a text. Until the next text the hashes are in `kept`, their bounds in `bounds`, the number of tokens in
 * `cuts.n_tokens`. Returns TEXT_OK, TEXT_NOT_UTF8 or TEXT_NO_MEMORY. After an error another text may be sampled. */
int sampler_take(sampler_t *sampler, const table_t *table, const uint8_t *text, size_t size, const options_t *options);
void sampler_free(sampler_t *sampler);
