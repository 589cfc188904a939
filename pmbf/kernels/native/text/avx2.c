/* AVX2: folds, checks and scans 32 bytes at a time. */

#if defined(__x86_64__)

#include "avx2.h"
#include "shingles.h"
#include "pages.h"
#include "select.h"

bool text_avx2_runs(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"); }

const ops_t text_avx2 = {
    .count_utf8 = count_utf8_avx2,
    .count_chars = count_chars_avx2,
    .fold = fold_avx2,
    .tokens = tokens_avx2,
    .kinds = kinds_avx2,
    .murmur = murmur_avx2,
    .shingles = shingles_avx2,
    .longs = longs_portable,
    .join_long_words = join_long_words_portable,
    .collect = collect_portable,
};

TARGET_BEGIN(AVX2)

#include "vec2.h"

#define VARIANT(name) name##_avx2
#include "check.h"
#include "step.h"

#define mask_within(at, low, high) \
    (bits_within(vec_at(at), low, high) | bits_within(vec_at((at) + 32), low, high) << 32)
#define mask_equal(at, byte) (bits_equal(vec_at(at), byte) | bits_equal(vec_at((at) + 32), byte) << 32)
#define mask_high(at) (bits_high(vec_at(at)) | bits_high(vec_at((at) + 32)) << 32)
#define mask_tails(at) (bits_tails(vec_at(at)) | bits_tails(vec_at((at) + 32)) << 32)
#include "scan.h"

TARGET_END

#endif
