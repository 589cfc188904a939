/* The kernels that Python calls. They cut the work into 512 rows each, and call the variant of an instruction set, which is
 * chosen once, at run time. */

#include "../records/records.h"

enum { BASE, AVX2, AVX512, BEST = 99 };

static int supported(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("pclmul"))
        return AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("pclmul"))
        return AVX2;
#endif
    return BASE;
}

static const variant_t *at_most(int level) {
#if defined(__x86_64__)
    int best = supported();
    level = level < best ? level : best;
    if (level == AVX512) return &bits_avx512;
    if (level == AVX2) return &bits_avx2;
#else
    (void)level, (void)supported;
#endif
    return &bits_base;
}

/* If several threads choose at the same time, then all write the same address. */
static const variant_t *_Atomic chosen;

const variant_t *bits_variant(void) {
    const variant_t *variant = chosen;
    if (!variant) chosen = variant = at_most(BEST);
    return variant;
}

int bits_level(void) {
    const variant_t *variant = bits_variant();
#if defined(__x86_64__)
    return variant == &bits_avx512 ? AVX512 : variant == &bits_avx2 ? AVX2 : BASE;
#else
    return (void)variant, BASE;
#endif
}

/* Asks for an instruction set, for tests: 0 plain, 1 AVX2, 2 AVX-512, 99 the best. Returns the one in use. */
EXPORT int pmbf_use_level(int level) {
    chosen = at_most(level);
    return bits_level();
}

/* ------------------------------------------------------------------ rows */

EXPORT void pmbf_fill(uint64_t *row, size_t n_words, const uint32_t *hashes, size_t n, uint32_t k) {
    bits_variant()->fill(row, n_words, &(query_t){hashes, n, k});
}

EXPORT void pmbf_popcounts(const uint64_t *rows, size_t n_rows, size_t n_words, int64_t *counts) {
    bits_variant()->popcounts(rows, n_rows, n_words, counts);
}

/* ------------------------------------------------------------------ tiles */

EXPORT void pmbf_seal(const uint64_t *rows, size_t n_rows, size_t n_words, uint64_t *slices) {
    bits_variant()->seal(rows, n_rows, n_words, slices);
}

EXPORT void pmbf_unseal(const uint64_t *slices, size_t n_rows, size_t n_words, uint64_t *rows) {
    bits_variant()->unseal(slices, n_rows, n_words, rows);
}

static void hits_of_slices(const uint64_t *slices, size_t n_positions, size_t width, const query_t *query, uint64_t *hits,
                           size_t stride) {
    for (size_t first = 0; first < width; first += LINE_WORDS) {
        columns_t columns = columns_from(slices, n_positions, width, first);
        bits_variant()->hits(&columns, query, hits + first, stride);
    }
}

/* Sets bit r % 64 of word r / 64 in the hits of each hash that row r may hold. One row after another is probed, so that
 * the row stays in the cache. */
static void probe_row(const uint64_t *row, const uint32_t *at, size_t n, uint32_t k, unsigned bit, uint64_t *hits,
                      size_t stride) {
    for (size_t i = 0; i < n; i++, at += k) {
        uint64_t all = row[at[0] / 64] >> at[0] % 64;
        for (uint32_t j = 1; j < k; j++) all &= row[at[j] / 64] >> at[j] % 64;
        hits[i * stride] |= (all & 1) << bit;
    }
}

static int64_t hits_of_rows(const uint64_t *rows, size_t n_rows, size_t n_words, const query_t *query, uint64_t *hits,
                            size_t stride) {
    const size_t n = query->n_hashes, k = query->k;
    uint32_t *at = malloc((n * k + 1) * sizeof *at);
    if (!at) return PMBF_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        uint64_t mix = mixed(query->hashes[i]);
        for (uint32_t j = 0; j < k; j++) at[i * k + j] = (uint32_t)position(mix, j, 64 * (uint64_t)n_words);
        memset(hits + i * stride, 0, words_for(n_rows) * sizeof *hits);
    }
    for (size_t row = 0; row < n_rows; row++)
        probe_row(rows + row * n_words, at, n, query->k, row % 64, hits + row / 64, stride);
    free(at);
    return 0;
}

/* Writes which rows of a tile may hold each hash, a line of hits for each hash, `stride` words apart: the tile is
 * (n, width) words. Returns 0 or PMBF_NO_MEMORY. */
EXPORT int64_t pmbf_look_up(const uint64_t *bits, size_t n, size_t width, int sealed, uint32_t k, const uint32_t *hashes,
                            size_t n_hashes, uint64_t *hits, size_t stride) {
    const query_t query = {hashes, n_hashes, k};
    if (!sealed) return hits_of_rows(bits, n, width, &query, hits, stride);
    hits_of_slices(bits, n, width, &query, hits, stride);
    return 0;
}
