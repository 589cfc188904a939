/* Hash tables with open addressing over 64-bit names that are mixed well. A table has the numbers of names, -1 for a
 * free slot; its size is a power of two, at least twice the number of names. */

#pragma once

#include "align.h"

typedef struct {
    const uint64_t *names;
    const int32_t *slots;
    int64_t n_slots;
} slots_t;

/* Returns the number of a name, or -1. */
INLINE int64_t slots_find(const slots_t *table, uint64_t name) {
    int64_t slot = (int64_t)(name & (uint64_t)(table->n_slots - 1));
    for (; table->slots[slot] >= 0; slot = (slot + 1) & (table->n_slots - 1))
        if (table->names[table->slots[slot]] == name) return table->slots[slot];
    return -1;
}

/* A set of names that may hold others, too: most names that are not in it are told by one bit, in 16 KB. */
enum { SIEVE_BITS = 1 << 17 };

INLINE bool sieve_has(const uint64_t *sieve, uint64_t name) {
    uint64_t bit = name >> 40 & (SIEVE_BITS - 1);
    return sieve[bit / 64] >> (bit % 64) & 1;
}

INLINE void sieve_add(uint64_t *sieve, uint64_t name) {
    uint64_t bit = name >> 40 & (SIEVE_BITS - 1);
    sieve[bit / 64] |= (uint64_t)1 << (bit % 64);
}
