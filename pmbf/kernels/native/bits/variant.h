/* The kernels that gain from wider vectors, written once and compiled for each instruction set: base.c, avx2.c
 * and avx512.c include this file after they have set the compiler's target and defined
 *
 *     VARIANT       name of the table of kernels
 *     MAJ           the carry of a full adder of three lines
 *     POPCOUNT      the number of set bits of a word
 *     LOAD_SOME     the first n words at an address, at most a line, as a line
 */

#include "bits.h"

enum { AHEAD = 16 }; /* hashes of a batch; the lines of the next batch are fetched while this one is counted */

#include "turning.h"

/* ------------------------------------------------------------------ rows: bits, popcounts */

static void fill(uint64_t *row, size_t n_words, const query_t *query) {
    uint64_t mixes[AHEAD];
    for (size_t start = 0; start < query->n_hashes; start += AHEAD) {
        size_t n = smaller(AHEAD, query->n_hashes - start);
        for (size_t i = 0; i < n; i++) mixes[i] = mixed(query->hashes[start + i]);
        for (size_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < query->k; j++) {
                uint64_t at = position(mixes[i], j, 64 * (uint64_t)n_words);
                row[at / 64] |= UINT64_C(1) << at % 64;
            }
    }
}

static void popcounts(const uint64_t *rows, size_t n_rows, size_t n_words, int64_t *counts) {
    for (size_t row = 0; row < n_rows; row++) {
        uint64_t count = 0;
        for (size_t i = 0; i < n_words; i++) count += (uint64_t)POPCOUNT(rows[row * n_words + i]);
        counts[row] = (int64_t)count;
    }
}

/* ------------------------------------------------------------------ probing slices */

/* Two batches of a query's hashes, mixed: the lines of one are read while the lines of the other are fetched. */
typedef struct {
    const columns_t *slices;
    const query_t *query;
    uint64_t mixes[2][AHEAD];
    size_t n[2], stop;
    int one_line; /* whether a slice is one line of the cache, not parts of two lines */
} probe_t;

INLINE void mix_batch(probe_t *probe, size_t start, size_t which) {
    probe->n[which] = start < probe->stop ? smaller(AHEAD, probe->stop - start) : 0;
    for (size_t i = 0; i < probe->n[which]; i++) probe->mixes[which][i] = mixed(probe->query->hashes[start + i]);
}

/* Prefetches the k slices of a hash. */
INLINE void ask(const probe_t *probe, uint64_t mix) {
    const columns_t *slices = probe->slices;
    for (uint32_t j = 0; j < probe->query->k; j++) {
        const uint64_t *line = slices->words + position(mix, j, slices->n_lines) * slices->stride;
        __builtin_prefetch(line);
        if (!probe->one_line) __builtin_prefetch(line + slices->n_words - 1);
    }
}

/* Begins a walk over the hashes from `start` on. */
INLINE void probe_begin(probe_t *probe, const columns_t *slices, const query_t *query, size_t start, size_t stop) {
    probe->slices = slices, probe->query = query, probe->stop = stop;
    probe->one_line = slices->stride == LINE_WORDS && (uintptr_t)slices->words % LINE_BYTES == 0;
    mix_batch(probe, start, 0);
    for (size_t i = 0; i < probe->n[0]; i++) ask(probe, probe->mixes[0][i]);
}

/* Sets which rows may hold a hash: the AND of its k slices. Words beyond those of the slices stay unchanged. */
INLINE void hit(const probe_t *probe, uint64_t mix, line_t *out) {
    const columns_t *slices = probe->slices;
    const uint64_t *line = slices->words + position(mix, 0, slices->n_lines) * slices->stride;
    if (slices->n_words == LINE_WORDS) {
        line_t all = LOAD(line);
        for (uint32_t j = 1; j < probe->query->k; j++)
            all &= LOAD(slices->words + position(mix, j, slices->n_lines) * slices->stride);
        *out = all;
        return;
    }
    uint64_t *words = (uint64_t *)out;
    for (size_t w = 0; w < slices->n_words; w++) words[w] = line[w];
    for (uint32_t j = 1; j < probe->query->k; j++) {
        line = slices->words + position(mix, j, slices->n_lines) * slices->stride;
        for (size_t w = 0; w < slices->n_words; w++) words[w] &= line[w];
    }
}

/* Sets the hits of the batch from `start` on. With each hash, lines of the next batch are prefetched. Returns the
 * number of hashes. */
INLINE size_t probe_batch(probe_t *probe, size_t start, size_t which, line_t *hits) {
    mix_batch(probe, start + AHEAD, which ^ 1);
    for (size_t i = 0; i < probe->n[which]; i++) {
        if (i < probe->n[which ^ 1]) ask(probe, probe->mixes[which ^ 1][i]);
        hit(probe, probe->mixes[which][i], &hits[i]);
    }
    return probe->n[which];
}

/* Writes the hits of every hash, `stride` words apart. */
static void hits(const columns_t *slices, const query_t *query, uint64_t *out, size_t stride) {
    probe_t probe;
    line_t found[AHEAD];
    probe_begin(&probe, slices, query, 0, query->n_hashes);
    for (size_t start = 0, which = 0; start < query->n_hashes; start += AHEAD, which ^= 1) {
        size_t n = probe_batch(&probe, start, which, found);
        for (size_t i = 0; i < n; i++) {
            uint64_t *line = out + (start + i) * stride;
            if (slices->n_words == LINE_WORDS) *(loose_line *)line = found[i];
            else memcpy(line, &found[i], slices->n_words * sizeof *line);
        }
    }
}

/* ------------------------------------------------------------------ counting */

/* Returns the rows that a hash hits; none if its weight is 0. */
INLINE line_t weighty(const columns_t *hits, const int32_t *weights, size_t i) {
    return LOAD_SOME(hits->words + i * hits->stride, weights[i] ? hits->n_words : 0);
}

/* Returns how many bit planes hold numbers up to n + 1: the counts of n hashes, and a limit that no count reaches. */
INLINE unsigned planes_for(size_t n) { return 64u - (unsigned)__builtin_clzll((unsigned long long)n + 1); }

/* As `crowded`, with n_planes bit planes. The hits of a hash are added when the window reaches the hash, and taken off
 * when the window has passed. */
INLINE line_t crowded_in(const columns_t *hits, const int32_t *weights, size_t window, size_t least, unsigned n_planes) {
    line_t counts[COUNT_PLANES], limits[COUNT_PLANES], passed = {0};
    for (unsigned level = 0; level < n_planes; level++)
        counts[level] = (line_t){0}, limits[level] = (line_t){0} - (least >> level & 1);
    for (size_t i = 0; i < hits->n_lines; i++) {
        line_t in = weighty(hits, weights, i), out = i < window ? (line_t){0} : weighty(hits, weights, i - window);
        line_t up = in & ~out, down = out & ~in, less = {0};
#pragma GCC unroll 5
        for (unsigned level = 0; level < n_planes; level++) {
            line_t before = counts[level], count = before ^ up ^ down;
            up &= before, down &= ~before;
            less = MAJ(~count, limits[level], less);
            counts[level] = count;
        }
        passed |= ~less;
    }
    return passed;
}

enum { USUAL_PLANES = 5 }; /* for windows of up to 30 hashes; so few planes stay in registers */

/* Sets the rows that at least `least` hashes with a weight above 0 hit within a window of the query. */
static void crowded(const columns_t *hits, const int32_t *weights, size_t window, size_t least, line_t *passed) {
    const unsigned n_planes = planes_for(smaller(window, hits->n_lines));
    if (least > smaller(window, hits->n_lines)) *passed = (line_t){0};
    else if (n_planes <= USUAL_PLANES) *passed = crowded_in(hits, weights, window, least, USUAL_PLANES);
    else *passed = crowded_in(hits, weights, window, least, n_planes);
}

const variant_t VARIANT = {fill, seal, unseal, popcounts, hits, turn, crowded};
