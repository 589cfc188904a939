/* The kernels that gain from wider vectors, written once and compiled for each instruction set: base.c, avx2.c
 * and avx512.c include this file after they have set the compiler's target and defined
 *
 *     VARIANT       name of the table of kernels
 *     XOR3, MAJ     sum and carry of a full adder of three lines
 *     POPCOUNT      the number of set bits of a word
 *     LOAD_SOME     the first n words at an address, at most a line, as a line
 */

#include "plan.h"

enum { AHEAD = 16 }; /* hashes of a batch; the lines of the next batch are fetched while this one is counted */

#include "turning.h"

/* ------------------------------------------------------------------ rows: positions, bits, popcounts */

static void positions(const query_t *query, uint64_t row_bits, int64_t *out) {
    for (size_t i = 0; i < query->n_hashes; i++) {
        uint64_t mix = mixed(query->hashes[i]);
        for (uint32_t j = 0; j < query->k; j++) *out++ = (int64_t)position(mix, j, row_bits);
    }
}

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

static int64_t popcount(const uint64_t *words, size_t n) {
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++) count += (uint64_t)POPCOUNT(words[i]);
    return (int64_t)count;
}

static void popcounts(const uint64_t *rows, size_t n_rows, size_t n_words, int64_t *counts) {
    for (size_t row = 0; row < n_rows; row++) counts[row] = popcount(rows + row * n_words, n_words);
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

/* 512 counts in bit planes: plane l holds bit l of each count. For each weight 2^l one line may wait for a second, so
 * that a full adder takes both at once. So a line costs one adder on average, whatever the counts (Harley & Seal). */
typedef struct {
    line_t planes[COUNT_PLANES], waiting[COUNT_PLANES];
    size_t n_waiting; /* bit l says whether waiting[l] holds a line */
    unsigned n_planes;
} counter_t;

INLINE void counter_clear(counter_t *counter, unsigned n_planes) {
    memset(counter->planes, 0, n_planes * sizeof(line_t));
    counter->n_waiting = 0, counter->n_planes = n_planes;
}

INLINE void counter_add(counter_t *counter, line_t line) {
    size_t level = 0, n = counter->n_waiting++;
    for (; n & 1; n >>= 1, level++) {
        line_t plane = counter->planes[level], waiting = counter->waiting[level];
        counter->planes[level] = XOR3(plane, waiting, line);
        line = MAJ(plane, waiting, line);
    }
    counter->waiting[level] = line;
}

/* Adds the waiting lines, so that the planes are the counts. */
INLINE void counter_settle(counter_t *counter) {
    line_t carry = {0};
    if (!counter->n_waiting) return;
    for (size_t level = 0; counter->n_waiting >> level; level++) {
        line_t plane = counter->planes[level];
        line_t line = counter->n_waiting >> level & 1 ? counter->waiting[level] : (line_t){0};
        counter->planes[level] = XOR3(plane, line, carry);
        carry = MAJ(plane, line, carry);
    }
    for (size_t level = 64u - (size_t)__builtin_clzll(counter->n_waiting); level < counter->n_planes; level++) {
        line_t plane = counter->planes[level];
        counter->planes[level] = plane ^ carry;
        carry &= plane;
    }
    counter->n_waiting = 0;
}

static void write_counts(const line_t *now, const line_t *then, unsigned n_planes, const plan_t *plan, int32_t *out) {
    squares_t squares;
    line_t borrow = {0};
    memset(squares, 0, sizeof squares);
    for (unsigned level = 0; level < n_planes; level++) {
        line_t before = then ? then[level] : (line_t){0};
        squares[level] = XOR3(now[level], before, borrow);
        borrow = MAJ(~now[level], before, borrow);
    }
    turn(squares);
    const uint64_t *words = (const uint64_t *)squares;
    size_t n_rows = smaller(LINE_ROWS, plan->n_rows - plan->first_row);
    for (size_t row = 0; row < n_rows; row++) out[row] = (int32_t)words[row % 64 * LINE_WORDS + row / 64];
}

/* Writes the counts of windows that stop at `at`, and saves the counter for windows that start there. */
static void visit(counter_t *counter, plan_t *plan, size_t at) {
    counter_settle(counter);
    for (int32_t w = plan->stopping[at]; w != NONE; w = plan->next[w]) {
        size_t start = (size_t)plan->windows[w][0];
        const line_t *then = plan->saving[start] == NONE ? NULL : plan->saved + (size_t)plan->saving[start] * plan->n_saved_planes;
        unsigned n_planes = planes_for(at - start);
        write_counts(counter->planes, then, n_planes, plan, plan->counts + (size_t)w * plan->n_rows + plan->first_row);
    }
    if (plan->saving[at] != NONE)
        memcpy(plan->saved + (size_t)plan->saving[at] * plan->n_saved_planes, counter->planes,
               plan->n_saved_planes * sizeof(line_t));
}

/* Counts the hits in each window of a plan. */
static void count(const columns_t *hits, plan_t *plan) {
    counter_t counter;
    if (plan->first == plan->last) return;
    counter_clear(&counter, plan->n_planes);
    for (size_t i = plan->first; i < plan->last; i++) {
        if (plan->stopping[i] != NONE || plan->saving[i] != NONE) visit(&counter, plan, i);
        counter_add(&counter, LOAD_SOME(hits->words + i * hits->stride, hits->n_words));
    }
    visit(&counter, plan, plan->last);
}

/* Returns the rows that a hash hits; none if its weight is 0. */
INLINE line_t weighty(const columns_t *hits, const int32_t *weights, size_t i) {
    return LOAD_SOME(hits->words + i * hits->stride, weights[i] ? hits->n_words : 0);
}

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

const variant_t VARIANT = {positions, fill, seal, unseal, popcount, popcounts, hits, turn, count, crowded};
