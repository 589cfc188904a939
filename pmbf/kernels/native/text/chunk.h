/* A text, chunk by chunk, as hashed tokens. */

#ifndef PMBF_TEXT_CHUNK_H
#define PMBF_TEXT_CHUNK_H

#include "text.h"

typedef struct {
    const table_t *table;
    const uint8_t *end;      /* of the text */
    fold_t fold;             /* the chunk at hand */
    fold_t again;            /* the same, folded with a map: mixed tokens need the letters as they were typed */
    tokens_t tokens;          /* of the chunk, in folded bytes */
    uint8_t *kinds;           /* of letters in each 64 folded bytes */
    size_t n_tokens, capacity;
    size_t first_char, n_chars; /* code points before the chunk, and in it; counted only with a map or cuts */
    uint32_t *chars;            /* code points of the text before each byte of the chunk, and at its end; with a map */
    size_t chars_capacity;
    uint32_t *mixed; /* numbers of the tokens that hold letters of several scripts */
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

/* Sets up for a text, in the memory of the one before; all zero at first, and mapped always or never. False when out of
 * memory. */
bool chunk_start(chunk_t *chunk, const table_t *table, const uint8_t *text, size_t size, bool mapped);
/* Folds the next chunk and finds its tokens; `cuts` may be NULL. Returns 1, 0 at the end, or TEXT_NO_MEMORY. */
int chunk_next(chunk_t *chunk, cuts_t *cuts);
/* Writes the hashes of the chunk's tokens. False when out of memory. */
bool chunk_hashes(chunk_t *chunk, uint64_t *hashes);
void chunk_free(chunk_t *chunk);

/* The code point of the text where a token starts; only with a map. */
INLINE uint32_t chunk_token_start(const chunk_t *chunk, size_t token) {
    return chunk->chars[chunk->fold.map[chunk->tokens.starts[token]]];
}

/* The one where it stops; inside what one code point became, where the next one that leaves anything begins. */
INLINE uint32_t chunk_token_stop(const chunk_t *chunk, size_t token) {
    const uint32_t *map = chunk->fold.map;
    uint32_t stop = chunk->tokens.stops[token], last = map[stop - 1];
    while (map[stop] == last) stop++;
    return chunk->chars[map[stop]];
}

/* mixed.c */

/* Lists the mixed tokens of a chunk. False when out of memory. */
bool mixed_find(chunk_t *chunk);
/* Writes a mixed token with its look-alikes put into one script to `chunk->repaired`, followed by SLACK bytes.
 * Returns its size or TEXT_NO_MEMORY. */
ptrdiff_t mixed_repair(chunk_t *chunk, size_t token, bool *changed);

#endif
