/* Shared features, counted: of lists beside an index, and sums of such counts. */

#include "counters.h"
#include "sieve.h"

enum { SIEVE_WORTH = 8 }; /* with so many features of lists for each of the index */

typedef struct {
    const inverted_t *inverted;
    const telling_t *telling;
    counters_t counters;
    sieve_t sieve;    /* of the index; no bits: it is not worth it */
    run_t *runs;      /* of a list */
    uint32_t *sieved; /* the features of a list that the index may have */
} count_t;

static int64_t count_list(count_t *count, const lists_t *lists, size_t list, uint64_t first, pairs_t *pairs) {
    const uint32_t *features = lists->features + lists->offsets[list];
    size_t n = lists->offsets[list + 1] - lists->offsets[list];
    if (!ascends(features, n)) return PMBF_UNSORTED;
    if (count->sieve.bits) {
        size_t n_left = 0;
        for (size_t i = 0; i < n; i++) {
            count->sieved[n_left] = features[i];
            n_left += may_have(&count->sieve, features[i]);
        }
        features = count->sieved, n = n_left;
    }
    const int64_t n_postings = find_runs(count->inverted, features, n, count->runs);
    if (n_postings < 0) return n_postings;
    const bool marked = wants_marks(&count->counters, (uint64_t)n_postings);
    count_runs(count->inverted, count->runs, n, first, &count->counters, marked);
    return tell_counts(&count->counters, marked, first, list, count->telling, pairs);
}

/* Tells for each list the documents that share features with it. `after`: see reference_inverted.py; NULL: all documents.
 * Returns 0, PMBF_NO_MEMORY, PMBF_REFUSED for a damaged index, or PMBF_UNSORTED. */
EXPORT int64_t pmbf_shared_counts(const inverted_t *inverted, const lists_t *lists, const uint32_t *after,
                                  const telling_t *telling, pairs_t *pairs) {
    count_t count = {.inverted = inverted, .telling = telling};
    const size_t longest = longest_list(lists) + 1;
    count.runs = malloc(longest * sizeof *count.runs), count.sieved = malloc(longest * sizeof *count.sieved);
    int64_t status = count.runs && count.sieved ? counters_new(&count.counters, inverted->n_documents) : PMBF_NO_MEMORY;
    if (!status && inverted->n_features * SIEVE_WORTH < lists->offsets[lists->n])
        status = sieve_new(&count.sieve, inverted->features, inverted->n_features);
    pairs->offsets[0] = 0;
    for (size_t i = 0; i < lists->n && !status; i++) {
        const uint64_t first = after ? (uint64_t)after[i] + 1 : 0;
        status = count_list(&count, lists, i, first, pairs);
        pairs->offsets[i + 1] = pairs->n;
    }
    counters_free(&count.counters);
    free(count.runs), free(count.sieved), free(count.sieve.bits);
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
