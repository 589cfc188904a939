/* The AVX2 kernels; text.h says what each does. */

#pragma once

#include <immintrin.h>

#include "text.h"

/* Haswell, Zen and later. */
#define AVX2 "avx2,bmi,bmi2,popcnt,lzcnt"

bool count_utf8_avx2(const uint8_t *text, size_t size, size_t *n_chars);
size_t count_chars_avx2(const uint8_t *begin, const uint8_t *end);
bool fold_avx2(fold_t *fold, const uint8_t *limit);
size_t tokens_avx2(const fold_t *fold, tokens_t *tokens);
void kinds_avx2(const uint8_t *bytes, size_t n, uint8_t *kinds);
void murmur_avx2(const uint8_t *bytes, const uint32_t *starts, const uint32_t *stops, size_t n, uint64_t *hashes);
void shingles_avx2(const uint64_t *values, const uint8_t *singles, size_t n, const shape_t *shape, uint32_t *hashes);
