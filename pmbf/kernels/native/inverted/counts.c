/* Shared features, counted: of lists beside an index, and sums of such counts. */

#include "counters.h"

static int64_t count_list(const inverted_t *inverted, const lists_t *lists, size_t list, uint64_t first, run_t *runs,
                          counters_t *counters, const telling_t *telling, pairs_t *pairs) {
    const uint32_t *features = lists->features + lists->offsets[list];
    const size_t n = lists->offsets[list + 1] - lists->offsets[list];
    if (!ascends(features, n)) return PMBF_UNSORTED;
    const int64_t n_postings = find_runs(inverted, features, n, runs);
    if (n_postings < 0) return n_postings;
    const bool marked = wants_marks(counters, (uint64_t)n_postings);
    count_runs(inverted, runs, n, first, counters, marked);
    return tell_counts(counters, marked, first, list, telling, pairs);
}

/* Tells for each list the documents that share features with it. `after`: see reference_inverted.py; NULL: all documents.
 * Returns 0, PMBF_NO_MEMORY, PMBF_REFUSED for a damaged index, or PMBF_UNSORTED. */
EXPORT int64_t pmbf_shared_counts(const inverted_t *inverted, const lists_t *lists, const uint32_t *after,
                                  const telling_t *telling, pairs_t *pairs) {
    counters_t counters = {0};
    run_t *runs = malloc((longest_list(lists) + 1) * sizeof *runs);
    int64_t status = runs ? counters_new(&counters, inverted->n_documents) : PMBF_NO_MEMORY;
    pairs->offsets[0] = 0;
    for (size_t i = 0; i < lists->n && !status; i++) {
        const uint64_t first = after ? (uint64_t)after[i] + 1 : 0;
        status = count_list(inverted, lists, i, first, runs, &counters, telling, pairs);
        pairs->offsets[i + 1] = pairs->n;
    }
    counters_free(&counters);
    free(runs);
    return status;
}

/* Sums partial counts of the same lists. All documents are below `n_documents`. Returns 0 or PMBF_NO_MEMORY. */
EXPORT int64_t pmbf_merge_counts(const pairs_t *parts, size_t n_parts, size_t n_lists, size_t n_documents,
                                 const telling_t *telling, pairs_t *pairs) {
    counters_t counters;
    int64_t status = counters_new(&counters, n_documents);
    if (status) return status;
    pairs->offsets[0] = 0;
    for (size_t list = 0; list < n_lists && !status; list++) {
        uint64_t n = 0;
        for (size_t i = 0; i < n_parts; i++) n += parts[i].offsets[list + 1] - parts[i].offsets[list];
        const bool marked = wants_marks(&counters, n);
        for (size_t i = 0; i < n_parts; i++)
            for (size_t at = parts[i].offsets[list]; at < parts[i].offsets[list + 1]; at++)
                count_one(&counters, parts[i].documents[at], parts[i].counts[at], marked);
        status = tell_counts(&counters, marked, 0, list, telling, pairs);
        pairs->offsets[list + 1] = pairs->n;
    }
    counters_free(&counters);
    return status;
}

/* Frees an array of pairs, or a list's features, that Python has done with. */
EXPORT void pmbf_free(void *block) { free(block); }
