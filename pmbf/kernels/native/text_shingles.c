/* Hashes of shingles, sliding from the last token to the first: docs/text.md, section 3.
 *
 *     sum[i] = v[i] + B·sum[i + 1] - B^n·v[i + n]                 n tokens from i on
 *
 * With B = 1 and mixed token hashes it is the plain sum of order-free shingles.
 */

#include "text_shingles.h"

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

static void words_only(const uint64_t *values, size_t n, size_t tokens, uint64_t step, uint32_t *hashes) {
    uint64_t sum = window_sum(values + n, tokens, step), leaving = power(step, tokens), add = tokens * SHINGLE_LENGTH;
    while (n--) {
        sum = values[n] - leaving * values[n + tokens] + step * sum;
        hashes[n] = sampled_hash(fmix64(sum + add), false);
    }
}

void shingles_portable(const uint64_t *values, const uint8_t *singles, size_t n, size_t tokens, uint64_t step,
                       uint32_t *hashes) {
    if (!memchr(singles, 1, n)) {
        words_only(values, n, tokens, step, hashes);
        return;
    }
    uint64_t sum = window_sum(values + n, tokens, step), leaving = power(step, tokens);
    uint64_t twice = window_sum(values + n, 2 * tokens, step), leaving_twice = leaving * leaving;
    while (n--) {
        sum = values[n] - leaving * values[n + tokens] + step * sum;
        twice = values[n] - leaving_twice * values[n + 2 * tokens] + step * twice;
        uint64_t chosen = singles[n] ? twice + tokens * SHINGLE_LENGTH : sum;
        hashes[n] = sampled_hash(fmix64(chosen + tokens * SHINGLE_LENGTH), singles[n]);
    }
}
