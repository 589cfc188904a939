/* All pairs of lists whose Jaccard index is at least a threshold t.
 *
 * Two lists of a and b features that are so alike share at least t a features, and t (a + b) / (1 + t). So a list may
 * leave its s = ceil(t a) - 1 most common features uncounted: a document that is alike shares one of the others. The
 * others are counted. A document is a candidate if its count and s together may be enough. The features of a candidate
 * and of the list are then compared one by one. Most postings belong to common features: they are not read.
 *
 * Source: Chaudhuri, Ganti & Kaushik 2006, A Primitive Operator for Similarity Joins in Data Cleaning (the prefix
 * filter); Bayardo, Ma & Srikant 2007, Scaling Up All Pairs Similarity Search. Here the probing list alone has a
 * prefix, so no common order of the features is needed. */

#include <math.h>

#include "counters.h"

#define ALMOST (1 - 1e-9) /* of a bound, so that rounding leaves no pair out */

enum { CLASSES = 33 };

typedef struct {
    const inverted_t *inverted;
    const lists_t *of; /* the features of each document of the index */
    const telling_t *telling;
    counters_t counters;
    run_t *runs;
    pairs_t candidates;
} join_t;

/* A list that probes. */
typedef struct {
    size_t number;
    const uint32_t *features;
    size_t n, n_left_out;
    uint64_t first; /* documents before it do not count */
} probe_t;

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

/* Puts the `n_left_out` longest runs behind the others; runs of one class of length are taken as they come. Returns the
 * number of the others, and writes the postings of the others and of the longest ones. */
static size_t leave_out(run_t *runs, size_t n, size_t n_left_out, uint64_t n_postings[2]) {
    size_t sizes[CLASSES] = {0}, last = CLASSES, n_kept = 0;
    for (size_t i = 0; i < n; i++) sizes[class_of(runs[i])]++;
    while (last && n_left_out >= sizes[last - 1]) n_left_out -= sizes[--last]; /* classes from `last` on go */
    n_postings[0] = n_postings[1] = 0;
    for (size_t i = 0; i < n; i++) {
        const run_t run = runs[i];
        const size_t class = class_of(run);
        const bool at_edge = class + 1 == last && n_left_out, goes = class >= last || at_edge;
        n_left_out -= at_edge;
        n_postings[goes] += run.stop - run.start;
        if (goes) continue;
        runs[i] = runs[n_kept], runs[n_kept++] = run;
    }
    return n_kept;
}

/* Drops candidates that cannot be alike. Returns the features of the others and of the list beside each, or
 * PMBF_REFUSED for a document that has no list. */
static int64_t drop_candidates(join_t *join, const probe_t *probe) {
    pairs_t *candidates = &join->candidates;
    const double threshold = join->telling->threshold, least_share = threshold / (1 + threshold) * ALMOST;
    size_t n_left = 0, n_compared = 0;
    for (size_t i = 0; i < candidates->n; i++) {
        const uint32_t document = candidates->documents[i];
        if (document >= join->of->n) return PMBF_REFUSED;
        const size_t m = join->telling->sizes[document];
        const double needed = least_share * (double)(probe->n + m);
        const size_t most = smaller(candidates->counts[i] + probe->n_left_out, smaller(probe->n, m));
        if ((double)most < needed) continue;
        candidates->documents[n_left] = document, candidates->counts[n_left++] = candidates->counts[i];
        n_compared += probe->n + m;
    }
    candidates->n = n_left;
    return (int64_t)n_compared;
}

/* Appends the candidates that are alike. */
static int64_t verify(const join_t *join, const probe_t *probe, pairs_t *pairs) {
    if (pairs_reserve(pairs, join->candidates.n)) return PMBF_NO_MEMORY;
    for (size_t i = 0; i < join->candidates.n; i++) {
        const uint32_t document = join->candidates.documents[i];
        const uint64_t start = join->of->offsets[document], size = join->of->offsets[document + 1] - start;
        const uint32_t shared = probe->n_left_out
                                    ? count_equal(probe->features, probe->n, join->of->features + start, size)
                                    : join->candidates.counts[i];
        if (!shared || !is_told(shared, document, probe->number, join->telling)) continue;
        pairs->documents[pairs->n] = document, pairs->counts[pairs->n++] = shared;
    }
    return 0;
}

/* Counts all postings of the list, and tells what is alike. */
static int64_t count_whole(join_t *join, const probe_t *probe, uint64_t n_postings, pairs_t *pairs) {
    const bool marked = wants_marks(&join->counters, n_postings);
    count_runs(join->inverted, join->runs, probe->n, probe->first, &join->counters, marked);
    return tell_counts(&join->counters, marked, probe->first, probe->number, join->telling, pairs);
}

static int64_t join_list(join_t *join, probe_t *probe, pairs_t *pairs) {
    const telling_t all = {.min_shared = 1};
    const double own = ceil(join->telling->threshold * (double)probe->n * ALMOST);
    uint64_t n_postings[2];
    probe->n_left_out = own > 1 ? (size_t)own - 1 : 0;
    if (!ascends(probe->features, probe->n)) return PMBF_UNSORTED;
    if (find_runs(join->inverted, probe->features, probe->n, join->runs) < 0) return PMBF_REFUSED;
    const size_t n_kept = leave_out(join->runs, probe->n, probe->n_left_out, n_postings);
    const bool marked = wants_marks(&join->counters, n_postings[0]);
    count_runs(join->inverted, join->runs, n_kept, probe->first, &join->counters, marked);
    join->candidates.n = 0;
    const int64_t status = tell_counts(&join->counters, marked, probe->first, 0, &all, &join->candidates);
    const int64_t n_compared = status ? status : drop_candidates(join, probe);
    if (n_compared < 0) return n_compared;
    /* If there are many candidates, then the postings that were left out are read in less time. */
    if (probe->n_left_out && (uint64_t)n_compared > n_postings[1])
        return count_whole(join, probe, n_postings[0] + n_postings[1], pairs);
    return verify(join, probe, pairs);
}

/* Tells for each list the documents of an index that are as similar as `telling` says. `of`: the lists of the
 * documents, as many as the index has documents. `after`: see reference_inverted.py; NULL: all documents. Returns 0,
 * PMBF_NO_MEMORY, PMBF_REFUSED for a damaged index, or PMBF_UNSORTED. */
EXPORT int64_t pmbf_jaccard_join(const inverted_t *inverted, const lists_t *of, const lists_t *lists,
                                 const uint32_t *after, const telling_t *telling, pairs_t *pairs) {
    join_t join = {.inverted = inverted, .of = of, .telling = telling};
    join.runs = malloc((longest_list(lists) + 1) * sizeof *join.runs);
    int64_t status = join.runs ? counters_new(&join.counters, inverted->n_documents) : PMBF_NO_MEMORY;
    pairs->offsets[0] = 0;
    for (size_t i = 0; i < lists->n && !status; i++) {
        const uint64_t start = lists->offsets[i];
        probe_t probe = {.number = i, .features = lists->features + start, .n = lists->offsets[i + 1] - start,
                         .first = after ? (uint64_t)after[i] + 1 : 0};
        status = join_list(&join, &probe, pairs);
        pairs->offsets[i + 1] = pairs->n;
    }
    counters_free(&join.counters);
    free(join.candidates.documents);
    free(join.candidates.counts);
    free(join.runs);
    return status;
}
