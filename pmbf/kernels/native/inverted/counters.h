/* A counter for each document. What one list counts is told in the order of documents, and the counters are zero again.
 *
 *     counters   n_documents, and one more for documents that do not exist
 *     marks      a byte for each 64 counters, set if one of them may be above zero
 *
 * If a list has few postings, then marks are set, and only marked counters are looked at. If a list has many, then all
 * counters are looked at, and no mark is set: that saves a write for each posting. */

#pragma once

#include "inverted.h"

enum { MARKED = 64, MARKS_WORTH = 8 }; /* with a posting for every 8 documents all counters are looked at */

typedef struct {
    uint32_t *counters;
    uint8_t *marks;
    size_t n_documents, n_marks;
} counters_t;

/* Returns 0 or PMBF_NO_MEMORY. `counters_free` frees them, or none: all fields are zero then. */
int64_t counters_new(counters_t *counters, size_t n_documents);
void counters_free(counters_t *counters);

INLINE bool wants_marks(const counters_t *counters, uint64_t n_postings) {
    return n_postings * MARKS_WORTH < counters->n_documents;
}

/* Adds to the counter of a document, or to the last one. */
INLINE void count_one(const counters_t *counters, uint32_t document, uint32_t add, bool marked) {
    const size_t at = smaller(document, counters->n_documents);
    counters->counters[at] += add;
    if (marked) counters->marks[at / MARKED] = 1;
}

/* Returns whether a list and a document share enough features. */
INLINE bool is_told(uint32_t count, uint32_t document, size_t list, const telling_t *telling) {
    if (count < telling->min_shared) return false;
    if (!(telling->threshold > 0)) return true;
    const int64_t of_either = (int64_t)telling->list_sizes[list] + telling->sizes[document] - count;
    return of_either > 0 && (double)count / (double)of_either >= telling->threshold;
}

/* Counts the postings of some runs, from the last document down to `first`. */
void count_runs(const inverted_t *inverted, const run_t *runs, size_t n, uint64_t first, counters_t *counters,
                bool marked);

/* Appends the documents that are told, of list `list`, to `pairs`, and sets all counters to zero. No document below
 * `first` was counted. Returns 0, PMBF_NO_MEMORY, or PMBF_REFUSED if a document does not exist. */
int64_t tell_counts(counters_t *counters, bool marked, uint64_t first, size_t list, const telling_t *telling,
                    pairs_t *pairs);

/* Makes room for n more pairs. Returns 0 or PMBF_NO_MEMORY. */
int64_t pairs_reserve(pairs_t *pairs, size_t n);
