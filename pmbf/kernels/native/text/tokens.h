/* Starts and stops of tokens as bits.
 *
 *     bytes    a b ␠ ␠ c 中 中 d ␠        begins   0 0 0 0 0 1 1 1 0   (a byte a letter, for the drawing)
 *     starts   1 0 0 0 1  1  1 1 0        stops    0 0 1 0 0 1 1 1 1
 *
 * SLACK spaces follow the folded bytes, so that the last token stops too.
 */

#pragma once

#include "utf8.h"

/* The byte before the 64: a separator, or part of a token. */
typedef struct {
    uint64_t gap, letter;
} edge_t;

typedef struct {
    uint64_t starts, stops;
} token_bits_t;

#define EDGE_AT_BEGINNING ((edge_t){1, 0})

INLINE token_bits_t token_bits(uint64_t gaps, uint64_t begins, edge_t *edge) {
    uint64_t starts = ~gaps & (gaps << 1 | edge->gap | begins);
    uint64_t stops = (gaps | begins) & (~gaps << 1 | edge->letter);
    *edge = (edge_t){gaps >> 63, ~gaps >> 63};
    return (token_bits_t){starts, stops};
}

/* Returns the tokens that begin in the 64 bytes from `at` without a separator before them. */
INLINE uint64_t begins_at(const fold_t *fold, size_t at) { return fold->has_singles ? fold->begins[at / 64] : 0; }

size_t count_chars_portable(const uint8_t *begin, const uint8_t *end);
size_t tokens_portable(const fold_t *fold, tokens_t *tokens);
void kinds_portable(const uint8_t *bytes, size_t n, uint8_t *kinds);
