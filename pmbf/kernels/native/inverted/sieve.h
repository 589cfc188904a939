/* A bit for each of some hash values of a set of features: it tells of most other features that they are not in it. */

#pragma once

#include "inverted.h"

typedef struct {
    uint64_t *bits;
    uint32_t shift;
} sieve_t;

INLINE size_t sieve_bit(const sieve_t *sieve, uint32_t feature) { return (feature * 0x9E3779B1u) >> sieve->shift; }

/* Returns 0 or PMBF_NO_MEMORY. `bits` are to be freed. */
INLINE int64_t sieve_new(sieve_t *sieve, const uint32_t *features, size_t n) {
    sieve->shift = 32 - 10;
    while (sieve->shift > 4 && n >> (28 - sieve->shift)) sieve->shift--; /* at least 16 bits a feature, up to 32 MB */
    if (!(sieve->bits = calloc((1ull << (32 - sieve->shift)) / 64, sizeof *sieve->bits))) return PMBF_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const size_t bit = sieve_bit(sieve, features[i]);
        sieve->bits[bit / 64] |= 1ull << bit % 64;
    }
    return 0;
}

/* Returns whether a feature may be in the set. */
INLINE bool may_have(const sieve_t *sieve, uint32_t feature) {
    const size_t bit = sieve_bit(sieve, feature);
    return sieve->bits[bit / 64] >> bit % 64 & 1;
}
