/* The documents that have several hashes of a query near each other. reference_evident.py says the same. */

#include <stdlib.h>

#include "postings.h"

/* What was met so far of the documents of all postings, those of the first ones in front. */
typedef struct {
    uint32_t *recent; /* [n_documents][least] the last places of each document, the latest last; 0: none */
    uint32_t *marks;  /* [n_documents] the last query plus one that has enough of the document near each other */
    size_t least, window;
} near_t;

/* The lists of one query. */
typedef struct {
    const segments_t *segments;
    const uint64_t *bases; /* of each segment, the number of its first document */
    const found_t *lists;
    uint64_t n;
    size_t start; /* the number of the query's first hash */
    uint32_t query;
} part_t;

/* Notes that a document has the hash of a place, counted from 1. Places ascend; a window lies between two queries. */
INLINE int64_t note(const near_t *near, uint64_t document, uint32_t place, uint32_t mark) {
    uint32_t *recent = near->recent + document * near->least;
    memmove(recent, recent + 1, (near->least - 1) * sizeof *recent);
    recent[near->least - 1] = place;
    if (!recent[0] || place - recent[0] >= near->window || near->marks[document] == mark) return 0;
    near->marks[document] = mark;
    return 1;
}

/* Marks documents. Returns how many, or PMBF_REFUSED. */
static int64_t mark(const near_t *near, const part_t *part) {
    const size_t before = part->query * near->window + 1;
    int64_t n_marked = 0;
    for (uint64_t at = 0; at < part->n; at++) {
        const found_t *list = &part->lists[at];
        const postings_t *from = &part->segments->postings[list->of];
        for (uint64_t i = 0; i < list->count; i++) {
            const uint64_t number = number_at(from->bits, list->at, i, from->id_bits);
            if (RARE(number >= from->n_documents)) return PMBF_REFUSED;
            n_marked += note(near, part->bases[list->of] + number, (uint32_t)(list->hash + before), part->query + 1);
        }
    }
    return n_marked;
}

/* Writes document << 32 | place for each hash of the marked documents; writes nothing if `out` is NULL. Returns how many,
 * or PMBF_REFUSED. */
static int64_t take_marked(const near_t *near, const part_t *part, uint64_t *out) {
    int64_t n_taken = 0;
    for (uint64_t at = 0; at < part->n; at++) {
        const found_t *list = &part->lists[at];
        const postings_t *from = &part->segments->postings[list->of];
        for (uint64_t i = 0; i < list->count; i++) {
            const uint64_t number = number_at(from->bits, list->at, i, from->id_bits);
            if (near->marks[part->bases[list->of] + number] != part->query + 1) continue;
            if (check_pages(&from->pages, from->documents + number, sizeof *from->documents)) return PMBF_REFUSED;
            if (out) out[n_taken] = (uint64_t)from->documents[number] << 32 | (list->hash - part->start);
            n_taken++;
        }
    }
    return n_taken;
}

/* Adds the keys of a query to `*found`, which has `n_found`. Returns how many there are then, or an error. */
static int64_t add_near(const near_t *near, const part_t *part, uint64_t **found, int64_t n_found) {
    const int64_t n_marked = mark(near, part);
    if (n_marked <= 0) return n_marked ? n_marked : n_found;
    const int64_t n_keys = take_marked(near, part, NULL);
    if (n_keys < 0) return n_keys;
    uint64_t *more = realloc(*found, (size_t)(n_found + n_keys) * sizeof **found);
    if (!more) return PMBF_NO_MEMORY;
    *found = more;
    return n_found + take_marked(near, part, *found + n_found);
}

/* Writes document << 32 | place for each hash of the documents that have `least` hashes of a query within `window` places:
 * those of query i end at `ends[i]` in `*found`, which is malloc's memory. The hashes of query i, distinct, are those from
 * bounds[i] to bounds[i + 1]. Returns 0, PMBF_NO_MEMORY, or PMBF_REFUSED for damaged postings. */
EXPORT int64_t pmbf_find_near(const segments_t *segments, const uint64_t *hashes, const int64_t *bounds, size_t n_queries, size_t least,
                              size_t window, int64_t *ends, void **found) {
    const size_t n = (size_t)bounds[n_queries];
    uint64_t n_documents = 0, first = 0, *keys = NULL;
    uint64_t *bases = malloc((segments->n_postings + 1) * sizeof *bases);
    for (size_t i = 0; bases && i < segments->n_postings; i++) bases[i] = n_documents, n_documents += segments->postings[i].n_documents;
    found_lists_t lists = {NULL, 0, 0};
    int64_t *counts = malloc((n + 1) * sizeof *counts), status = PMBF_NO_MEMORY;
    const near_t near = {calloc(n_documents * least + 1, 4), calloc(n_documents + 1, 4), least, window};
    if (bases && counts && near.recent && near.marks) status = find_lists(segments, hashes, n, &lists, counts);
    for (size_t query = 0; status >= 0 && query < n_queries; query++) {
        uint64_t stop = first;
        while (stop < lists.n && lists.lists[stop].hash < bounds[query + 1]) stop++;
        const part_t part = {segments, bases, lists.lists + first, stop - first, (size_t)bounds[query], (uint32_t)query};
        ends[query] = status = add_near(&near, &part, &keys, status);
        first = stop;
    }
    free(bases), free(lists.lists), free(counts), free(near.recent), free(near.marks);
    *found = keys;
    return status < 0 ? status : 0;
}
