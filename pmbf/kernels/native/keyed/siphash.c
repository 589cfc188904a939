/* SipHash-2-4 (Aumasson & Bernstein 2012) of every window of consecutive words: the hashes of shingles under a site
 * key. */

#include "../bits/bits.h"

#define ROTATED(x, bits) ((x) << (bits) | (x) >> (64 - (bits)))

#define ROUND(v0, v1, v2, v3) \
    do { \
        v0 += v1, v1 = ROTATED(v1, 13) ^ v0, v0 = ROTATED(v0, 32); \
        v2 += v3, v3 = ROTATED(v3, 16) ^ v2; \
        v0 += v3, v3 = ROTATED(v3, 21) ^ v0; \
        v2 += v1, v1 = ROTATED(v1, 17) ^ v2, v2 = ROTATED(v2, 32); \
    } while (0)

#define ABSORB(block) \
    do { \
        v3 ^= block; \
        ROUND(v0, v1, v2, v3); \
        ROUND(v0, v1, v2, v3); \
        v0 ^= block; \
    } while (0)

/* Hashes one window if `type` is a word, eight neighbouring windows at once if it is a line of words. */
#define SIPHASH(type, words, width, key, out) \
    do { \
        const type zero = {0}; \
        type v0 = zero + (key[0] ^ 0x736F6D6570736575u), v1 = zero + (key[1] ^ 0x646F72616E646F6Du); \
        type v2 = zero + (key[0] ^ 0x6C7967656E657261u), v3 = zero + (key[1] ^ 0x7465646279746573u); \
        for (size_t j = 0; j < width; j++) ABSORB(*(const type *)(words + j)); \
        ABSORB(((uint64_t)width << 59)); /* the length in bytes, in the highest byte */ \
        v2 ^= zero + 0xFFu; \
        for (int round = 0; round < 4; round++) ROUND(v0, v1, v2, v3); \
        *(type *)(out) = v0 ^ v1 ^ v2 ^ v3; \
    } while (0)

/* Hashes `n_windows` windows, the first at words[0], the next at words[1], … under a key of two words. */
EXPORT void pmbf_siphash_windows(const uint64_t *words, size_t n_windows, size_t width, const uint64_t *key,
                                 uint64_t *out) {
    size_t i = 0;
    for (; i + LINE_WORDS <= n_windows; i += LINE_WORDS) SIPHASH(loose_line, (words + i), width, key, (out + i));
    for (; i < n_windows; i++) SIPHASH(uint64_t, (words + i), width, key, (out + i));
}
