/* Arithmetic that the bit kernels and the text kernels share. */

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

INLINE size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Returns a number each bit of which depends on all bits of `x`: the finaliser of MurmurHash3. */
INLINE uint64_t fmix64(uint64_t x) {
    x = (x ^ (x >> 33)) * 0xFF51AFD7ED558CCDu;
    x = (x ^ (x >> 33)) * 0xC4CEB9FE1A85EC53u;
    return x ^ (x >> 33);
}
