/* A query made from a block: what `asked_t` has, in memory of its own. */

#pragma once

#include "asked.h"

/* What queries have in common that are compared in one way: `_Terms` of native_compare.py. */
typedef struct {
    counts_t counts; /* of other texts; the logarithms reach up to the pages of these, a query and a text */
    const bars_t *bars;
    const rules_t *rules;
    const int32_t *tables;
    int64_t n_buckets, guess_page_words, least_pages;
} terms_t;

typedef struct {
    asked_t asked;
    ready_t text;
    counts_t counts; /* of other texts and the query */
    guess_t guess;
    void *memory;
} query_t;

/* Makes a query of a block, which is kept as long. `query_free` is to be called in any case. Returns false if out of
 * memory. `own` says how often a query that is known has each of its words: pages, then occurrences, by ascending key; the
 * counts of `terms` have them already. NULL: the query's own words are counted, and added. */
bool query_make(query_t *query, const uint8_t *block, const terms_t *terms, const int32_t *own);
void query_free(query_t *query);
