/* A table of bits over the hashes of a query.
 *
 * Most hashes of a document are not among the query's. The table has some sixty bits for each hash of the query, and
 * rules out all but one in sixty of the others. Sampled hashes are spread evenly up to the largest, so the upper bits
 * of a hash choose its bit. */

#include "wanted.h"

#include "records.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { TABLE_BITS_EACH = 64, TABLE_MAX_BITS = 26, DIGITS = 256 };

uint64_t *sort_keys(uint64_t *keys, uint64_t *spare, size_t n) {
    uint64_t differing = 0;
    for (size_t i = 1; i < n; i++) differing |= keys[i] ^ keys[0];
    for (unsigned shift = 32; shift < 64; shift += 8) {
        if (!(differing >> shift & (DIGITS - 1))) continue;
        uint32_t starts[DIGITS] = {0}, total = 0;
        for (size_t i = 0; i < n; i++) starts[keys[i] >> shift & (DIGITS - 1)]++;
        for (size_t value = 0; value < DIGITS; value++) {
            uint32_t count = starts[value];
            starts[value] = total, total += count;
        }
        for (size_t i = 0; i < n; i++) spare[starts[keys[i] >> shift & (DIGITS - 1)]++] = keys[i];
        uint64_t *sorted = spare;
        spare = keys, keys = sorted;
    }
    return keys;
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

int wanted_make(wanted_t *wanted, const uint32_t *hashes, const int32_t *weights, size_t n) {
    *wanted = (wanted_t){.keys = malloc((n + 1) * sizeof(uint64_t)),
                         .spare = malloc((n + 1) * sizeof(uint64_t)),
                         .hashes = malloc((n + 1) * sizeof(uint32_t)),
                         .places = malloc((n + 1) * sizeof(uint32_t))};
    if (!wanted->keys || !wanted->spare || !wanted->hashes || !wanted->places) return 0;
    for (size_t i = 0; i < n; i++) {
        wanted->keys[wanted->n_keys] = (uint64_t)hashes[i] << 32 | i;
        wanted->n_keys += weights[i] > 0;
    }
    wanted->sorted = sort_keys(wanted->keys, wanted->spare, wanted->n_keys);
    for (size_t i = 0; i < wanted->n_keys; i++) {
        uint32_t hash = (uint32_t)(wanted->sorted[i] >> 32);
        if (wanted->n_hashes && wanted->hashes[wanted->n_hashes - 1] == hash) continue;
        wanted->hashes[wanted->n_hashes] = hash;
        wanted->places[wanted->n_hashes++] = (uint32_t)wanted->sorted[i];
    }
    return make_table(wanted);
}

void wanted_free(wanted_t *wanted) {
    free(wanted->keys), free(wanted->spare), free(wanted->hashes), free(wanted->places);
    free(wanted->bits), free(wanted->firsts);
}

void wanted_spread(const wanted_t *wanted, int64_t *numbers) {
    const uint64_t *keys = wanted->sorted;
    for (size_t i = 1; i < wanted->n_keys; i++)
        if (keys[i] >> 32 == keys[i - 1] >> 32) numbers[(uint32_t)keys[i]] = numbers[(uint32_t)keys[i - 1]];
}

/* Returns the bit of the table for a hash; the last bit if the hash is beyond the table. */
INLINE size_t bit_of(const wanted_t *wanted, uint32_t hash) { return smaller(hash >> wanted->shift, wanted->n_bits); }

/* Moves the hashes from `start` on that may be wanted to the front, behind n_kept others. Returns the number of hashes
 * there. */
static size_t keep_each(const wanted_t *wanted, uint32_t *hashes, size_t start, size_t n, size_t n_kept) {
    for (size_t i = start; i < n; i++) {
        size_t bit = bit_of(wanted, hashes[i]);
        hashes[n_kept] = hashes[i];
        n_kept += wanted->bits[bit / 64] >> bit % 64 & 1;
    }
    return n_kept;
}

#if defined(__x86_64__)

/* The same, eight hashes a step. In most steps no hash is wanted. */
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

void wanted_mark(const wanted_t *wanted, uint32_t *hashes, size_t n, found_t *found) {
    n = keep_likely(wanted, hashes, n);
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
