/* Equal runs of two texts, and the chains that they make. */

#pragma once

#include "align.h"

/* `Grams` of reference_runs.py, with the sums that name the runs of their text, which has n_tokens tokens. Of the source they
 * are those alone that the query has, too: in place of names they have the numbers of the names in the query. */
typedef struct {
    const uint64_t *sums, *back;
    const int64_t *stops;
    const uint64_t *names;
    const int32_t *numbers;
    const int64_t *order, *bounds;
    int64_t n_tokens, n_grams, n_names;
} grams_t;

typedef struct {
    int64_t start, stop, partner; /* start and stop in the query, and start in the source */
} run_t;

typedef struct {
    run_t *runs; /* in malloc's memory; NULL for none */
    int64_t n;
} runs_t;

/* prepare.c: writes prefix sums of n token hashes, each times a power, and the inverse powers, which
 * name the runs. */
void runs_name(const uint64_t *hashes, int64_t n, uint64_t *sums, uint64_t *back);

#define RUN_BASE 0x9E3779B97F4A7C15u

/* Returns the name of a run of n tokens: the sum of their hashes, each times a power. */
INLINE uint64_t run_name(const uint64_t *hashes, int64_t n) {
    uint64_t name = 0;
    for (int64_t at = n - 1; at >= 0; at--) name = name * RUN_BASE + hashes[at];
    return name;
}

/* grams.c: writes the distinct names of the runs from each of n places to its stop, ascending; the places by name; where
 * the places of each name begin, and the end. Returns the number of names, or ALIGN_NO_MEMORY. */
int64_t grams_find(const uint64_t *sums, const uint64_t *back, const int64_t *stops, int64_t n, uint64_t *distinct,
                   int64_t *order, int64_t *bounds);

/* runs.c: finds the equal runs of two texts. Returns false if out of memory. */
bool runs_find(const grams_t *texts, runs_t *found);
/* Compares two runs for `qsort`: by start, then the longest first, then by start in the source. */
int runs_compare(const void *one, const void *other);

/* chains.c: puts each run into one chain of runs that follow each other in both texts. `order` becomes the runs of the chains, one chain after another, the worthiest chain
 * first; `bounds`, with room for n + 1, where each chain begins and the last ends. Returns the number of chains, or
 * ALIGN_NO_MEMORY. */
int64_t chains_find(const runs_t *runs, int64_t max_gap, int64_t *order, int64_t *bounds);

/* hops.c: tokens of a text, `Tokens` of types.py. */
typedef struct {
    const uint64_t *hashes;
    const uint8_t *singles;
    int64_t n;
} hashed_t;

/* Tokens to skip in the query and in the source, and the length of the equal run behind them, 0 for none. */
typedef struct {
    int64_t skipped[2], length;
} hop_t;

/* Finds the smallest edit at a pair of borders, outwards, that equal words follow. */
hop_t hop_find(const hashed_t *texts, int64_t here, int64_t there, bool forward);
