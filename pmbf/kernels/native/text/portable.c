/* The variant for every processor. */

#include "shingles.h"
#include "murmur.h"
#include "select.h"
#include "tokens.h"

#define FIRST(n) (((uint64_t)1 << (8 * (n))) - 1)
#define ALL UINT64_MAX

const uint64_t murmur_keep_low[17] = {0,        FIRST(1), FIRST(2), FIRST(3), FIRST(4), FIRST(5), FIRST(6), FIRST(7),
                                      ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL};
const uint64_t murmur_keep_high[17] = {0, 0,        0,        0,        0,        0,        0,        0,
                                       0, FIRST(1), FIRST(2), FIRST(3), FIRST(4), FIRST(5), FIRST(6), FIRST(7), ALL};

void murmur_portable(const uint8_t *bytes, const uint32_t *starts, const uint32_t *stops, size_t n, uint64_t *hashes) {
    for (size_t i = 0; i < n; i++) hashes[i] = murmur(bytes + starts[i], stops[i] - starts[i]);
}

const ops_t text_portable = {
    .count_utf8 = count_utf8_portable,
    .count_chars = count_chars_portable,
    .fold = fold_portable,
    .tokens = tokens_portable,
    .kinds = kinds_portable,
    .murmur = murmur_portable,
    .shingles = shingles_portable,
    .longs = longs_portable,
    .join_long_words = join_long_words_portable,
    .collect = collect_portable,
};
