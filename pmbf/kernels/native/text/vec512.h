/* Vectors of 64 bytes, for step.h; for code of TARGET_BEGIN(AVX512). */

#include "text.h"

#define count_bits(bits) ((size_t)__builtin_popcountll(bits))

typedef __m512i vec_t;
enum { WIDTH = 64 };

INLINE vec_t bytes_of(uint8_t byte) { return _mm512_set1_epi8((char)byte); }

INLINE vec_t vec_load(const uint8_t *at, size_t size) {
    return _mm512_maskz_loadu_epi8(UINT64_MAX >> (64 - size), at);
}

INLINE uint64_t bits_equal(vec_t v, uint8_t byte) { return _mm512_cmpeq_epi8_mask(v, bytes_of(byte)); }
INLINE uint64_t bits_within(vec_t v, uint8_t low, uint8_t high) {
    return _mm512_cmple_epu8_mask(_mm512_sub_epi8(v, bytes_of(low)), bytes_of(high - low));
}
INLINE uint64_t bits_high(vec_t v) { return _mm512_movepi8_mask(v); }
INLINE uint64_t bits_tails(vec_t v) { return _mm512_cmplt_epi8_mask(v, bytes_of(0xC0)); } /* 0x80 to 0xBF */
INLINE uint64_t bits_kept(vec_t v) { return _mm512_test_epi8_mask(v, v); }

INLINE vec_t vec_fold_ascii(vec_t v) {
    vec_t lower = _mm512_or_si512(v, bytes_of(0x20));
    vec_t folded = _mm512_mask_mov_epi8(bytes_of(' '), bits_within(v, '0', '9') | bits_high(v), v);
    return _mm512_mask_mov_epi8(folded, bits_within(lower, 'a', 'z'), lower);
}

INLINE vec_t vec_count_up(void) {
    return _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42,
                           41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20,
                           19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

INLINE vec_t vec_down(vec_t v, uint8_t n) {
    return _mm512_permutexvar_epi8(_mm512_add_epi8(vec_count_up(), bytes_of(n)), v);
}
INLINE vec_t vec_look_up(vec_t old, uint64_t mask, vec_t index, const uint8_t *page) {
    return _mm512_mask_permutexvar_epi8(old, mask, index, _mm512_loadu_si512(page));
}
INLINE vec_t vec_minus(vec_t v, uint64_t mask, uint8_t n) { return _mm512_mask_sub_epi8(v, mask, v, bytes_of(n)); }
INLINE void vec_squeeze(uint8_t *out, vec_t v, uint64_t keep) {
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(keep, v));
}
INLINE uint64_t squeezed(uint64_t bits, uint64_t keep) { return _pext_u64(bits, keep); }
