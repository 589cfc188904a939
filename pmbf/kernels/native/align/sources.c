/* A query compared with many texts in one call. */

#include "explore.h"

#include <stdlib.h>

/* A text, `_Source` of native_sources.py. */
typedef struct {
    const uint8_t *utf8;
    int64_t size;
    const uint8_t *block; /* the text made ready, or NULL */
    void *made;           /* the block that was made here, in malloc's memory, or NULL */
    int64_t made_size;
    line_t *lines; /* its passages, in malloc's memory, or NULL */
    int64_t n_lines;
} source_t;

/* Returns a text made ready, or NULL with the error of `pmbf_align_ready` in `status`. */
static const uint8_t *block_of(source_t *source, const asked_t *asked, const table_t *table, const int64_t *commonest, int64_t *status) {
    if (source->block) return source->block;
    source->made_size = pmbf_align_ready(table, asked->counts, commonest, source->utf8, source->size, &source->made);
    *status = source->made_size;
    return source->made;
}

/* Makes those of n texts ready that are not, and compares each with the query. Returns 0, or the error of
 * `pmbf_align_ready` or `pmbf_align_compare`. What was made and found is to be freed in any case. */
EXPORT int64_t pmbf_align_sources(const asked_t *asked, const table_t *table, const int64_t *commonest, source_t *sources, int64_t n) {
    int64_t status = 0;
    for (source_t *source = sources; source < sources + n; source++) {
        const uint8_t *block = block_of(source, asked, table, commonest, &status);
        if (!block) return status;
        source->n_lines = pmbf_align_compare(asked, block, &source->lines);
        if (source->n_lines < 0) return source->n_lines;
    }
    return 0;
}
