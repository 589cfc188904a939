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

void shingles_slowly(const uint64_t *values, const uint8_t *singles, size_t n, const shape_t *shape, uint32_t *hashes) {
    for (size_t i = 0; i < n; i++) {
        size_t length = shape->tokens << singles[i];
        uint64_t hash = fmix64(window_sum(values + i, length, shape->step) + length * SHINGLE_LENGTH);
        hashes[i] = sampled_hash(hash, shape->thin || singles[i]);
    }
}

void shingles_portable(const uint64_t *values, const uint8_t *singles, size_t n, const shape_t *shape,
                       uint32_t *hashes) {
    shingles_by(finish_portable, values, singles, n, shape, hashes);
}

/* The long words are listed first, block by block and without branches: which words are long is not predicted. */
void join_long_words(const uint64_t *values, const long_words_t *words, size_t n, uint32_t *hashes) {
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
            if (before < n && at[k] - before <= words->reach) hashes[before] = joined_hash(value_before, value);
            before = at[k], value_before = value;
        }
    }
}
