/* What the bit kernels share: the words they work on, the mix of a hash, the table of variants.
 *
 *     rows    (n_rows, W) words; bit p of a row is bit p % 64 of word p / 64
 *     slices  (64 W, S) words, S = ceil(n_rows / 64); bit r % 64 of word r / 64 of slice p is bit p of row r
 *     line    8 words: one slice of 512 rows, one line of the cache
 *
 * Exported functions work on buffers whose types and sizes Python has checked. A function that may fail returns a
 * negative number: PMBF_NO_MEMORY, or PMBF_REFUSED for wrong values. Python then words the error.
 */

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../arithmetic.h"
#include "../compiler.h"

#define PMBF_NO_MEMORY (-1)
#define PMBF_REFUSED (-2)

enum { WORD_BITS = 64, LINE_WORDS = 8, LINE_BYTES = 64, LINE_ROWS = LINE_WORDS * WORD_BITS, COUNT_PLANES = 40 };

/* The compiler splits a line into registers: one of AVX-512, two of AVX2, four of NEON or SSE2. `loose_line` is a line
 * that is aligned only as a word is. */
typedef uint64_t line_t __attribute__((vector_size(64), aligned(64), may_alias));
typedef uint64_t loose_line __attribute__((vector_size(64), aligned(8), may_alias));
#define LOAD(address) ((line_t) * (const loose_line *)(address))

/* 64 lines: eight squares of 64 x 64 bits. Square i is word i of each line. */
typedef line_t squares_t[WORD_BITS];

/* The hashes of a query, k bits each. */
typedef struct {
    const uint32_t *hashes;
    size_t n_hashes;
    uint32_t k;
} query_t;

/* Up to 512 rows of slices or of hits: `n_lines` lines, `stride` words apart, with `n_words` used words each. */
typedef struct {
    const uint64_t *words;
    size_t n_lines, n_words, stride;
} columns_t;

/* The kernels that gain from wider vectors. variant.h and turning.h say what each does. */
typedef struct {
    void (*fill)(uint64_t *row, size_t n_words, const query_t *query);
    void (*seal)(const uint64_t *rows, size_t n_rows, size_t n_words, uint64_t *slices);
    void (*unseal)(const uint64_t *slices, size_t n_rows, size_t n_words, uint64_t *rows);
    void (*popcounts)(const uint64_t *rows, size_t n_rows, size_t n_words, int64_t *counts);
    void (*hits)(const columns_t *slices, const query_t *query, uint64_t *hits, size_t stride);
    void (*turn)(squares_t squares);
    void (*crowded)(const columns_t *hits, const int32_t *weights, size_t window, size_t least, line_t *passed);
} variant_t;

extern const variant_t bits_base;
#if defined(__x86_64__)
extern const variant_t bits_avx2, bits_avx512;
#endif

/* Returns the widest variant that this processor runs, or the variant that pmbf_use_level asked for. */
const variant_t *bits_variant(void);

/* Returns the words of a line of `n_rows` rows. */
INLINE size_t words_for(size_t n_rows) { return (n_rows + 63) / 64; }

/* Returns up to 512 rows of slices or hits, from word `first` of each line on. */
INLINE columns_t columns_from(const uint64_t *words, size_t n_lines, size_t stride, size_t first) {
    return (columns_t){words + first, n_lines, smaller(LINE_WORDS, stride - first), stride};
}

/* The k bits of a hash are those of double hashing, h1 + i h2 (Kirsch & Mitzenmacher 2006, Less Hashing, Same
 * Performance). One mix gives both h1 and h2. A multiplication and a shift replace the remainder (Lemire 2019, Fast
 * Random Integer Generation in an Interval). docs/format.md, `TILE`, has the formula.
 *
 * Returns a mixed hash for `position`: h1 in the upper half, h2 in the lower half. `position` makes h2 odd. */
INLINE uint64_t mixed(uint32_t hash) { return fmix64(hash * 0x9E3779B97F4A7C15u + 0x6A09E667F3BCC909u); }

/* Returns the i-th bit of a mixed hash in a row of `row_bits` bits. */
INLINE uint64_t position(uint64_t mix, uint32_t i, uint64_t row_bits) {
    uint32_t point = (uint32_t)(mix >> 32) + i * ((uint32_t)mix | 1u);
    return (point * row_bits) >> 32;
}
