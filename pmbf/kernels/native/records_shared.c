/* Which hashes of a query the fingerprints of many documents have, in one call: records are checked, decoded and
 * compared one after another, and the next one is fetched meanwhile.
 *
 * Most hashes of a document are none of the query's. A table of bits, some sixty for each hash of the query, says so of
 * all but one in sixty; sampled hashes are spread evenly up to their largest, so their upper bits choose the bit. */

#include "records.h"

enum { RECORD_HEAD_BYTES = 8, TABLE_BITS_EACH = 64, TABLE_MAX_BITS = 26, FETCHED_BYTES = 4096, ALL_WHOLE = -1, NO_ROOM = -2 };

typedef struct {
    const uint32_t *hashes; /* ascending, distinct */
    size_t n_hashes, n_bits;
    unsigned shift;
    uint64_t *bits; /* one more than n_bits, the last of them 0 */
} wanted_t;

typedef struct {
    const uint8_t *at;
    size_t n_bytes;
} record_t;

static int wanted_make(wanted_t *wanted, const uint32_t *hashes, size_t n) {
    unsigned width = n ? 32u - (unsigned)__builtin_clz(hashes[n - 1] | 1u) : 1, useful = 1;
    while (useful < TABLE_MAX_BITS && (size_t)1 << useful < TABLE_BITS_EACH * n) useful++;
    unsigned shift = width > useful ? width - useful : 0;
    size_t n_bits = n ? ((size_t)hashes[n - 1] >> shift) + 1 : 0;
    *wanted = (wanted_t){hashes, n, n_bits, shift, calloc(n_bits / 64 + 1, sizeof(uint64_t))};
    if (!wanted->bits) return 0;
    for (size_t i = 0; i < n; i++) wanted->bits[hashes[i] >> shift >> 6] |= (uint64_t)1 << (hashes[i] >> shift) % 64;
    return 1;
}

/* Moves the hashes that may be wanted to the front; returns how many. */
INLINE size_t keep_likely(const wanted_t *wanted, uint32_t *hashes, size_t n) {
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t hash = hashes[i];
        size_t bit = smaller(hash >> wanted->shift, wanted->n_bits);
        hashes[n_kept] = hash;
        n_kept += wanted->bits[bit / 64] >> bit % 64 & 1;
    }
    return n_kept;
}

/* Writes the places of hashes among the wanted ones; returns how many have one. */
static size_t write_places(const wanted_t *wanted, const uint32_t *hashes, size_t n, uint32_t *out) {
    size_t n_found = 0;
    for (size_t i = 0; i < n; i++) {
        size_t below = 0, above = wanted->n_hashes;
        while (below < above) {
            size_t middle = below + (above - below) / 2;
            if (wanted->hashes[middle] < hashes[i]) below = middle + 1;
            else above = middle;
        }
        out[n_found] = (uint32_t)below;
        n_found += below < wanted->n_hashes && wanted->hashes[below] == hashes[i];
    }
    return n_found;
}

static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Brings the places of several parts into one order; those of one part are in it. */
static size_t sort_distinct(uint32_t *places, size_t n) {
    size_t n_kept = 0, n_ascending = n > 0;
    while (n_ascending < n && places[n_ascending - 1] < places[n_ascending]) n_ascending++;
    if (n_ascending == n) return n;
    qsort(places, n, sizeof *places, compare);
    for (size_t i = 0; i < n; i++)
        if (!i || places[i] != places[i - 1]) places[n_kept++] = places[i];
    return n_kept;
}

static uint32_t read_word(const uint8_t *at) {
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Writes the places of a record's hashes, ascending, each once; returns how many, or -1 when the record is damaged. */
static int64_t shared_of(const record_t *record, const wanted_t *wanted, uint32_t *hashes, uint32_t *out) {
    const uint8_t *end = record->at + record->n_bytes;
    if (record->n_bytes < RECORD_HEAD_BYTES) return -1;
    if (read_word(record->at) != checksum(record->at + 4, record->n_bytes - 4)) return -1;
    size_t n_parts = read_word(record->at + 4), n_found = 0;
    const uint8_t *counts = record->at + RECORD_HEAD_BYTES, *at = counts + 4 * n_parts;
    if (n_parts > (record->n_bytes - RECORD_HEAD_BYTES) / 4) return -1;
    for (size_t part = 0; part < n_parts; part++) {
        size_t n = read_word(counts + 4 * part);
        if (n > (size_t)(end - at) || !(at = decode_gaps(at, end, n, hashes))) return -1;
        n_found += write_places(wanted, hashes, keep_likely(wanted, hashes, n), out + n_found);
    }
    return (int64_t)sort_distinct(out, n_found);
}

INLINE void fetch(const record_t *record) {
    for (size_t byte = 0; byte < smaller(record->n_bytes, FETCHED_BYTES); byte += LINE_BYTES)
        __builtin_prefetch(record->at + byte);
}

static int64_t all_shared(const uint64_t *addresses, const uint32_t *sizes, size_t n, const wanted_t *wanted,
                          uint32_t *hashes, int64_t *bounds, uint32_t *places) {
    bounds[0] = 0;
    for (size_t i = 0; i < n; i++) {
        record_t record = {(const uint8_t *)(uintptr_t)addresses[i], sizes[i]};
        if (i + 1 < n) fetch(&(record_t){(const uint8_t *)(uintptr_t)addresses[i + 1], sizes[i + 1]});
        int64_t n_found = shared_of(&record, wanted, hashes, places + bounds[i]);
        if (n_found < 0) return (int64_t)i;
        bounds[i + 1] = bounds[i] + n_found;
    }
    return ALL_WHOLE;
}

/* Writes which wanted hashes, ascending and distinct, each record has: places[bounds[i] … bounds[i + 1]). There is room
 * for as many places as each record has bytes, at most one each of the wanted, and once more for the largest record.
 * Returns the first record that is damaged, ALL_WHOLE, or NO_ROOM. */
EXPORT int64_t pmbf_shared(const uint64_t *addresses, const uint32_t *sizes, size_t n, const uint32_t *wanted_hashes,
                           size_t n_wanted, int64_t *bounds, uint32_t *places) {
    wanted_t wanted;
    uint32_t largest = 0;
    for (size_t i = 0; i < n; i++) largest = sizes[i] > largest ? sizes[i] : largest;
    uint32_t *hashes = malloc(((size_t)largest + 1) * sizeof *hashes);
    int64_t damaged = NO_ROOM;
    if (hashes && wanted_make(&wanted, wanted_hashes, n_wanted)) {
        damaged = all_shared(addresses, sizes, n, &wanted, hashes, bounds, places);
        free(wanted.bits);
    }
    free(hashes);
    return damaged;
}
