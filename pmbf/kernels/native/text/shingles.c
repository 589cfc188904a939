/* Hashes of shingles on every processor. */

#include "shingles.h"

uint64_t power(uint64_t base, size_t exponent) {
    uint64_t result = 1;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}

uint64_t window_sum(const uint64_t *values, size_t n, uint64_t step) {
    uint64_t sum = 0;
    while (n--) sum = sum * step + values[n];
    return sum;
}

/* Returns the hash of a shingle of `length` tokens. */
static uint64_t slow_hash(const uint64_t *values, size_t length, const shape_t *shape) {
    return fmix64(window_sum(values, length, shape->step) + length * SHINGLE_LENGTH);
}

void shingles_slowly(const uint64_t *values, const uint8_t *singles, size_t n, const shape_t *shape, uint32_t *hashes) {
    for (size_t i = 0; i < n; i++)
        hashes[i] = sampled_hash(slow_hash(values + i, shape->tokens << singles[i], shape), shape->thin || singles[i]);
}

void shingles_portable(const uint64_t *values, const uint8_t *singles, size_t n, const shape_t *shape,
                       uint32_t *hashes) {
    shingles_by(finish_portable, values, singles, n, shape, hashes);
}

static uint32_t low_half(uint64_t hash, bool thin) { return (uint32_t)weighed_hash(hash, thin); }

static void finish_lows(const uint64_t *sums, const uint8_t *singles, size_t n, const weights_t *weights,
                        uint32_t *lows) {
    for (size_t i = 0; i < n; i++) {
        uint64_t more = singles[i] ? weights->leaving * sums[i + weights->tokens] + weights->add : 0;
        lows[i] = low_half(fmix64(sums[i] + weights->add + more), weights->thin || singles[i]);
    }
}

void shingle_lows(const uint64_t *values, const uint8_t *singles, size_t n, const shape_t *shape, uint32_t *lows) {
    if (shape->tokens <= MOST_TOKENS) {
        shingles_by(finish_lows, values, singles, n, shape, lows);
        return;
    }
    for (size_t i = 0; i < n; i++)
        lows[i] = low_half(slow_hash(values + i, shape->tokens << singles[i], shape), shape->thin || singles[i]);
}
