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

void shingles_slowly(const uint64_t *values, const uint8_t *singles, size_t n, size_t tokens, uint64_t step,
                     uint32_t *hashes) {
    for (size_t i = 0; i < n; i++) {
        size_t length = tokens << singles[i];
        hashes[i] = sampled_hash(fmix64(window_sum(values + i, length, step) + length * SHINGLE_LENGTH), singles[i]);
    }
}

void shingles_portable(const uint64_t *values, const uint8_t *singles, size_t n, size_t tokens, uint64_t step,
                       uint32_t *hashes) {
    shingles_by(finish_portable, values, singles, n, tokens, step, hashes);
}
