/* How rare the words of a text are, from the counts of other texts. */

#pragma once

#include "slots.h"

/* A key with its counts, in a hash table with open addressing: the pages that hold it, its occurrences in all pages. A
 * free slot has the number of pages -1. */
typedef struct {
    uint64_t key;
    int32_t n_holding, n_times;
} counted_t;

/* `Counts` of asked.py; `_Counts` of native_compare.py is the same. Pages and words are those of the query, too; the
 * table is of the other texts. */
typedef struct {
    const counted_t *slots;
    int64_t n_slots;         /* a power of two, at least twice the number of keys */
    const double *logs;      /* of n + 0.5, for n from 0 to the pages */
    const double *like_logs; /* the same, for n pages in a text's language */
    int64_t n_pages, n_words, page_words;
} counts_t;

/* Writes how many pages of the other texts hold each of n keys, and its occurrences there; 0 for unknown keys. */
void counts_find(const counted_t *slots, int64_t n_slots, const uint64_t *keys, int64_t n, int32_t *n_holding, int32_t *n_times);
/* Returns how many pages are in the language of a text, or ALIGN_NO_MEMORY. One word in `commonest` counts as common.
 * `n_holding` has the pages that hold each type; `types` the type of each of n words. */
int64_t counts_like(const counts_t *counts, int64_t commonest, const int32_t *n_holding, const int32_t *types, int64_t n);
/* Turns the counts of n types into their weights: the pages that hold each into its rarity, its occurrences into its
 * prior. */
void counts_weigh(const counts_t *counts, int64_t n_like, int64_t n, int32_t *n_holding, int32_t *n_times);
/* Counts a text by pages: writes how many hold each of its types, and its occurrences. Returns the number of pages,
 * or ALIGN_NO_MEMORY. `types` has the type of each of n words. */
int64_t counts_pages(const int32_t *types, int64_t n, int64_t n_types, int64_t page_words, int32_t *n_holding, int32_t *n_times);
