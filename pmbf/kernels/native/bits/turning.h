/* Turning: rows to slices and back, as a transposed bit matrix. variant.h includes this file once for each instruction
 * set, between its own functions.
 */

#include "bits.h"

/* Swaps bits of two lines `distance` apart: upper bits of `low` with lower bits of `high`, where the mask has ones. */
#define SWAP(low, high, distance, mask)                    \
    do {                                                   \
        line_t swap = ((low >> (distance)) ^ high) & (mask); \
        high ^= swap, low ^= swap << (distance);           \
    } while (0)

/* Three steps of a transposition, on eight lines in registers: first with distances 32, 16, 8, on lines 8 apart; then
 * with distances 4, 2, 1, on neighbours. */
INLINE void turn_eight(line_t *lines, size_t apart, const unsigned distances[3], const uint64_t masks[3]) {
    line_t v[8];
    for (size_t i = 0; i < 8; i++) v[i] = lines[i * apart];
    for (size_t i = 0; i < 4; i++) SWAP(v[i], v[i + 4], distances[0], masks[0]);
    for (size_t i = 0; i < 8; i += i & 1 ? 3 : 1) SWAP(v[i], v[i + 2], distances[1], masks[1]);
    for (size_t i = 0; i < 8; i += 2) SWAP(v[i], v[i + 1], distances[2], masks[2]);
    for (size_t i = 0; i < 8; i++) lines[i * apart] = v[i];
}

/* Transposes eight squares of 64 x 64 bits, one in each word of the lines (Warren, Hacker's Delight, 7-3). */
static void turn(squares_t squares) {
    static const unsigned far[3] = {32, 16, 8}, near[3] = {4, 2, 1};
    static const uint64_t far_masks[3] = {0x00000000FFFFFFFF, 0x0000FFFF0000FFFF, 0x00FF00FF00FF00FF};
    static const uint64_t near_masks[3] = {0x0F0F0F0F0F0F0F0F, 0x3333333333333333, 0x5555555555555555};
    for (size_t i = 0; i < 8; i++) turn_eight(squares + i, 8, far, far_masks);
    for (size_t i = 0; i < WORD_BITS; i += 8) turn_eight(squares + i, 1, near, near_masks);
}

/* 512 rows by 8 words, on their way between rows and slices. Groups of 64 rows lie one after another, with a line
 * between. Row r of all groups is read together; the line keeps them from sharing one set of the cache. */
typedef struct {
    uint64_t words[LINE_WORDS][WORD_BITS + 1][LINE_WORDS];
} __attribute__((aligned(64))) block_t;

/* Copies one column of words of a block to `squares`: line r holds row r of each group. */
INLINE void take_column(const block_t *block, size_t column, squares_t squares) {
    uint64_t *out = (uint64_t *)squares;
    for (size_t r = 0; r < WORD_BITS; r++)
        for (size_t group = 0; group < LINE_WORDS; group++)
            out[r * LINE_WORDS + group] = block->words[group][r][column];
}

INLINE void put_column(block_t *block, size_t column, const squares_t squares) {
    const uint64_t *in = (const uint64_t *)squares;
    for (size_t r = 0; r < WORD_BITS; r++)
        for (size_t group = 0; group < LINE_WORDS; group++)
            block->words[group][r][column] = in[r * LINE_WORDS + group];
}

/* Copies `n` words of each row, from word `at` on, and prefetches the words after them. */
INLINE void read_rows(const uint64_t *rows, size_t n_rows, size_t stride, size_t at, size_t n, block_t *block) {
    for (size_t row = 0; row < n_rows; row++) {
        const uint64_t *words = rows + row * stride + at;
        uint64_t *out = block->words[row / 64][row % 64];
        if (n == LINE_WORDS) {
            __builtin_prefetch(words + 2 * LINE_WORDS);
            *(line_t *)out = LOAD(words);
        } else {
            memcpy(out, words, n * sizeof *words);
        }
    }
}

INLINE void write_rows(uint64_t *rows, size_t n_rows, size_t stride, size_t at, size_t n, const block_t *block) {
    for (size_t row = 0; row < n_rows; row++)
        memcpy(rows + row * stride + at, block->words[row / 64][row % 64], n * sizeof *rows);
}

INLINE void write_lines(uint64_t *slices, size_t width, size_t stride, const squares_t squares) {
    for (size_t p = 0; p < WORD_BITS; p++) {
        if (width == LINE_WORDS) *(loose_line *)(slices + p * stride) = squares[p];
        else memcpy(slices + p * stride, &squares[p], width * sizeof *slices);
    }
}

INLINE void read_lines(const uint64_t *slices, size_t width, size_t stride, squares_t squares) {
    for (size_t p = 0; p < WORD_BITS; p++) {
        if (width == LINE_WORDS) squares[p] = LOAD(slices + p * stride);
        else memcpy(&squares[p], slices + p * stride, width * sizeof *slices);
    }
}

/* Writes up to 512 rows as slices, `stride` words apart. */
static void seal_part(const uint64_t *rows, size_t n_rows, size_t n_words, uint64_t *slices, size_t stride) {
    block_t block;
    squares_t squares;
    memset(&block, 0, sizeof block);
    for (size_t at = 0; at < n_words; at += LINE_WORDS) {
        size_t n = smaller(LINE_WORDS, n_words - at);
        read_rows(rows, n_rows, n_words, at, n, &block);
        for (size_t column = 0; column < n; column++) {
            take_column(&block, column, squares);
            turn(squares);
            write_lines(slices + WORD_BITS * (at + column) * stride, words_for(n_rows), stride, squares);
        }
    }
}

static void unseal_part(const uint64_t *slices, size_t stride, size_t n_rows, size_t n_words, uint64_t *rows) {
    block_t block;
    squares_t squares;
    memset(squares, 0, sizeof squares);
    for (size_t at = 0; at < n_words; at += LINE_WORDS) {
        size_t n = smaller(LINE_WORDS, n_words - at);
        for (size_t column = 0; column < n; column++) {
            read_lines(slices + WORD_BITS * (at + column) * stride, words_for(n_rows), stride, squares);
            turn(squares);
            put_column(&block, column, squares);
        }
        write_rows(rows, n_rows, n_words, at, n, &block);
    }
}

static void seal(const uint64_t *rows, size_t n_rows, size_t n_words, uint64_t *slices) {
    for (size_t row = 0; row < n_rows; row += LINE_ROWS)
        seal_part(rows + row * n_words, smaller(LINE_ROWS, n_rows - row), n_words, slices + row / 64,
                  words_for(n_rows));
}

static void unseal(const uint64_t *slices, size_t n_rows, size_t n_words, uint64_t *rows) {
    for (size_t row = 0; row < n_rows; row += LINE_ROWS)
        unseal_part(slices + row / 64, words_for(n_rows), smaller(LINE_ROWS, n_rows - row), n_words,
                    rows + row * n_words);
}
