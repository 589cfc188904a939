/* The AVX-512 kernels; text.h says what each does. */

#pragma once

#include <immintrin.h>

#include "text.h"

/* Ice Lake, Zen 4 and later. */
#define AVX512 "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt,lzcnt"

bool count_utf8_avx512(const uint8_t *text, size_t size, size_t *n_chars);
bool fold_avx512(fold_t *fold, const uint8_t *limit);
size_t count_chars_avx512(const uint8_t *begin, const uint8_t *end);
size_t tokens_avx512(const fold_t *fold, tokens_t *tokens);
void kinds_avx512(const uint8_t *bytes, size_t n, uint8_t *kinds);
void murmur_avx512(const uint8_t *bytes, const uint32_t *starts, const uint32_t *stops, size_t n, uint64_t *hashes);
void shingles_avx512(const uint64_t *values, const uint8_t *singles, size_t n, const shape_t *shape, uint32_t *hashes);
void longs_avx512(const fold_t *fold, const tokens_t *tokens, size_t n, size_t least, uint8_t *longs);
void join_long_words_avx512(const uint64_t *values, const long_words_t *words, size_t n, halves_t hashes);
size_t collect_avx512(const uint32_t *hashes, size_t n, uint32_t low, uint32_t high, uint64_t *keys);
