/* How likely a word is in a part of a text without copying, as a bucket of the tables of scores. */

#ifndef PMBF_ALIGN_CHANCE_H
#define PMBF_ALIGN_CHANCE_H

#include "align.h"

/* A part of a text beside a number of other words. */
typedef struct {
    uint64_t times;    /* how often the words of the part count */
    uint64_t n_others;
    double inverse;    /* of n_others */
    int64_t n_buckets;
} odds_t;

INLINE odds_t odds_of(const pair_t *pair, int64_t n_words, int64_t n_others) {
    return (odds_t){24 * (uint64_t)least(n_words, (int64_t)1 << 20), (uint64_t)n_others, 1.0 / (double)n_others, pair->n_buckets};
}

/* Returns a whole quotient. Up to 2^52 the product with the inverse is less than one beside it; a division takes longer. */
INLINE uint64_t shared_out(uint64_t number, const odds_t *odds) {
    if (RARE(number >> 52)) return number / odds->n_others;
    uint64_t found = (uint64_t)(int64_t)((double)(int64_t)number * odds->inverse);
    found -= found * odds->n_others > number;
    return found + ((found + 1) * odds->n_others <= number);
}

/* Returns the bucket for a word of which `expected` / 65536 stand in the other words. */
INLINE int64_t bucket(const odds_t *odds, uint64_t expected) {
    uint64_t chance = shared_out(expected * odds->times, odds);
    int64_t line = (int64_t)chance;
    if (chance >= 32) {
        int shift = 58 - __builtin_clzll(chance);
        line = 32 * (int64_t)shift + (int64_t)(chance >> shift);
    }
    return line < odds->n_buckets ? line : odds->n_buckets - 1;
}

#endif
