/* What the machine can do: lines of 64 bytes read anywhere in memory, and one after another, and nothing else done.
 * benchmarks/machine.py compiles this file. */

#include <stddef.h>
#include <stdint.h>

/* With 32 lines under way 450 lines take the least, with 24 to 128 up to 8 % more. */
enum { LINE_WORDS = 8, UNDER_WAY = 32 };

typedef uint64_t line_t __attribute__((vector_size(64), aligned(8), may_alias));

/* The kernel that looks a query up in a sealed tile: slices, their number and words, hashes, their number, k, hits. */
typedef void (*hits_t)(const uint64_t *, size_t, size_t, const uint32_t *, size_t, uint32_t, uint64_t *);

static uint64_t total(line_t sum) {
    return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

/* Returns line number places[i] / 2^32 of n_lines. */
static const uint64_t *line_at(const uint64_t *words, size_t n_lines, const uint32_t *places, size_t i) {
    return words + ((uint64_t)places[i] * n_lines >> 32) * LINE_WORDS;
}

/* Reads n lines anywhere in memory and returns their sum. Each line is prefetched 32 lines before it is read. */
static uint64_t read_query(const uint64_t *words, size_t n_lines, const uint32_t *places, size_t n) {
    line_t sum = {0};
    for (size_t i = 0; i < UNDER_WAY && i < n; i++) __builtin_prefetch(line_at(words, n_lines, places, i));
    for (size_t i = 0; i < n; i++) {
        if (i + UNDER_WAY < n) __builtin_prefetch(line_at(words, n_lines, places, i + UNDER_WAY));
        sum += *(const line_t *)line_at(words, n_lines, places, i);
    }
    return total(sum);
}

/* Reads the lines of queries, n each, one query after another, and returns their sum. */
uint64_t read_lines(const uint64_t *words, size_t n_lines, const uint32_t *places, size_t n, size_t n_queries) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n_queries; i++) sum += read_query(words, n_lines, places + i * n, n);
    return sum;
}

/* Calls the kernel for each query of n hashes. The hits of each query take the place of those before. */
void look_up(hits_t kernel, const uint64_t *slices, size_t n_slices, const uint32_t *hashes, size_t n, size_t n_queries,
             uint32_t k, uint64_t *hits) {
    for (size_t i = 0; i < n_queries; i++) kernel(slices, n_slices, LINE_WORDS, hashes + i * n, n, k, hits);
}

/* Reads n lines from the first to the last, and returns their sum. */
uint64_t read_in_order(const uint64_t *words, size_t n_lines) {
    line_t sum = {0}, other = {0};
    for (size_t i = 0; i + 2 <= n_lines; i += 2) {
        sum += *(const line_t *)(words + i * LINE_WORDS);
        other += *(const line_t *)(words + (i + 1) * LINE_WORDS);
    }
    return total(sum + other);
}
