/* What the machine can do at best, for `python -m benchmarks limit`: no kernel can read memory faster than these. */

#include "bits.h"

enum { UNDER_WAY = 64 };

/* Reads n lines anywhere in memory, each once it has been asked for some lines before, and returns their sum. */
EXPORT uint64_t pmbf_limit_lines(const uint64_t *words, size_t n_lines, const uint32_t *places, size_t n) {
    line_t sum = {0};
    for (size_t i = 0; i < n; i++) {
        if (i == 0)
            for (size_t j = 0; j < smaller(UNDER_WAY, n); j++)
                __builtin_prefetch(words + ((uint64_t)places[j] * n_lines >> 32) * LINE_WORDS);
        if (i + UNDER_WAY < n)
            __builtin_prefetch(words + ((uint64_t)places[i + UNDER_WAY] * n_lines >> 32) * LINE_WORDS);
        sum += *(const loose_line *)(words + ((uint64_t)places[i] * n_lines >> 32) * LINE_WORDS);
    }
    return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

/* Reads n lines from the first to the last, and returns their sum. */
EXPORT uint64_t pmbf_limit_stream(const uint64_t *words, size_t n_lines) {
    line_t sum = {0}, other = {0};
    for (size_t i = 0; i + 2 <= n_lines; i += 2) {
        sum += *(const loose_line *)(words + i * LINE_WORDS);
        other += *(const loose_line *)(words + (i + 1) * LINE_WORDS);
    }
    sum += other;
    return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}
