/* A query made ready to be compared with many texts: its tokens, words and grams with hash tables of them. */

#pragma once

#include "ready.h"
#include "runs.h"
#include "slots.h"
#include "weigh.h"

/* What a passage must have at least: `Bars` of asked.py, in the same order. */
typedef struct {
    double edited, threshold, short_doubt, sure_letters, topical, lacking_times, evidence;
    int64_t seed_tokens, max_gap, letters, reworded_letters, reworded_source_letters, summary_letters, summed_letters;
    int64_t single_letters, sure_words;
} bars_t;

/* A text as it is judged: `Ready` of reference_ready.py. */
typedef struct {
    hashed_t tokens;
    const uint32_t *starts, *stops;
    const uint64_t *keys;    /* of the word that each token is */
    const uint32_t *letters; /* the spelling */
    const int64_t *offsets;  /* where each token begins in it, and its end */
} spelled_t;

/* The counts of the query alone, if how rare words are is guessed from it and each text. */
typedef struct {
    const int32_t *n_times; /* of each type in the query */
    const double *logs, *like_logs; /* as in `counts_t`, for the pages of the query and of any of the texts */
    int64_t n_pages, n_words;
    int64_t guess_page_words, page_words;
} guess_t;

/* A query. */
typedef struct {
    spelled_t text;
    const int32_t *types; /* of each token */
    const uint8_t *borders;
    const uint64_t *slips; /* N_SLIPS of each type */
    const counts_t *counts;
    const int32_t *own_holding; /* pages of the query that hold each type: those of `Counts.own`, or of `guess` */
    const int32_t *rarities, *priors;
    const guess_t *guess; /* in place of rarities and priors; or NULL */
    grams_t grams;
    slots_t keys, names, first_slips; /* of types, of grams, of slips */
    const int32_t *next_slips;        /* the next slip that is equal, -1 for none */
    const uint64_t *name_sieve, *slip_sieve;
    int64_t n_types;
    const bars_t *bars;
    const rules_t *rules;
    const int32_t *tables;
    int64_t n_buckets;
} asked_t;

/* classes.c: a pair of a query and a text. */
typedef struct {
    pair_t pair;
    const int32_t *equals; /* for each type of the text the type of the query with the same key, or -1 */
    void *memory;
} matched_t;

/* Numbers the words of both texts together, and weighs them. Returns false if out of memory. */
bool matched_make(matched_t *matched, const asked_t *asked, const ready_t *source);
void matched_free(matched_t *matched);

/* seeds.c: finds the equal runs of a query and a text. `found->runs` is to be freed in any case. Returns false if out of
 * memory. */
bool seeds_find(const asked_t *asked, const ready_t *source, runs_t *found);

/* seeds.c: returns the stop of the gram of `n_words` words that begins at a token, or -1 if the text ends before. Starts ascend
 * from call to call: `reach` has the stop and the half words of the gram before. */
int64_t gram_stop(const ready_t *source, int64_t start, int64_t n_words, int64_t *stop, int64_t *half_words);
