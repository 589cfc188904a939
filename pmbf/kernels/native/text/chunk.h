/* A text, chunk by chunk, as hashed tokens. */

#pragma once

#include "text.h"

typedef struct {
    const table_t *table;
    const uint8_t *end;      /* end of the text */
    size_t size;             /* bytes of the text */
    fold_t fold;             /* the chunk */
    fold_t again;            /* the chunk folded again with a map: mixed tokens need the letters as they were typed */
    tokens_t tokens;          /* tokens of the chunk, in folded bytes */
    uint8_t *kinds;           /* kinds of letters in each 64 folded bytes */
    size_t n_tokens, capacity;
    size_t first_char, n_chars; /* code points before the chunk and in it; only with a map or cuts */
    uint32_t *chars;            /* code points of the text before each byte and the end of the chunk; with a map */
    size_t chars_capacity;
    uint32_t *mixed; /* numbers of the tokens with letters of several scripts */
    size_t n_mixed, mixed_capacity;
    uint8_t *repaired; /* the token that was repaired last, in UTF-8 */
    size_t repaired_capacity;
    size_t total_mixed, total_invisible;
} chunk_t;

/* Where to cut a text into segments: `cut_tokens[s]` becomes the number of tokens that begin before character
 * `s * segment_chars`, for s = 1 … n_segments - 1. */
typedef struct {
    size_t segment_chars, n_segments, next, n_tokens;
    size_t *cut_tokens;
} cuts_t;

/* Sets up for a text, in the memory of the text before. A new chunk is all zero. One chunk is always mapped or never.
 * Returns false if out of memory. */
bool chunk_start(chunk_t *chunk, const table_t *table, const uint8_t *text, size_t size, bool mapped);
/* Folds the next chunk and finds its tokens. `cuts` may be NULL. Returns 1, 0 at the end, or TEXT_NO_MEMORY. */
int chunk_next(chunk_t *chunk, cuts_t *cuts);
/* Writes the hashes of the chunk's tokens. Returns false if out of memory. */
bool chunk_hashes(chunk_t *chunk, uint64_t *hashes);
void chunk_free(chunk_t *chunk);

/* Returns the code point of the text where a token starts. Needs a map. */
INLINE uint32_t chunk_token_start(const chunk_t *chunk, size_t token) {
    return chunk->chars[chunk->fold.map[chunk->tokens.starts[token]]];
}

/* Returns the code point where a token stops. If the token ends inside a code point that folds to several, then that is
 * the next code point that folds to something. Needs a map. */
INLINE uint32_t chunk_token_stop(const chunk_t *chunk, size_t token) {
    const uint32_t *map = chunk->fold.map;
    uint32_t stop = chunk->tokens.stops[token], last = map[stop - 1];
    while (map[stop] == last) stop++;
    return chunk->chars[map[stop]];
}

/* mixed.c */

/* Lists the mixed tokens of a chunk. Returns false if out of memory. */
bool mixed_find(chunk_t *chunk);
/* Writes a mixed token with its look-alikes put into one script to `chunk->repaired`, followed by SLACK bytes.
 * Returns its size or TEXT_NO_MEMORY. */
ptrdiff_t mixed_repair(chunk_t *chunk, size_t token, bool *changed);
