/* All pairs of lists whose Jaccard index is at least a threshold t.
 *
 * Two lists of a and b features that are so alike share at least t a features, and t (a + b) / (1 + t). So a list may
 * leave its s = ceil(t a) - 1 most common features uncounted: a document that is alike shares one of the others. The
 * others are counted. A document is a candidate if its count and s together may be enough. The features of a candidate
 * and of the list are then compared one by one. Most postings belong to common features: they are never read.
 *
 * Source: Chaudhuri, Ganti & Kaushik 2006, A Primitive Operator for Similarity Joins in Data Cleaning (the prefix
 * filter); Bayardo, Ma & Srikant 2007, Scaling Up All Pairs Similarity Search. Here the probing list alone has a prefix,
 * so no common order of the features is needed. */

#include <math.h>

#include "counters.h"

#define ALMOST (1 - 1e-9) /* of a bound, so that rounding leaves no pair out */

enum { CLASSES = 33 };

/* What a join needs for each list. */
typedef struct {
    const inverted_t *inverted;
    const lists_t *of; /* the features of each document of the index */
    double threshold;
    counters_t counters;
    run_t *runs;
    pairs_t candidates;
} join_t;

/* Returns the number of features that both ascending lists have. */
static uint32_t count_equal(const uint32_t *some, size_t n, const uint32_t *others, size_t m) {
    uint32_t n_equal = 0;
    for (size_t i = 0, j = 0; i < n && j < m;) {
        const uint32_t one = some[i], other = others[j];
        n_equal += one == other, i += one <= other, j += other <= one;
    }
    return n_equal;
}

/* Returns the class of a run: the bits of its length. */
static size_t class_of(run_t run) {
    const uint32_t n = run.stop - run.start;
    return n ? 32 - (size_t)__builtin_clz(n) : 0;
}

/* Takes the `n_left_out` longest runs away, except that runs of one class of length are taken as they come. Returns the
 * number of the other runs, and writes their postings. */
static size_t leave_out(run_t *runs, size_t n, size_t n_left_out, uint64_t *n_postings) {
    size_t sizes[CLASSES] = {0}, last = CLASSES, n_kept = 0;
    for (size_t i = 0; i < n; i++) sizes[class_of(runs[i])]++;
    while (last && n_left_out >= sizes[last - 1]) n_left_out -= sizes[--last]; /* classes from `last` on go */
    *n_postings = 0;
    for (size_t i = 0; i < n; i++) {
        const run_t run = runs[i];
        const size_t class = class_of(run);
        if (class >= last) continue;
        if (class + 1 == last && n_left_out) {
            n_left_out--;
            continue;
        }
        runs[n_kept++] = run, *n_postings += run.stop - run.start;
    }
    return n_kept;
}

/* Appends the candidates that are alike to `pairs`. */
static int64_t verify(const join_t *join, const uint32_t *features, size_t n, size_t n_left_out, pairs_t *pairs) {
    const pairs_t *candidates = &join->candidates;
    const double least_share = join->threshold / (1 + join->threshold) * ALMOST;
    if (pairs_reserve(pairs, candidates->n)) return PMBF_NO_MEMORY;
    for (size_t i = 0; i < candidates->n; i++) {
        const uint32_t document = candidates->documents[i];
        if (document >= join->of->n) return PMBF_REFUSED;
        const uint32_t *others = join->of->features + join->of->offsets[document];
        const size_t m = join->of->offsets[document + 1] - join->of->offsets[document];
        const double needed = least_share * (double)(n + m);
        if ((double)(candidates->counts[i] + n_left_out) < needed || (double)smaller(n, m) < needed) continue;
        const uint32_t shared = n_left_out ? count_equal(features, n, others, m) : candidates->counts[i];
        if (!shared || (double)shared / (double)(n + m - shared) < join->threshold) continue;
        pairs->documents[pairs->n] = document, pairs->counts[pairs->n++] = shared;
    }
    return 0;
}

static int64_t join_list(join_t *join, const uint32_t *features, size_t n, uint64_t first, pairs_t *pairs) {
    const telling_t all = {.min_shared = 1};
    const double own = ceil(join->threshold * (double)n * ALMOST);
    const size_t n_left_out = own > 1 ? (size_t)own - 1 : 0;
    uint64_t n_postings;
    if (!ascends(features, n)) return PMBF_UNSORTED;
    if (find_runs(join->inverted, features, n, join->runs) < 0) return PMBF_REFUSED;
    const size_t n_kept = leave_out(join->runs, n, n_left_out, &n_postings);
    const bool marked = wants_marks(&join->counters, n_postings);
    count_runs(join->inverted, join->runs, n_kept, first, &join->counters, marked);
    join->candidates.n = 0;
    const int64_t status = tell_counts(&join->counters, marked, first, 0, &all, &join->candidates);
    return status ? status : verify(join, features, n, n_left_out, pairs);
}

/* Tells for each list the documents of an index that are as similar as a threshold. `of`: the lists of the documents, as
 * many as the index has documents. `after`: see reference_counts.py; NULL: all documents. Returns 0, PMBF_NO_MEMORY,
 * PMBF_REFUSED for a damaged index, or PMBF_UNSORTED. */
EXPORT int64_t pmbf_jaccard_join(const inverted_t *inverted, const lists_t *of, const lists_t *lists,
                                 const uint32_t *after, double threshold, pairs_t *pairs) {
    join_t join = {.inverted = inverted, .of = of, .threshold = threshold};
    join.runs = malloc((longest_list(lists) + 1) * sizeof *join.runs);
    int64_t status = join.runs ? counters_new(&join.counters, inverted->n_documents) : PMBF_NO_MEMORY;
    pairs->offsets[0] = 0;
    for (size_t i = 0; i < lists->n && !status; i++) {
        const uint64_t start = lists->offsets[i], first = after ? (uint64_t)after[i] + 1 : 0;
        status = join_list(&join, lists->features + start, lists->offsets[i + 1] - start, first, pairs);
        pairs->offsets[i + 1] = pairs->n;
    }
    if (join.counters.counters) counters_free(&join.counters);
    free(join.candidates.documents);
    free(join.candidates.counts);
    free(join.runs);
    return status;
}
