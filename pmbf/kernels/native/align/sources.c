/* Many texts made ready in one call, and queries compared with their sources in another. */

#include "explore.h"
#include "query.h"

#include <stdlib.h>

/* A text, `_SOURCE` of native_compare.py. */
typedef struct {
    const uint8_t *utf8;
    int64_t size;
    const uint8_t *block; /* the text made ready, or NULL */
    void *made;           /* the block that was made here, in malloc's memory, or NULL */
    int64_t made_size;
} source_t;

/* Returns a text made ready, or NULL with the error of `ready_make` in `status`. */
static const uint8_t *block_of(source_t *source, const counts_t *counts, const table_t *table, const int64_t *commonest, int64_t *status) {
    if (source->block) return source->block;
    if (source->made) return source->made;
    source->made_size = ready_make(table, counts, commonest, source->utf8, source->size, &source->made);
    *status = source->made_size;
    return source->made;
}

/* Makes n texts ready. Returns 0, or the error of `ready_make`. What was made is to be freed in any case. */
EXPORT int64_t pmbf_align_ready(const counts_t *others, const table_t *table, const int64_t *commonest, source_t *sources, int64_t n) {
    int64_t status = 0;
    for (source_t *source = sources; source < sources + n; source++)
        if (!block_of(source, others, table, commonest, &status)) return status;
    return 0;
}

/* A query of a batch, `_QUERY` of native_compare.py: its block, its own counts as for `query_make`, and the answers that are
 * to be found. */
typedef struct {
    const uint8_t *block;
    const terms_t *terms;
    const int32_t *own;
    int64_t n_answers;
} batched_t;

/* What a query shares with one source, `_ANSWER` of native_compare.py. */
typedef struct {
    int64_t source; /* its number */
    line_t *lines;  /* in malloc's memory, or NULL */
    int64_t n_lines;
} answer_t;

static int64_t answer(const query_t *query, const uint8_t *block, answer_t *found) {
    found->n_lines = block ? compare(&query->asked, block, &found->lines) : 0;
    return least(0, found->n_lines);
}

/* Compares each of n queries with its sources, and makes those ready that are not. `answers` has those of the first
 * query, then those of the second, and so on. Returns 0, or the error of `ready_make` or
 * `compare`. What was made and found is to be freed in any case. */
EXPORT int64_t pmbf_align_compare(const table_t *table, const int64_t *commonest, const batched_t *queries, int64_t n, source_t *sources, answer_t *answers) {
    int64_t status = 0;
    for (const batched_t *one = queries; one < queries + n && status >= 0; one++) {
        query_t query;
        if (!query_make(&query, one->block, one->terms, one->own)) status = ALIGN_NO_MEMORY;
        for (answer_t *end = answers + one->n_answers; status >= 0 && answers < end; answers++) {
            const uint8_t *block = block_of(&sources[answers->source], &one->terms->counts, table, commonest, &status);
            int64_t found = answer(&query, block, answers);
            status = block ? found : status;
        }
        query_free(&query);
    }
    return least(0, status);
}
