/* The documents that have several hashes of a query near each other. reference_near.py says the same. */

#include <stdlib.h>

#include "postings.h"

/* What was met so far of the documents of all postings, those of the first ones in front. */
typedef struct {
    uint32_t *recent; /* [n_documents][least] the last places of each document, the latest last; 0: none */
    uint32_t *marks;  /* [n_documents] the last query plus one that has enough of the document near each other */
    size_t least, window;
} near_t;

/* The lists of one query in one of the postings, and the number of the first document of these postings. */
typedef struct {
    const postings_t *from;
    const list_t *lists;
    uint64_t base;
    size_t start, stop; /* the hashes of the query */
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
    const postings_t *from = part->from;
    const size_t before = part->query * near->window + 1;
    int64_t n_marked = 0;
    for (size_t at = part->start; at < part->stop; at++)
        for (uint32_t i = 0; i < part->lists[at].count; i++) {
            const uint64_t number = number_at(from->bits, part->lists[at].at, i, from->id_bits);
            if (RARE(number >= from->n_documents)) return PMBF_REFUSED;
            n_marked += note(near, part->base + number, (uint32_t)(at + before), part->query + 1);
        }
    return n_marked;
}

/* Writes document << 32 | place for each hash of the marked documents; writes nothing if `out` is NULL. Returns how many,
 * or PMBF_REFUSED. */
static int64_t take_marked(const near_t *near, const part_t *part, uint64_t *out) {
    const postings_t *from = part->from;
    int64_t n_taken = 0;
    for (size_t at = part->start; at < part->stop; at++)
        for (uint32_t i = 0; i < part->lists[at].count; i++) {
            const uint64_t number = number_at(from->bits, part->lists[at].at, i, from->id_bits);
            if (near->marks[part->base + number] != part->query + 1) continue;
            if (check_pages(from, from->documents + number, sizeof *from->documents)) return PMBF_REFUSED;
            if (out) out[n_taken] = (uint64_t)from->documents[number] << 32 | (at - part->start);
            n_taken++;
        }
    return n_taken;
}

/* Adds the keys of a part to `*found`, which has `n_found`. Returns how many there are then, or an error. */
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

/* Writes document << 32 | place for each hash of the documents that have `least` hashes of a query, all in one of the
 * postings, within `window` places: those of query i end at `ends[i]` in `*found`, which is malloc's memory. The hashes
 * of query i, distinct, are those from bounds[i] to bounds[i + 1]. Returns 0, PMBF_NO_MEMORY, or PMBF_REFUSED for damaged
 * postings. */
EXPORT int64_t pmbf_find_near(const postings_t *postings, size_t n_postings, const uint64_t *hashes, const int64_t *bounds,
                              size_t n_queries, size_t least, size_t window, int64_t *ends, void **found) {
    const size_t n = (size_t)bounds[n_queries];
    uint64_t n_documents = 0, *keys = NULL;
    for (size_t i = 0; i < n_postings; i++) n_documents += postings[i].n_documents;
    list_t *lists = malloc((n * n_postings + 1) * sizeof *lists);
    int64_t *counts = malloc((n + 1) * sizeof *counts), status = PMBF_NO_MEMORY;
    const near_t near = {calloc(n_documents * least + 1, 4), calloc(n_documents + 1, 4), least, window};
    if (lists && counts && near.recent && near.marks) status = pmbf_find_postings(postings, n_postings, hashes, n, lists, counts);
    for (size_t query = 0; status >= 0 && query < n_queries; query++) {
        uint64_t base = 0;
        for (size_t i = 0; status >= 0 && i < n_postings; base += postings[i++].n_documents) {
            const part_t part = {&postings[i], lists + i * n, base, (size_t)bounds[query], (size_t)bounds[query + 1], (uint32_t)query};
            status = add_near(&near, &part, &keys, status);
        }
        ends[query] = status;
    }
    free(lists), free(counts), free(near.recent), free(near.marks);
    *found = keys;
    return status < 0 ? status : 0;
}
