/* Which documents have the hashes of a query. Each hash costs a line of the directory and a line or two of its bucket,
 * which are fetched some hashes ahead. */

#include "postings.h"

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

/* Finds the list of a hash. A hash without one has a count of 0. Returns 0 or PMBF_REFUSED. */
static int find_list(const postings_t *from, uint64_t hash, found_t *found) {
    const uint64_t bucket = bucket_of(from, hash);
    cursor_t cursor;
    list_t list;
    if (bucket >= from->n_buckets) return 0;
    if (check_pages(&from->pages, from->directory + bucket, 2 * sizeof *from->directory)) return PMBF_REFUSED;
    if (cursor_begin(&cursor, from, bucket)) return PMBF_REFUSED;
    if (cursor.at == cursor.stop) return 0;
    if (check_pages(&from->pages, from->bits + cursor.at / 8, (cursor.stop - cursor.at) / 8)) return PMBF_REFUSED;
    for (int more; (more = cursor_next(&cursor, &list)); ) {
        if (more < 0) return more;
        if (list.hash < hash) continue;
        if (list.hash == hash) found->at = list.at, found->count = list.count;
        break;
    }
    return 0;
}

int64_t find_lists(const segments_t *segments, const uint64_t *hashes, size_t n, found_lists_t *found, int64_t *counts) {
    const postings_t *postings = segments->postings;
    const int64_t status = find_segments(segments, hashes, n, found);
    found_t *lists = found->lists;
    uint64_t n_found = 0;
    if (status) return status;
    memset(counts, 0, n * sizeof *counts);
    for (uint64_t i = 0; i < found->n + 2 * AHEAD; i++) {
        if (i < found->n) fetch_directory(&postings[lists[i].of], hashes[lists[i].hash]);
        if (i >= AHEAD && i - AHEAD < found->n) fetch_bucket(&postings[lists[i - AHEAD].of], hashes[lists[i - AHEAD].hash]);
        if (i < 2 * AHEAD) continue;
        found_t list = lists[i - 2 * AHEAD];
        if (find_list(&postings[list.of], hashes[list.hash], &list)) return PMBF_REFUSED;
        counts[list.hash] += (int64_t)list.count;
        if (list.count) lists[n_found++] = list;
    }
    found->n = n_found;
    return 0;
}

/* Writes document << 32 | number of the hash for each document of a list. Returns their number, or PMBF_REFUSED. */
static int64_t take(const postings_t *from, const found_t *list, uint64_t *out) {
    for (uint64_t i = 0; i < list->count; i++) {
        const uint64_t number = number_at(from->bits, list->at, i, from->id_bits);
        if (RARE(number >= from->n_documents)) return PMBF_REFUSED;
        if (check_pages(&from->pages, from->documents + number, sizeof *from->documents)) return PMBF_REFUSED;
        out[i] = (uint64_t)from->documents[number] << 32 | list->hash;
    }
    return (int64_t)list->count;
}

/* Counts the documents that have each of n hashes. Writes document << 32 | number of the hash for each document that has
 * one of the hashes that at most `limit` documents have, to `keys`, in malloc's memory. Returns how many keys there are,
 * PMBF_NO_MEMORY, or PMBF_REFUSED for damaged postings. */
EXPORT int64_t pmbf_find_postings(const segments_t *segments, const uint64_t *hashes, size_t n, int64_t limit, int64_t *counts,
                                  void **keys) {
    found_lists_t found = {NULL, 0, 0};
    int64_t n_keys = 0, n_taken = 0, status = find_lists(segments, hashes, n, &found, counts);
    uint64_t *out = NULL;
    for (size_t i = 0; !status && i < n; i++) n_keys += counts[i] <= limit ? counts[i] : 0;
    if (!status && !(out = malloc((size_t)(n_keys + 1) * sizeof *out))) status = PMBF_NO_MEMORY;
    for (uint64_t i = 0; status >= 0 && i < found.n; i++) {
        if (counts[found.lists[i].hash] > limit) continue;
        status = take(&segments->postings[found.lists[i].of], &found.lists[i], out + n_taken);
        n_taken += status;
    }
    free(found.lists);
    *keys = out;
    return status < 0 ? status : n_taken;
}
