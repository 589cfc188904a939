/* The first 64 bits of MurmurHash3 x64 128 with seed 0. Source: Austin Appleby, MurmurHash3.cpp, public domain. */

#pragma once

#include "text.h"

#define MURMUR_C1 0x87C37B91114253D5u
#define MURMUR_C2 0x4CF5AD432745937Fu
#define MURMUR_ADD1 0x52DCE729u
#define MURMUR_ADD2 0x38495AB5u

INLINE uint64_t rotated(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }
INLINE uint64_t mix_low(uint64_t word) { return rotated(word * MURMUR_C1, 31) * MURMUR_C2; }
INLINE uint64_t mix_high(uint64_t word) { return rotated(word * MURMUR_C2, 33) * MURMUR_C1; }

/* Masks for the two words of a tail, by its number of bytes, 0 to 16. A branch on that number would be mispredicted. */
extern const uint64_t murmur_keep_low[17], murmur_keep_high[17];

/* Reads 16 bytes past the token's last whole 16. A tail of no bytes is 0 and changes nothing, so it needs no branch. */
INLINE uint64_t murmur(const uint8_t *bytes, size_t size) {
    uint64_t low = 0, high = 0;
    const uint8_t *tail = bytes + (size & ~(size_t)15);
    for (; RARE(bytes < tail); bytes += 16) {
        low = (rotated(low ^ mix_low(load64(bytes)), 27) + high) * 5 + MURMUR_ADD1;
        high = (rotated(high ^ mix_high(load64(bytes + 8)), 31) + low) * 5 + MURMUR_ADD2;
    }
    size_t left = size & 15;
    low ^= mix_low(load64(tail) & murmur_keep_low[left]) ^ size;
    high ^= mix_high(load64(tail + 8) & murmur_keep_high[left]) ^ size;
    low += high;
    high += low;
    return fmix64(low) + fmix64(high);
}

void murmur_portable(const uint8_t *bytes, const uint32_t *starts, const uint32_t *stops, size_t n, uint64_t *hashes);
