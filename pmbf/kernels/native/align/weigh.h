/* How rare the words of a text are, from the counts of other texts. */

#ifndef PMBF_ALIGN_WEIGH_H
#define PMBF_ALIGN_WEIGH_H

#include "slots.h"

/* A key with its counts, in a hash table with open addressing: the pages that hold it, its occurrences in all pages. A
 * free slot has the number of pages -1. */
typedef struct {
    uint64_t key;
    int32_t n_holding, n_times;
} counted_t;

/* `Counts` of asked.py; `_Counts` of native_explore.py is the same. */
typedef struct {
    const counted_t *slots;
    int64_t n_slots;         /* a power of two, at least twice the number of keys */
    const double *logs;      /* of n + 0.5, for n from 0 to the pages */
    const double *like_logs; /* the same, for n pages in a text's language */
    int64_t n_pages, n_words, page_words;
} counts_t;

/* The types of a text: their keys, and how often each stands there. */
typedef struct {
    const uint64_t *keys;
    const int32_t *times;
    int64_t n, n_words;
} types_of_t;

/* Writes the weights of each type. One word in `commonest` counts as common. `pages` has room for the pages and one
 * more, all 0. Returns how many pages are in the text's language. */
int64_t weigh(const counts_t *counts, const types_of_t *text, int64_t commonest, int32_t *rarities, int32_t *priors, int64_t *pages);

#endif
