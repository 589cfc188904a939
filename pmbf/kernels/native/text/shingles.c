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

/* The long words are listed first, block by block and without branches: which words are long is not predicted. */
void join_long_words(const uint64_t *values, const long_words_t *words, size_t n, halves_t hashes) {
    size_t before = SIZE_MAX - words->reach; /* the long word before; out of reach if there is none */
    uint64_t value_before = 0;
    for (size_t begin = 0; begin < words->n_values; begin += SUMS) {
        size_t at[SUMS], n_long = 0, end = smaller(words->n_values, begin + SUMS);
        for (size_t i = begin; i < end; i++) {
            at[n_long] = i;
            n_long += words->are[i];
        }
        for (size_t k = 0; k < n_long; k++) {
            uint64_t value = words->mixed ? values[at[k]] : fmix64(values[at[k]]);
            if (before < n && at[k] - before <= words->reach) {
                uint64_t hash = joined_hash(value_before, value);
                hashes.upper[before] = (uint32_t)(hash >> 32);
                if (hashes.lower) hashes.lower[before] = (uint32_t)hash;
            }
            before = at[k], value_before = value;
        }
    }
}
