/* How likely a word is in a part of a text without copying, as a bucket of the tables of scores. */

#pragma once

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

/* Returns the score of each word of a class, of which a part of one text has `here`, and the part of the other `there`:
 * `odds` are those of that part. */
INLINE int64_t class_score(const pair_t *pair, const odds_t *odds, int side, int32_t c, int64_t here, int64_t there) {
    int64_t outside = pair->sides[!side].counts[c] - there;
    uint64_t expected = (uint64_t)least(outside, (int64_t)1 << 20) * 65536 + (uint64_t)pair->priors[c];
    int64_t line = bucket(odds, expected);
    int64_t match = pair->tables[MATCH * pair->n_buckets + line], miss = pair->tables[MISS * pair->n_buckets + line];
    if (!there) return miss;
    if (here <= there) return match;
    int64_t sum = 2 * there * match + (here - there) * miss;
    return sum / (2 * here) - (sum % (2 * here) < 0);
}

/* The odds of the words of one text, given the part of the other. */
INLINE odds_t odds_of_part(const pair_t *pair, int side, int64_t n_there) {
    return odds_of(pair, n_there, pair->sides[!side].n - n_there + pair->rules->prior_words);
}
