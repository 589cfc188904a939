/* The hash tables of a query. */

#include "slots.h"

/* Fills a hash table of n distinct names. */
void slots_fill(const uint64_t *names, int64_t n, int32_t *slots, int64_t n_slots, uint64_t *sieve) {
    for (int64_t slot = 0; slot < n_slots; slot++) slots[slot] = -1;
    for (int64_t at = 0; at < n; at++) {
        int64_t slot = (int64_t)(names[at] & (uint64_t)(n_slots - 1));
        while (slots[slot] >= 0) slot = (slot + 1) & (n_slots - 1);
        slots[slot] = (int32_t)at;
        if (sieve) sieve_add(sieve, names[at]);
    }
}

/* Fills a hash table of slips, 0 for none, and lists for each the next equal one, or -1. */
void slots_fill_equal(const uint64_t *slips, int64_t n, int32_t *slots, int64_t n_slots, int32_t *next, uint64_t *sieve) {
    for (int64_t slot = 0; slot < n_slots; slot++) slots[slot] = -1;
    for (int64_t slip = 0; slip < n; slip++) {
        next[slip] = -1;
        if (!slips[slip]) continue;
        int64_t slot = (int64_t)(slips[slip] & (uint64_t)(n_slots - 1));
        while (slots[slot] >= 0 && slips[slots[slot]] != slips[slip]) slot = (slot + 1) & (n_slots - 1);
        if (slots[slot] >= 0) { /* behind the first: the order of the others does not matter */
            next[slip] = next[slots[slot]];
            next[slots[slot]] = (int32_t)slip;
        } else {
            slots[slot] = (int32_t)slip;
        }
        sieve_add(sieve, slips[slip]);
    }
}
