/* The variant for x86-64 processors with AVX2, from 2013 on. */

#include "bits.h"

#if defined(__x86_64__)

#include <immintrin.h>

TARGET_BEGIN("avx2,bmi,bmi2,popcnt")

INLINE line_t load_some(const uint64_t *words, size_t n) {
    static const long long masks[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    const __m256i *used = (const __m256i *)(masks + 8 - n);
    union {
        __m256i halves[2];
        line_t line;
    } found = {{_mm256_maskload_epi64((const long long *)words, _mm256_loadu_si256(used)),
                _mm256_maskload_epi64((const long long *)words + 4, _mm256_loadu_si256(used + 1))}};
    return found.line;
}

#define VARIANT bits_avx2
#define MAJ(a, b, c) (((a) & (b)) | (((a) | (b)) & (c)))
#define POPCOUNT __builtin_popcountll
#define LOAD_SOME load_some

#include "variant.h"

TARGET_END

#else
typedef int nothing_to_compile;
#endif
