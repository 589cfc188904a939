/* Chooses the instruction set once, at run time. */

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
