/* Counters of documents, and what is told of them. */

#include "counters.h"

enum { TOGETHER = 16 };

int64_t counters_new(counters_t *counters, size_t n_documents) {
    const size_t n_marks = n_documents / MARKED + 1;
    uint32_t *numbers = calloc(n_marks * MARKED, sizeof *numbers);
    uint8_t *marks = calloc(n_marks, 1);
    *counters = (counters_t){numbers, marks, n_documents, n_marks};
    if (numbers && marks) return 0;
    counters_free(counters);
    return PMBF_NO_MEMORY;
}

void counters_free(counters_t *counters) {
    free(counters->counters);
    free(counters->marks);
    *counters = (counters_t){0};
}

int64_t pairs_reserve(pairs_t *pairs, size_t n) {
    if (pairs->n + n <= pairs->room) return 0;
    const size_t room = 2 * pairs->room + n;
    uint32_t *documents = realloc(pairs->documents, room * sizeof *documents);
    if (documents) pairs->documents = documents;
    uint32_t *counts = realloc(pairs->counts, room * sizeof *counts);
    if (counts) pairs->counts = counts;
    if (!documents || !counts) return PMBF_NO_MEMORY;
    pairs->room = room;
    return 0;
}

/* Tells TOGETHER counters from `first` on, and clears them. There is room for them. */
static void tell_some(counters_t *counters, size_t first, size_t list, const telling_t *telling, pairs_t *pairs) {
    uint32_t *numbers = counters->counters + first, any = 0;
    for (size_t i = 0; i < TOGETHER; i++) any |= numbers[i];
    if (!any) return;
    size_t n = pairs->n;
    for (size_t i = 0; i < TOGETHER; i++) {
        pairs->documents[n] = (uint32_t)(first + i), pairs->counts[n] = numbers[i];
        n += numbers[i] && is_told(numbers[i], (uint32_t)(first + i), list, telling);
    }
    pairs->n = n;
    memset(numbers, 0, TOGETHER * sizeof *numbers);
}

INLINE void count_all(const inverted_t *inverted, const run_t *runs, size_t n, uint64_t first,
                      const counters_t *counters, bool marked) {
    const uint32_t *documents = inverted->documents;
    for (size_t i = 0; i < n; i++)
        for (size_t at = runs[i].stop; at > runs[i].start && documents[at - 1] >= first; at--)
            count_one(counters, documents[at - 1], 1, marked);
}

void count_runs(const inverted_t *inverted, const run_t *runs, size_t n, uint64_t first, counters_t *counters,
                bool marked) {
    if (marked) count_all(inverted, runs, n, first, counters, true);
    else count_all(inverted, runs, n, first, counters, false);
}

int64_t tell_counts(counters_t *counters, bool marked, uint64_t first, size_t list, const telling_t *telling,
                    pairs_t *pairs) {
    if (counters->counters[counters->n_documents]) return PMBF_REFUSED;
    for (size_t mark = first / MARKED; mark < counters->n_marks; mark++) {
        if (marked && !counters->marks[mark]) continue;
        counters->marks[mark] = 0;
        if (pairs_reserve(pairs, MARKED)) return PMBF_NO_MEMORY;
        for (size_t i = 0; i < MARKED; i += TOGETHER) tell_some(counters, mark * MARKED + i, list, telling, pairs);
    }
    return 0;
}
