/* Long words, and the shingles of two of them: docs/text.md, section 3. */

#pragma once

#include "shingles.h"

/* As `ops_t.longs`, for the tokens [begin, n). */
void longs_of(const fold_t *fold, const tokens_t *tokens, size_t begin, size_t n, size_t least, uint8_t *longs);
void longs_portable(const fold_t *fold, const tokens_t *tokens, size_t n, size_t least, uint8_t *longs);
void join_long_words_portable(const uint64_t *values, const long_words_t *words, size_t n, halves_t hashes);

/* Returns the hash of two long words, given their hashes mixed: that of an order-free shingle of both. */
INLINE uint64_t joined_hash(uint64_t one, uint64_t other) { return fmix64(one + other + 2 * SHINGLE_LENGTH); }
