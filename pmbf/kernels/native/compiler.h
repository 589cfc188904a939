/* The macros of all kernels for the compiler, and what they need of the machine. */

#pragma once

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the kernels read little-endian words; pmbf runs without them, on NumPy"
#endif

#define EXPORT __attribute__((visibility("default")))
#define INLINE static inline __attribute__((always_inline))
#define RARE(condition) __builtin_expect(!!(condition), 0)

/* Code between TARGET_BEGIN and TARGET_END is compiled for an instruction set. Include <immintrin.h> before. */
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#if defined(__clang__)
#define TARGET_BEGIN(set) PRAGMA(clang attribute push(__attribute__((target(set))), apply_to = function))
#define TARGET_END _Pragma("clang attribute pop")
#else
#define TARGET_BEGIN(...) _Pragma("GCC push_options") PRAGMA(GCC target(__VA_ARGS__))
#define TARGET_END _Pragma("GCC pop_options")
#endif
