/* Which documents have the hashes of a query. Each hash costs a line of the directory and a line or two of its bucket,
 * which are fetched some hashes ahead. */

#include "postings.h"

#include "../records/records.h"

enum { AHEAD = 16, MOST_FETCHED = 3 };

INLINE uint64_t bucket_of(const postings_t *from, uint64_t hash) { return hash >> from->shift; }

INLINE void fetch_directory(const postings_t *from, uint64_t hash) {
    __builtin_prefetch(from->directory + smaller(bucket_of(from, hash), from->n_buckets));
}

/* Fetches the lines of a bucket, which its directory lines tell. */
INLINE void fetch_bucket(const postings_t *from, uint64_t hash) {
    const uint64_t bucket = bucket_of(from, hash);
    if (bucket >= from->n_buckets) return;
    const uint64_t start = from->directory[bucket], stop = from->directory[bucket + 1];
    const uint8_t *line = (const uint8_t *)((uintptr_t)(from->bits + start) & -(uintptr_t)LINE_BYTES);
    for (int n = 0; n < MOST_FETCHED && line < from->bits + stop; n++, line += LINE_BYTES) __builtin_prefetch(line);
}

int postings_check(const postings_t *from, size_t first, size_t last) {
    for (size_t page = first; page <= last; page++) {
        if (from->checked[page]) continue;
        const size_t start = page * from->page_bytes, n = smaller(from->page_bytes, from->n_file_bytes - start);
        if (checksum(from->file + start, n) != from->sums[page]) return PMBF_REFUSED;
        from->checked[page] = 1;
    }
    return 0;
}

/* Finds the list of a hash. A hash without one has a count of 0. Returns 0 or PMBF_REFUSED. */
static int find_list(const postings_t *from, uint64_t hash, list_t *found) {
    const uint64_t bucket = bucket_of(from, hash);
    cursor_t cursor;
    list_t list;
    *found = (list_t){hash, 0, 0};
    if (bucket >= from->n_buckets) return 0;
    if (check_pages(from, from->directory + bucket, 2 * sizeof *from->directory)) return PMBF_REFUSED;
    if (cursor_begin(&cursor, from, bucket)) return PMBF_REFUSED;
    if (cursor.at == cursor.stop) return 0;
    if (check_pages(from, from->bits + cursor.at / 8, (cursor.stop - cursor.at) / 8)) return PMBF_REFUSED;
    for (int more; (more = cursor_next(&cursor, &list)); ) {
        if (more < 0) return more;
        if (list.hash < hash) continue;
        if (list.hash == hash) *found = list;
        break;
    }
    return 0;
}

/* Finds the list of each hash, and adds the number of its documents to `counts`. Returns 0 or PMBF_REFUSED. */
static int find_lists(const postings_t *from, const uint64_t *hashes, size_t n, list_t *lists, int64_t *counts) {
    for (size_t i = 0; i < smaller(n, 2 * AHEAD); i++) fetch_directory(from, hashes[i]);
    for (size_t i = 0; i < smaller(n, AHEAD); i++) fetch_bucket(from, hashes[i]);
    for (size_t i = 0; i < n; i++) {
        if (i + 2 * AHEAD < n) fetch_directory(from, hashes[i + 2 * AHEAD]);
        if (i + AHEAD < n) fetch_bucket(from, hashes[i + AHEAD]);
        if (find_list(from, hashes[i], &lists[i])) return PMBF_REFUSED;
        counts[i] += lists[i].count;
    }
    return 0;
}

EXPORT int64_t pmbf_find_postings(const postings_t *postings, size_t n_postings, const uint64_t *hashes, size_t n,
                                  list_t *lists, int64_t *counts) {
    for (size_t i = 0; i < n; i++) counts[i] = 0;
    for (size_t i = 0; i < n_postings; i++)
        if (find_lists(&postings[i], hashes, n, lists + i * n, counts)) return PMBF_REFUSED;
    return 0;
}

/* Writes document << 32 | place for each document of a list that is chosen. Returns the number of them, or
 * PMBF_REFUSED. */
static int64_t take(const postings_t *from, const list_t *list, const uint8_t *chosen, size_t n_chosen, uint64_t place,
                    uint64_t *out) {
    int64_t n_taken = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const uint64_t number = number_at(from->bits, list->at, i, from->id_bits);
        if (RARE(number >= from->n_documents)) return PMBF_REFUSED;
        if (check_pages(from, from->documents + number, sizeof *from->documents)) return PMBF_REFUSED;
        const uint32_t document = from->documents[number];
        if (chosen && (document >= n_chosen || !chosen[document])) continue;
        out[n_taken++] = (uint64_t)document << 32 | place;
    }
    return n_taken;
}

/* Writes document << 32 | place for each document that has one of the hashes that at most `limit` documents have, by
 * place. The lists and counts are those that pmbf_find_postings wrote. `chosen` says of each id below `n_chosen`
 * whether the document is looked for; NULL: all are. Returns their number, or PMBF_REFUSED. */
EXPORT int64_t pmbf_take_postings(const postings_t *postings, size_t n_postings, size_t n, int64_t limit,
                                  const list_t *lists, const int64_t *counts, const uint8_t *chosen, size_t n_chosen,
                                  uint64_t *out) {
    int64_t n_taken = 0;
    for (size_t place = 0; place < n; place++) {
        if (counts[place] > limit) continue;
        for (size_t i = 0; i < n_postings; i++) {
            const list_t *list = lists + i * n + place;
            int64_t here = list->count ? take(&postings[i], list, chosen, n_chosen, place, out + n_taken) : 0;
            if (here < 0) return here;
            n_taken += here;
        }
    }
    return n_taken;
}
