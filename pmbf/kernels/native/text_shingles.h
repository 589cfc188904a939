/* Hashes of shingles: docs/text.md, section 3. */

#ifndef PMBF_TEXT_SHINGLES_H
#define PMBF_TEXT_SHINGLES_H

#include "text.h"

#define SHINGLE_STEP 0xBB67AE8584CAA73Bu   /* B: fraction of sqrt(3), odd */
#define SHINGLE_LENGTH 0x9E3779B97F4A7C15u /* C: 2^64 / golden ratio */

uint64_t power(uint64_t base, size_t exponent);
/* values[0] + values[1]·step + … */
uint64_t window_sum(const uint64_t *values, size_t n, uint64_t step);
/* What is sampled of a shingle's hash; `single`: whether it begins at a single letter. */
INLINE uint32_t sampled_hash(uint64_t hash, bool single) {
    if (!single) return (uint32_t)(hash >> 32);
    return (uint32_t)(hash >> 61 ? hash >> 33 | (uint64_t)1 << 31 : hash >> 30);
}
/* Reads 2 * tokens values from values + n on: the one past the last shingle's end may be anything. */
void shingles_portable(const uint64_t *values, const uint8_t *singles, size_t n, size_t tokens, uint64_t step,
                       uint32_t *hashes);

#endif
