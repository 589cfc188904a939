/* The variant for x86-64 processors with AVX-512 and its popcounts: Ice Lake, Zen 4 and later. A full adder of 512 bits
 * takes two instructions. */

#include "bits.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX512 "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,avx2,bmi,bmi2,popcnt"
#if defined(__clang__)
TARGET_BEGIN(AVX512)
#else
TARGET_BEGIN(AVX512, "prefer-vector-width=512")
#endif

#define VARIANT bits_avx512
#define TERNARY(a, b, c, table) ((line_t)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), table))
#define MAJ(a, b, c) TERNARY(a, b, c, 0xE8)
#define POPCOUNT __builtin_popcountll
#define LOAD_SOME(words, n) ((line_t)_mm512_maskz_loadu_epi64((__mmask8)((1u << (n)) - 1), words))

#include "variant.h"

TARGET_END

#else
typedef int nothing_to_compile;
#endif
