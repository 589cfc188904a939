/* Hashes of shingles: docs/text.md, section 3. Sums of windows slide from the last token to the first,
 *
 *     sum[i] = v[i] + B·sum[i + 1] - B^n·v[i + n]                 n tokens from i on
 *     sum[i] + B^n·sum[i + n]                                     2n tokens from i on
 *
 * a block at a time. Then hashes are made of the sums. With B = 1 and mixed token hashes they are the plain sums of
 * order-free shingles.
 */

#pragma once

#include "text.h"

#define SHINGLE_STEP 0xBB67AE8584CAA73Bu   /* B: fraction of sqrt(3), odd */
#define SHINGLE_LENGTH 0x9E3779B97F4A7C15u /* C: 2^64 / golden ratio */

enum { SUMS = 512, MOST_TOKENS = 64 };

typedef struct {
    size_t tokens;    /* n */
    uint64_t leaving; /* B^n */
    uint64_t add;     /* n·C */
    bool thin;        /* whether shingles at words are thin, too */
} weights_t;

uint64_t power(uint64_t base, size_t exponent);
/* values[0] + values[1]·step + … */
uint64_t window_sum(const uint64_t *values, size_t n, uint64_t step);
/* As `ops_t.shingles`, one by one, for shingles of any length. */
void shingles_slowly(const uint64_t *values, const uint8_t *singles, size_t n, const shape_t *shape, uint32_t *hashes);
void shingles_portable(const uint64_t *values, const uint8_t *singles, size_t n, const shape_t *shape,
                       uint32_t *hashes);

/* Writes the lower halves of the hashes that `ops_t.shingles` writes the upper halves of. */
void shingle_lows(const uint64_t *values, const uint8_t *singles, size_t n, const shape_t *shape, uint32_t *lows);

/* Returns the bits of a shingle's hash that are sampled, the first ones uppermost. `thin`: whether the shingle is four
 * times as rare in the lower half of the range. */
INLINE uint64_t weighed_hash(uint64_t hash, bool thin) {
    if (!thin) return hash;
    return hash >> 61 ? hash >> 1 | (uint64_t)1 << 63 : hash << 2;
}

INLINE uint32_t sampled_hash(uint64_t hash, bool thin) { return (uint32_t)(weighed_hash(hash, thin) >> 32); }

/* Makes hashes of `n` sums. `tokens` more sums stand behind them. */
typedef void finish_t(const uint64_t *sums, const uint8_t *singles, size_t n, const weights_t *weights,
                      uint32_t *hashes);

INLINE void finish_portable(const uint64_t *sums, const uint8_t *singles, size_t n, const weights_t *weights,
                            uint32_t *hashes) {
    if (!memchr(singles, 1, n)) {
        for (size_t i = 0; i < n; i++) hashes[i] = sampled_hash(fmix64(sums[i] + weights->add), weights->thin);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t more = weights->leaving * sums[i + weights->tokens] + weights->add;
        uint64_t hash = fmix64(sums[i] + weights->add + (singles[i] ? more : 0));
        hashes[i] = sampled_hash(hash, weights->thin || singles[i]);
    }
}

INLINE void shingles_by(finish_t *finish, const uint64_t *values, const uint8_t *singles, size_t n,
                        const shape_t *shape, uint32_t *hashes) {
    const size_t tokens = shape->tokens;
    const uint64_t step = shape->step;
    if (tokens > MOST_TOKENS) {
        shingles_slowly(values, singles, n, shape, hashes);
        return;
    }
    const weights_t weights = {tokens, power(step, tokens), tokens * SHINGLE_LENGTH, shape->thin};
    uint64_t sums[SUMS + MOST_TOKENS];
    size_t size = smaller(n, SUMS);
    for (size_t i = 0; i < tokens; i++) /* sums of the shingles that are made later */
        sums[size + i] = window_sum(values + n + i, tokens, step);
    while (n) {
        n -= size;
        for (size_t i = size; i--;)
            sums[i] = values[n + i] - weights.leaving * values[n + i + tokens] + step * sums[i + 1];
        finish(sums, singles + n, size, &weights, hashes + n);
        size = smaller(n, SUMS);
        memmove(sums + size, sums, tokens * sizeof *sums);
    }
}

/* long_words.c: shingles of two long words, docs/text.md, section 3. */

/* As `ops_t.longs`, for the tokens [begin, n). */
void longs_of(const fold_t *fold, const tokens_t *tokens, size_t begin, size_t n, size_t least, uint8_t *longs);
void longs_portable(const fold_t *fold, const tokens_t *tokens, size_t n, size_t least, uint8_t *longs);
void join_long_words_portable(const uint64_t *values, const long_words_t *words, size_t n, halves_t hashes);

/* Returns the hash of two long words, given their hashes mixed: that of an order-free shingle of both. */
INLINE uint64_t joined_hash(uint64_t one, uint64_t other) { return fmix64(one + other + 2 * SHINGLE_LENGTH); }
