/* The variant for x86-64 processors with AVX2, from 2013 on. */

#include "bits.h"

#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,popcnt")
#endif

#define VARIANT bits_avx2
#define XOR3(a, b, c) ((a) ^ (b) ^ (c))
#define MAJ(a, b, c) (((a) & (b)) | (((a) | (b)) & (c)))
#define POPCOUNT __builtin_popcountll

#include "bits_variant.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#else
typedef int nothing_to_compile;
#endif
