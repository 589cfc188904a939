/* Which hashes of a query the fingerprints of many documents have, in one call: records are checked, decoded and
 * compared one after another, and the next one is fetched meanwhile.
 *
 * Most hashes of a document are none of the query's. A table of bits, some sixty for each hash of the query, says so of
 * all but one in sixty; sampled hashes are spread evenly up to their largest, so their upper bits choose the bit. */

#include "records.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { RECORD_HEAD_BYTES = 8, TABLE_BITS_EACH = 64, TABLE_MAX_BITS = 26, ALL_WHOLE = -1, NO_ROOM = -2 };

/* Of the next record; the processor itself sees how the rest goes on. */
enum { FETCHED_BYTES = 512 };

typedef struct {
    const uint32_t *hashes; /* ascending, distinct */
    size_t n_hashes, n_bits;
    unsigned shift;
    uint64_t *bits;   /* one more than n_bits, the last of them 0 */
    uint32_t *firsts; /* by word of `bits`: the first hash that has its bit there, or later */
} wanted_t;

typedef struct {
    const uint8_t *at;
    size_t n_bytes;
    int checked;                   /* whether its bytes are known to be those written */
    const int64_t *parts;          /* the first wanted part, and the one after the last */
} record_t;

static int wanted_make(wanted_t *wanted, const uint32_t *hashes, size_t n) {
    unsigned width = n ? 32u - (unsigned)__builtin_clz(hashes[n - 1] | 1u) : 1, useful = 1;
    while (useful < TABLE_MAX_BITS && (size_t)1 << useful < TABLE_BITS_EACH * n) useful++;
    unsigned shift = width > useful ? width - useful : 0;
    size_t n_bits = n ? ((size_t)hashes[n - 1] >> shift) + 1 : 0, n_words = n_bits / 64 + 1, word = 0;
    *wanted = (wanted_t){hashes, n, n_bits, shift, calloc(n_words, sizeof(uint64_t)), malloc((n_words + 1) * sizeof(uint32_t))};
    if (!wanted->bits || !wanted->firsts) return 0;
    for (size_t i = 0; i < n; i++) {
        size_t bit = hashes[i] >> shift;
        wanted->bits[bit / 64] |= (uint64_t)1 << bit % 64;
        for (; word <= bit / 64; word++) wanted->firsts[word] = (uint32_t)i;
    }
    for (; word <= n_words; word++) wanted->firsts[word] = (uint32_t)n;
    return 1;
}

static void wanted_free(wanted_t *wanted) { free(wanted->bits), free(wanted->firsts); }

/* Returns the bit of the table for a hash, the last one when there is none. */
INLINE size_t bit_of(const wanted_t *wanted, uint32_t hash) { return smaller(hash >> wanted->shift, wanted->n_bits); }

/* Moves those of the hashes from `start` on that may be wanted to the front, behind n_kept others; returns how many
 * there are then. */
static size_t keep_each(const wanted_t *wanted, uint32_t *hashes, size_t start, size_t n, size_t n_kept) {
    for (size_t i = start; i < n; i++) {
        size_t bit = bit_of(wanted, hashes[i]);
        hashes[n_kept] = hashes[i];
        n_kept += wanted->bits[bit / 64] >> bit % 64 & 1;
    }
    return n_kept;
}

#if defined(__x86_64__)

/* The same, eight hashes a step; mostly none of them is wanted. */
__attribute__((target("avx2,bmi"))) static size_t keep_eights(const wanted_t *wanted, uint32_t *hashes, size_t n) {
    const __m128i shift = _mm_cvtsi32_si128((int)wanted->shift);
    const __m256i last = _mm256_set1_epi32((int)wanted->n_bits), low = _mm256_set1_epi32(31);
    size_t n_kept = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        __m256i some = _mm256_loadu_si256((const __m256i *)(hashes + i));
        __m256i bits = _mm256_min_epu32(_mm256_srl_epi32(some, shift), last);
        __m256i words = _mm256_i32gather_epi32((const int *)wanted->bits, _mm256_srli_epi32(bits, 5), 4);
        __m256i tops = _mm256_sllv_epi32(words, _mm256_sub_epi32(low, _mm256_and_si256(bits, low)));
        unsigned likely = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(tops));
        for (; likely; likely &= likely - 1) hashes[n_kept++] = hashes[i + (unsigned)__builtin_ctz(likely)];
    }
    return keep_each(wanted, hashes, i, n, n_kept);
}

static size_t keep_likely(const wanted_t *wanted, uint32_t *hashes, size_t n) {
    return bits_level() > 0 ? keep_eights(wanted, hashes, n) : keep_each(wanted, hashes, 0, n, 0);
}

#else

static size_t keep_likely(const wanted_t *wanted, uint32_t *hashes, size_t n) {
    return keep_each(wanted, hashes, 0, n, 0);
}

#endif

/* Writes the places of hashes among the wanted ones; returns how many have one. */
static size_t write_places(const wanted_t *wanted, const uint32_t *hashes, size_t n, uint32_t *out) {
    size_t n_found = 0;
    for (size_t i = 0; i < n; i++) {
        size_t word = bit_of(wanted, hashes[i]) / 64, below = wanted->firsts[word], above = wanted->firsts[word + 1];
        while (below < above) {
            size_t middle = below + (above - below) / 2;
            if (wanted->hashes[middle] < hashes[i]) below = middle + 1;
            else above = middle;
        }
        if (below < wanted->n_hashes && wanted->hashes[below] == hashes[i]) out[n_found++] = (uint32_t)below;
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

/* Writes the places of the hashes of a record's wanted parts, ascending, each once; returns how many, or -1 when the
 * record is damaged. */
static int64_t shared_of(const record_t *record, const wanted_t *wanted, uint32_t *hashes, uint32_t *out) {
    const uint8_t *end = record->at + record->n_bytes;
    if (record->n_bytes < RECORD_HEAD_BYTES) return -1;
    if (!record->checked && read_word(record->at) != checksum(record->at + 4, record->n_bytes - 4)) return -1;
    size_t n_parts = read_word(record->at + 4), n_found = 0;
    const uint8_t *counts = record->at + RECORD_HEAD_BYTES, *at = counts + 4 * n_parts;
    if (n_parts > (record->n_bytes - RECORD_HEAD_BYTES) / 4) return -1;
    for (size_t part = 0; part < n_parts && (int64_t)part < record->parts[1]; part++) {
        size_t n = read_word(counts + 4 * part);
        int wanted_part = (int64_t)part >= record->parts[0];
        if (n > (size_t)(end - at)) return -1;
        if (!(at = wanted_part ? decode_gaps(at, end, n, hashes) : skip_gaps(at, end, n))) return -1;
        if (wanted_part) n_found += write_places(wanted, hashes, keep_likely(wanted, hashes, n), out + n_found);
    }
    return (int64_t)sort_distinct(out, n_found);
}

INLINE void fetch(const record_t *record) {
    for (size_t byte = 0; byte < smaller(record->n_bytes, FETCHED_BYTES); byte += LINE_BYTES)
        __builtin_prefetch(record->at + byte);
}

/* What Python asks of: [n] each, `parts` [n][2]. */
typedef struct {
    const uint64_t *addresses;
    const uint32_t *sizes;
    const uint8_t *checked;
    const int64_t *parts;
    size_t n;
} asked_t;

INLINE record_t record_at(const asked_t *asked, size_t i) {
    return (record_t){(const uint8_t *)(uintptr_t)asked->addresses[i], asked->sizes[i], asked->checked[i],
                      asked->parts + 2 * i};
}

static int64_t all_shared(const asked_t *asked, const wanted_t *wanted, uint32_t *hashes, int64_t *bounds,
                          uint32_t *places) {
    bounds[0] = 0;
    for (size_t i = 0; i < asked->n; i++) {
        record_t record = record_at(asked, i), next = record_at(asked, i + 1 < asked->n ? i + 1 : i);
        fetch(&next);
        int64_t n_found = shared_of(&record, wanted, hashes, places + bounds[i]);
        if (n_found < 0) return (int64_t)i;
        bounds[i + 1] = bounds[i] + n_found;
    }
    return ALL_WHOLE;
}

/* Writes which wanted hashes, ascending and distinct, the wanted parts of each record have: places[bounds[i] …
 * bounds[i + 1]). There is room for as many places as each record has bytes, at most one each of the wanted, and once
 * more for the largest record. Returns the first record that is damaged, ALL_WHOLE, or NO_ROOM. */
EXPORT int64_t pmbf_shared(const uint64_t *addresses, const uint32_t *sizes, const uint8_t *checked, const int64_t *parts,
                           size_t n, const uint32_t *wanted_hashes, size_t n_wanted, int64_t *bounds, uint32_t *places) {
    wanted_t wanted;
    uint32_t largest = 0;
    for (size_t i = 0; i < n; i++) largest = sizes[i] > largest ? sizes[i] : largest;
    uint32_t *hashes = malloc(((size_t)largest + 1) * sizeof *hashes);
    int64_t damaged = NO_ROOM;
    if (wanted_make(&wanted, wanted_hashes, n_wanted) && hashes)
        damaged = all_shared(&(asked_t){addresses, sizes, checked, parts, n}, &wanted, hashes, bounds, places);
    wanted_free(&wanted);
    free(hashes);
    return damaged;
}
