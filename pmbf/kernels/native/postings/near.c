/* The documents that have several hashes of a query near each other. reference_evident.py says the same. */

#include <stdlib.h>

#include "postings.h"

/* What was met so far of the documents of all postings, those of the first ones in front. */
typedef struct {
    uint32_t *recent; /* [n_documents][least] the last places of each document, the latest last; 0: none */
    uint32_t *marks;  /* [n_documents] the last query plus one that has enough of the document near each other */
    size_t least, window;
} near_t;

/* Documents from one up to another, by their ids or by their numbers in a segment. */
typedef struct {
    uint64_t start, stop;
} range_t;

/* The ranges of a query in all segments: those of segment i are from firsts[i] to firsts[i + 1]. */
typedef struct {
    range_t *ranges;
    uint64_t *firsts;
} among_t;

/* The lists of one query. */
typedef struct {
    const segments_t *segments;
    among_t among;
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

/* Returns the first place of a list, from `at` on, whose number is `least` or more: in steps that double, then halve. */
static uint64_t first_from(const postings_t *from, const found_t *list, uint64_t at, uint64_t least) {
    uint64_t step = 1, stop = list->count;
    while (at + step < stop && number_at(from->bits, list->at, at + step, from->id_bits) < least) at += step, step *= 2;
    stop = smaller(stop, at + step);
    while (at < stop) {
        const uint64_t middle = at + (stop - at) / 2;
        if (number_at(from->bits, list->at, middle, from->id_bits) < least) at = middle + 1;
        else stop = middle;
    }
    return at;
}

/* Notes a posting if the documents are being marked; else writes it if its document is marked and `out` is not NULL. Returns how
 * many documents or keys there are more, or PMBF_REFUSED. */
INLINE int64_t meet(const near_t *near, const part_t *part, const found_t *list, uint64_t number, int is_marking, uint64_t *out) {
    const postings_t *from = &part->segments->postings[list->of];
    const uint64_t document = part->bases[list->of] + number;
    if (RARE(number >= from->n_documents)) return PMBF_REFUSED;
    if (is_marking) return note(near, document, (uint32_t)(list->hash + part->query * near->window + 1), part->query + 1);
    if (near->marks[document] != part->query + 1) return 0;
    if (check_pages(&from->pages, from->documents + number, sizeof *from->documents)) return PMBF_REFUSED;
    if (out) *out = (uint64_t)from->documents[number] << 32 | (list->hash - part->start);
    return 1;
}

/* Meets the postings of the documents in the ranges. Returns how many were marked, or how many keys there are. */
INLINE int64_t meet_all(const near_t *near, const part_t *part, int is_marking, uint64_t *out) {
    int64_t n_met = 0, more;
    for (const found_t *list = part->lists; list < part->lists + part->n; list++) {
        const postings_t *from = &part->segments->postings[list->of];
        const range_t *range = part->among.ranges + part->among.firsts[list->of], *last = part->among.ranges + part->among.firsts[list->of + 1];
        for (uint64_t i = 0; range < last; range++) {
            i = range->start ? first_from(from, list, i, range->start) : i;
            for (; i < list->count; i++, n_met += more) {
                const uint64_t number = number_at(from->bits, list->at, i, from->id_bits);
                if (number >= range->stop && range->stop < from->n_documents) break;
                if ((more = meet(near, part, list, number, is_marking, out ? out + n_met : NULL)) < 0) return more;
            }
        }
    }
    return n_met;
}

static int64_t mark(const near_t *near, const part_t *part) { return meet_all(near, part, 1, NULL); }

static int64_t take_marked(const near_t *near, const part_t *part, uint64_t *out) { return meet_all(near, part, 0, out); }

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

/* Returns the number of the first document of a segment whose id is `id` or more; PMBF_REFUSED for a damaged page. */
static int64_t number_from(const postings_t *from, uint64_t id) {
    uint64_t start = 0, stop = from->n_documents;
    while (start < stop) {
        const uint64_t middle = start + (stop - start) / 2;
        if (check_pages(&from->pages, from->documents + middle, sizeof *from->documents)) return PMBF_REFUSED;
        if (from->documents[middle] < id) start = middle + 1;
        else stop = middle;
    }
    return (int64_t)start;
}

/* Finds the ranges of numbers that n ranges of ids are in each segment. Returns 0 or PMBF_REFUSED. */
static int64_t find_ranges(const segments_t *segments, const range_t *ids, size_t n, among_t among) {
    uint64_t n_found = 0;
    for (uint64_t of = 0; of < segments->n_postings; of++) {
        const postings_t *from = &segments->postings[of];
        among.firsts[of] = n_found;
        for (size_t i = 0; i < n; i++) {
            const int64_t start = ids[i].start ? number_from(from, ids[i].start) : 0;
            const int64_t stop = ids[i].stop > UINT32_MAX ? (int64_t)from->n_documents : number_from(from, ids[i].stop);
            if (start < 0 || stop < 0) return PMBF_REFUSED;
            if (start < stop) among.ranges[n_found++] = (range_t){(uint64_t)start, (uint64_t)stop};
        }
    }
    among.firsts[segments->n_postings] = n_found;
    return 0;
}

/* Writes document << 32 | place for each hash of the documents that have `least` hashes of a query within `window` places:
 * those of query i end at `ends[i]` in `*found`, which is malloc's memory. The hashes of query i, distinct, are those from
 * bounds[i] to bounds[i + 1]; the ids of its documents, ascending, are in the ranges from among_bounds[i] to
 * among_bounds[i + 1]. Returns 0, PMBF_NO_MEMORY, or PMBF_REFUSED for damaged postings. */
EXPORT int64_t pmbf_find_near(const segments_t *segments, const uint64_t *hashes, const int64_t *bounds, size_t n_queries, size_t least,
                              size_t window, const range_t *ids, const int64_t *among_bounds, int64_t *ends, void **found) {
    const size_t n = (size_t)bounds[n_queries], n_ranges = (size_t)among_bounds[n_queries];
    uint64_t n_documents = 0, first = 0, *keys = NULL;
    uint64_t *bases = malloc((segments->n_postings + 1) * sizeof *bases);
    for (size_t i = 0; bases && i < segments->n_postings; i++) bases[i] = n_documents, n_documents += segments->postings[i].n_documents;
    found_lists_t lists = {NULL, 0, 0};
    int64_t *counts = malloc((n + 1) * sizeof *counts), status = PMBF_NO_MEMORY;
    const near_t near = {calloc(n_documents * least + 1, 4), calloc(n_documents + 1, 4), least, window};
    const among_t among = {malloc((n_ranges * segments->n_postings + 1) * sizeof(range_t)),
                           malloc((segments->n_postings + 1) * sizeof(uint64_t))};
    if (bases && counts && near.recent && near.marks && among.ranges && among.firsts)
        status = find_lists(segments, hashes, n, &lists, counts);
    for (size_t query = 0; status >= 0 && query < n_queries; query++) {
        uint64_t stop = first;
        while (stop < lists.n && lists.lists[stop].hash < bounds[query + 1]) stop++;
        const part_t part = {segments, among, bases, lists.lists + first, stop - first, (size_t)bounds[query], (uint32_t)query};
        const range_t *its = ids + among_bounds[query];
        if (find_ranges(segments, its, (size_t)(among_bounds[query + 1] - among_bounds[query]), among)) status = PMBF_REFUSED;
        else ends[query] = status = add_near(&near, &part, &keys, status);
        first = stop;
    }
    free(bases), free(lists.lists), free(counts), free(near.recent), free(near.marks), free(among.ranges), free(among.firsts);
    *found = keys;
    return status < 0 ? status : 0;
}
