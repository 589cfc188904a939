/* Which documents have the hashes of a query. Each hash costs a line of the directory and a line or two of its bucket,
 * which are fetched some hashes ahead. */

#include <stdlib.h>

#include "postings.h"

enum { AHEAD = 16, FETCHED_BYTES = 192 };

INLINE uint64_t bucket_of(const postings_t *from, uint32_t hash) { return (uint64_t)hash >> from->shift; }

INLINE void fetch_directory(const postings_t *from, uint32_t hash) {
    __builtin_prefetch(from->directory + smaller(bucket_of(from, hash), from->n_buckets));
}

INLINE void fetch_bucket(const postings_t *from, uint32_t hash) {
    const uint8_t *at = from->bits + from->directory[smaller(bucket_of(from, hash), from->n_buckets)];
    for (int byte = 0; byte < FETCHED_BYTES; byte += LINE_BYTES) __builtin_prefetch(at + byte);
}

/* Finds the list of a hash. A hash without one has a count of 0. Returns 0 or PMBF_REFUSED. */
static int find_list(const postings_t *from, uint32_t hash, list_t *found) {
    const uint64_t bucket = bucket_of(from, hash);
    cursor_t cursor;
    list_t list;
    *found = (list_t){hash, 0, 0};
    if (bucket >= from->n_buckets) return 0;
    if (cursor_begin(&cursor, from, bucket)) return PMBF_REFUSED;
    for (int more; (more = cursor_next(&cursor, &list)); ) {
        if (more < 0) return more;
        if (list.hash < hash) continue;
        if (list.hash == hash) *found = list;
        break;
    }
    return 0;
}

/* Finds the list of each hash, and adds the number of its documents to `counts`. Returns 0 or PMBF_REFUSED. */
static int find_lists(const postings_t *from, const uint32_t *hashes, size_t n, list_t *lists, int64_t *counts) {
    for (size_t i = 0; i < smaller(n, AHEAD); i++) fetch_directory(from, hashes[i]);
    for (size_t i = 0; i < n; i++) {
        if (i + 2 * AHEAD < n) fetch_directory(from, hashes[i + 2 * AHEAD]);
        if (i + AHEAD < n) fetch_bucket(from, hashes[i + AHEAD]);
        if (find_list(from, hashes[i], &lists[i])) return PMBF_REFUSED;
        counts[i] += lists[i].count;
    }
    return 0;
}

INLINE int is_wanted(const list_t *list, int64_t count, int64_t limit) { return list->count && count <= limit; }

/* Counts the wanted postings of each chosen document. Returns their number, or PMBF_REFUSED. */
static int64_t count_documents(const postings_t *from, const list_t *lists, const int64_t *counts, size_t n,
                               int64_t limit, uint32_t *n_of) {
    int64_t n_taken = 0;
    for (size_t place = 0; place < n; place++) {
        if (!is_wanted(&lists[place], counts[place], limit)) continue;
        for (uint32_t i = 0; i < lists[place].count; i++) {
            uint64_t number = number_at(from->bits, lists[place].at, i, from->id_bits);
            if (RARE(number >= from->n_documents)) return PMBF_REFUSED;
            if (from->chosen && !from->chosen[number]) continue;
            n_of[number]++, n_taken++;
        }
    }
    return n_taken;
}

/* Writes document << 32 | place for each wanted posting, by document. `ends` has where the postings of each document
 * begin, and then where they end. */
static void place_documents(const postings_t *from, const list_t *lists, const int64_t *counts, size_t n, int64_t limit,
                            uint32_t *ends, uint64_t *out) {
    for (size_t place = 0; place < n; place++) {
        if (!is_wanted(&lists[place], counts[place], limit)) continue;
        for (uint32_t i = 0; i < lists[place].count; i++) {
            uint64_t number = number_at(from->bits, lists[place].at, i, from->id_bits);
            if (from->chosen && !from->chosen[number]) continue;
            out[ends[number]++] = (uint64_t)from->documents[number] << 32 | place;
        }
    }
}

/* Takes the wanted postings of one of the postings; with `out` NULL they are only counted. Returns their number,
 * PMBF_NO_MEMORY or PMBF_REFUSED. */
static int64_t take(const postings_t *from, const list_t *lists, const int64_t *counts, size_t n, int64_t limit,
                    uint64_t *out) {
    uint32_t *ends = calloc(from->n_documents + 1, sizeof *ends);
    if (!ends) return PMBF_NO_MEMORY;
    int64_t n_taken = count_documents(from, lists, counts, n, limit, ends);
    if (n_taken > 0 && out) {
        for (uint64_t number = 0, begin = 0, n_here; number < from->n_documents; number++, begin += n_here)
            n_here = ends[number], ends[number] = (uint32_t)begin;
        place_documents(from, lists, counts, n, limit, ends, out);
    }
    free(ends);
    return n_taken > UINT32_MAX ? PMBF_NO_MEMORY : n_taken;
}

EXPORT int64_t pmbf_find_postings(const postings_t *postings, size_t n_postings, const uint32_t *hashes, size_t n,
                                  list_t *lists, int64_t *counts) {
    for (size_t i = 0; i < n; i++) counts[i] = 0;
    for (size_t i = 0; i < n_postings; i++)
        if (find_lists(&postings[i], hashes, n, lists + i * n, counts)) return PMBF_REFUSED;
    return 0;
}

/* Writes document << 32 | place for each chosen document that has one of the hashes that at most `limit` documents
 * have, ascending in each of the postings; with `out` NULL they are only counted. The lists and counts are those that
 * pmbf_find_postings wrote. Returns their number, PMBF_NO_MEMORY or PMBF_REFUSED. */
EXPORT int64_t pmbf_take_postings(const postings_t *postings, size_t n_postings, size_t n, int64_t limit,
                                  const list_t *lists, const int64_t *counts, uint64_t *out) {
    int64_t n_taken = 0;
    for (size_t i = 0; i < n_postings; i++) {
        int64_t here = take(&postings[i], lists + i * n, counts, n, limit, out ? out + n_taken : NULL);
        if (here < 0) return here;
        n_taken += here;
    }
    return n_taken;
}
