/* Which hashes of a query many documents have, in one call: records of their fingerprints are found, checked, decoded
 * and compared one after another, and the next one is fetched meanwhile.
 *
 * Most hashes of a document are none of the query's. A table of bits, some sixty for each hash of the query, says so of
 * all but one in sixty; sampled hashes are spread evenly up to their largest, so their upper bits choose the bit. */

#include "records.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { RECORD_HEAD_BYTES = 8, TABLE_BITS_EACH = 64, TABLE_MAX_BITS = 26, ALL_WHOLE = -1, NO_ROOM = -2, REMOVED = 2 };

/* Of the next record; the processor itself sees how the rest goes on. */
enum { FETCHED_BYTES = 512 };

/* Where a document's record is, as a directory on disk has it; see docs/format.md, `DOCS`. */
typedef struct {
    uint32_t file, n_hashes;
    uint64_t offset;
    uint32_t n_bytes, state;
} entry_t;

/* A part of a query's documents, as a row index has it. */
typedef struct {
    uint32_t document, first, last; /* the first wanted part, and the one after the last */
} part_t;

/* The files that records are in, by ascending serial number. */
typedef struct {
    const int64_t *serials;
    const uint64_t *addresses, *sizes;
    size_t n;
} files_t;

/* The hashes of a query that are looked for. */
typedef struct {
    uint64_t *keys; /* of all of them: hash << 32 | place in the query, ascending */
    size_t n_keys;
    uint32_t *hashes, *places; /* each once, ascending, and its first place */
    size_t n_hashes, n_bits;
    unsigned shift;
    uint64_t *bits;   /* one more than n_bits, the last of them 0 */
    uint32_t *firsts; /* by word of `bits`: the first hash that has its bit there, or later */
} wanted_t;

/* Which places of the text a document has: a bit each. */
typedef struct {
    uint64_t *bits;
    size_t n_words;
} found_t;

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* Sorts keys by their upper halves, and leaves equal ones in their order; `spare` has room for as many. Three passes leave
 * them in `spare`. */
static void sort_keys(uint64_t *keys, uint64_t *spare, size_t n) {
    for (unsigned digit = 0; digit < 3; digit++) {
        const unsigned shift = 32 + digit * DIGIT_BITS;
        size_t starts[DIGITS] = {0}, total = 0;
        for (size_t i = 0; i < n; i++) starts[keys[i] >> shift & (DIGITS - 1)]++;
        for (size_t value = 0; value < DIGITS; value++) {
            size_t count = starts[value];
            starts[value] = total, total += count;
        }
        for (size_t i = 0; i < n; i++) spare[starts[keys[i] >> shift & (DIGITS - 1)]++] = keys[i];
        uint64_t *sorted = spare;
        spare = keys, keys = sorted;
    }
}

/* Makes the table of bits over the hashes. */
static int make_table(wanted_t *wanted) {
    const uint32_t *hashes = wanted->hashes;
    size_t n = wanted->n_hashes, word = 0;
    unsigned width = n ? 32u - (unsigned)__builtin_clz(hashes[n - 1] | 1u) : 1, useful = 1;
    while (useful < TABLE_MAX_BITS && (size_t)1 << useful < TABLE_BITS_EACH * n) useful++;
    wanted->shift = width > useful ? width - useful : 0;
    wanted->n_bits = n ? ((size_t)hashes[n - 1] >> wanted->shift) + 1 : 0;
    size_t n_words = wanted->n_bits / 64 + 1;
    wanted->bits = calloc(n_words, sizeof *wanted->bits);
    wanted->firsts = malloc((n_words + 1) * sizeof *wanted->firsts);
    if (!wanted->bits || !wanted->firsts) return 0;
    for (size_t i = 0; i < n; i++) {
        size_t bit = hashes[i] >> wanted->shift;
        wanted->bits[bit / 64] |= (uint64_t)1 << bit % 64;
        for (; word <= bit / 64; word++) wanted->firsts[word] = (uint32_t)i;
    }
    for (; word <= n_words; word++) wanted->firsts[word] = (uint32_t)n;
    return 1;
}

/* Makes what is wanted of hashes in the order of the text: those that weigh something. */
static int wanted_make(wanted_t *wanted, const uint32_t *hashes, const int32_t *weights, size_t n) {
    *wanted = (wanted_t){.keys = malloc((n + 1) * sizeof(uint64_t)),
                         .hashes = malloc((n + 1) * sizeof(uint32_t)),
                         .places = malloc((n + 1) * sizeof(uint32_t))};
    uint64_t *unsorted = malloc((n + 1) * sizeof *unsorted);
    int made = wanted->keys && wanted->hashes && wanted->places && unsorted;
    if (made) {
        for (size_t i = 0; i < n; i++) {
            unsorted[wanted->n_keys] = (uint64_t)hashes[i] << 32 | i;
            wanted->n_keys += weights[i] > 0;
        }
        sort_keys(unsorted, wanted->keys, wanted->n_keys);
        for (size_t i = 0; i < wanted->n_keys; i++) {
            uint32_t hash = (uint32_t)(wanted->keys[i] >> 32);
            if (wanted->n_hashes && wanted->hashes[wanted->n_hashes - 1] == hash) continue;
            wanted->hashes[wanted->n_hashes] = hash;
            wanted->places[wanted->n_hashes++] = (uint32_t)wanted->keys[i];
        }
    }
    free(unsorted);
    return made && make_table(wanted);
}

static void wanted_free(wanted_t *wanted) {
    free(wanted->keys), free(wanted->hashes), free(wanted->places), free(wanted->bits), free(wanted->firsts);
}

/* Gives the later places of each hash the number of its first. */
static void spread(const wanted_t *wanted, int64_t *numbers) {
    for (size_t i = 1; i < wanted->n_keys; i++)
        if (wanted->keys[i] >> 32 == wanted->keys[i - 1] >> 32)
            numbers[(uint32_t)wanted->keys[i]] = numbers[(uint32_t)wanted->keys[i - 1]];
}

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

/* Sets the bits of the places of those of the hashes that are wanted. */
static void mark(const wanted_t *wanted, const uint32_t *hashes, size_t n, found_t *found) {
    for (size_t i = 0; i < n; i++) {
        size_t word = bit_of(wanted, hashes[i]) / 64, below = wanted->firsts[word], above = wanted->firsts[word + 1];
        while (below < above) {
            size_t middle = below + (above - below) / 2;
            if (wanted->hashes[middle] < hashes[i]) below = middle + 1;
            else above = middle;
        }
        if (below < wanted->n_hashes && wanted->hashes[below] == hashes[i])
            found->bits[wanted->places[below] / 64] |= UINT64_C(1) << wanted->places[below] % 64;
    }
}

/* Writes the places whose bits are set, ascending, counts each of them, and clears the bits; returns how many. */
static int64_t take_places(found_t *found, uint32_t *out, int64_t *counts) {
    int64_t n = 0;
    for (size_t word = 0; word < found->n_words; word++) {
        for (uint64_t bits = found->bits[word]; bits; bits &= bits - 1) {
            out[n] = (uint32_t)(64 * word + (size_t)__builtin_ctzll(bits));
            counts[out[n++]]++;
        }
        found->bits[word] = 0;
    }
    return n;
}

static uint32_t read_word(const uint8_t *at) {
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* A record, NULL when it is not inside its file. */
typedef struct {
    const uint8_t *at;
    size_t n_bytes;
} record_t;

INLINE record_t record_of(const files_t *files, const entry_t *entry) {
    for (size_t i = 0; i < files->n; i++)
        if (files->serials[i] == (int64_t)entry->file)
            return entry->offset <= files->sizes[i] && entry->n_bytes <= files->sizes[i] - entry->offset
                       ? (record_t){(const uint8_t *)(uintptr_t)files->addresses[i] + entry->offset, entry->n_bytes}
                       : (record_t){NULL, 0};
    return (record_t){NULL, 0};
}

INLINE void fetch(record_t record) {
    for (size_t byte = 0; byte < smaller(record.n_bytes, FETCHED_BYTES); byte += LINE_BYTES)
        __builtin_prefetch(record.at + byte);
}

/* What is asked: parts of documents, by document, where each one's record is, and from which size on records are known
 * to be those written. */
typedef struct {
    files_t files;
    const entry_t *entries;
    const part_t *parts;
    size_t n, checked_from;
} asked_t;

/* Marks the hashes that a part's record has; returns 0 when it is damaged. */
static int mark_part(const asked_t *asked, size_t i, const wanted_t *wanted, uint32_t *hashes, found_t *found) {
    record_t record = record_of(&asked->files, &asked->entries[i]);
    if (record.n_bytes < RECORD_HEAD_BYTES) return 0;
    const uint8_t *end = record.at + record.n_bytes;
    if (record.n_bytes < asked->checked_from && read_word(record.at) != checksum(record.at + 4, record.n_bytes - 4))
        return 0;
    size_t n_parts = read_word(record.at + 4);
    const uint8_t *counts = record.at + RECORD_HEAD_BYTES, *at = counts + 4 * n_parts;
    if (n_parts > (record.n_bytes - RECORD_HEAD_BYTES) / 4) return 0;
    for (size_t part = 0; part < n_parts && part < asked->parts[i].last; part++) {
        size_t n = read_word(counts + 4 * part);
        int is_wanted = part >= asked->parts[i].first;
        if (n > (size_t)(end - at)) return 0;
        if (!(at = is_wanted ? decode_gaps(at, end, n, hashes) : skip_gaps(at, end, n))) return 0;
        if (is_wanted) mark(wanted, hashes, keep_likely(wanted, hashes, n), found);
    }
    return 1;
}

/* Writes what each document has, its parts together. */
static int64_t all_shared(const asked_t *asked, const wanted_t *wanted, uint32_t *hashes, found_t *found,
                          int64_t *bounds, uint32_t *places, int64_t *n_having) {
    for (size_t i = 0, number = 0; i < asked->n; i++) {
        const int is_last = i + 1 == asked->n || asked->parts[i + 1].document != asked->parts[i].document;
        if (i + 1 < asked->n) fetch(record_of(&asked->files, &asked->entries[i + 1]));
        if (asked->entries[i].state != REMOVED && !mark_part(asked, i, wanted, hashes, found)) return (int64_t)i;
        if (!is_last) continue;
        bounds[number + 1] = bounds[number] + take_places(found, places + bounds[number], n_having);
        number++;
    }
    return ALL_WHOLE;
}

/* Writes at which places each document has a hash of the query, the first of those it stands at:
 * places[bounds[i] … bounds[i + 1]) for document i of the parts, and how many documents have the hash of each place.
 * There is room for each document to have all. Returns the first part whose record is damaged, ALL_WHOLE, or
 * NO_ROOM when there is no memory. */
EXPORT int64_t pmbf_shared(const int64_t *serials, const uint64_t *addresses, const uint64_t *sizes, size_t n_files,
                           const void *entries, const void *parts, size_t n, size_t checked_from,
                           const uint32_t *query, const int32_t *weights, size_t n_query, int64_t *bounds,
                           uint32_t *places, int64_t *n_having) {
    const asked_t asked = {{serials, addresses, sizes, n_files}, entries, parts, n, checked_from};
    wanted_t wanted;
    uint32_t largest = 0;
    for (size_t i = 0; i < n; i++) largest = asked.entries[i].n_bytes > largest ? asked.entries[i].n_bytes : largest;
    uint32_t *hashes = malloc(((size_t)largest + 1) * sizeof *hashes);
    found_t found = {calloc(n_query / 64 + 1, sizeof(uint64_t)), n_query / 64 + 1};
    int64_t damaged = NO_ROOM;
    bounds[0] = 0;
    memset(n_having, 0, n_query * sizeof *n_having);
    if (wanted_make(&wanted, query, weights, n_query) && hashes && found.bits) {
        damaged = all_shared(&asked, &wanted, hashes, &found, bounds, places, n_having);
        spread(&wanted, n_having);
    }
    wanted_free(&wanted);
    free(hashes), free(found.bits);
    return damaged;
}
