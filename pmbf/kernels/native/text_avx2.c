/* AVX2: folds and checks 32 bytes at a time; the rest is that of every processor, whose hashes four lanes without a
 * product of 64 bits would not make faster. */

#if defined(__x86_64__)

#include "text_murmur.h"
#include "text_pages.h"
#include "text_select.h"
#include "text_shingles.h"
#include "text_tokens.h"

#include "text_target2.h"

#include "text_vec2.h"

#define VARIANT(name) name##_avx2
#include "text_check.h"
#include "text_step.h"

#include "text_target_end.h"

bool text_avx2_runs(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"); }

const ops_t text_avx2 = {
    .count_utf8 = count_utf8_avx2,
    .count_chars = count_chars_portable,
    .fold = fold_avx2,
    .tokens = tokens_portable,
    .kinds = kinds_portable,
    .murmur = murmur_portable,
    .shingles = shingles_portable,
    .collect = collect_portable,
};

#endif
