/* Vectors of 32 bytes, for step.h; for code of TARGET_BEGIN(AVX2). */

#include "text.h"

#define count_bits(bits) ((size_t)__builtin_popcountll(bits))

typedef __m256i vec_t;
enum { WIDTH = 32 };

INLINE vec_t bytes_of(uint8_t byte) { return _mm256_set1_epi8((char)byte); }
INLINE uint64_t bits_high(vec_t v) { return (uint32_t)_mm256_movemask_epi8(v); }

INLINE vec_t vec_load(const uint8_t *at, size_t size) {
    uint8_t padded[WIDTH] = {0};
    if (size < WIDTH) at = memcpy(padded, at, size);
    return _mm256_loadu_si256((const __m256i *)at);
}

INLINE vec_t vec_at(const uint8_t *at) { return _mm256_loadu_si256((const __m256i *)at); }

INLINE vec_t inside(vec_t v, uint8_t low, uint8_t high) { /* all ones in the bytes that are */
    v = _mm256_sub_epi8(v, bytes_of(low));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(v, bytes_of(high - low)), v);
}

INLINE uint64_t bits_equal(vec_t v, uint8_t byte) { return bits_high(_mm256_cmpeq_epi8(v, bytes_of(byte))); }
INLINE uint64_t bits_within(vec_t v, uint8_t low, uint8_t high) { return bits_high(inside(v, low, high)); }
INLINE uint64_t bits_tails(vec_t v) { return bits_high(_mm256_cmpgt_epi8(bytes_of(0xC0), v)); } /* 0x80 to 0xBF */
INLINE uint64_t bits_kept(vec_t v) { return (uint32_t)~bits_equal(v, 0); }

INLINE vec_t vec_fold_ascii(vec_t v) {
    vec_t lower = _mm256_or_si256(v, bytes_of(0x20));
    vec_t folded = _mm256_blendv_epi8(bytes_of(' '), v, _mm256_or_si256(inside(v, '0', '9'), v));
    return _mm256_blendv_epi8(folded, lower, inside(lower, 'a', 'z'));
}

INLINE vec_t vec_count_up(void) {
    return _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
                            25, 26, 27, 28, 29, 30, 31);
}

#define vec_down(v, n) _mm256_alignr_epi8(_mm256_permute2x128_si256((v), (v), 0x81), (v), (n))

/* All ones in the bytes of the mask. */
INLINE vec_t vec_of(uint64_t mask) {
    const vec_t eighth = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const vec_t bit = _mm256_set1_epi64x((long long)0x8040201008040201u);
    vec_t spread = _mm256_shuffle_epi8(_mm256_set1_epi32((int)(uint32_t)mask), eighth);
    return _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
}

INLINE vec_t quarter(const uint8_t *page) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)page));
}

/* Four look-ups of 16. Bits 4 and 5 of the index, moved to the top, choose among them. */
INLINE vec_t vec_look_up(vec_t old, uint64_t mask, vec_t index, const uint8_t *page) {
    vec_t low = _mm256_and_si256(index, bytes_of(15));
    vec_t bit_4 = _mm256_slli_epi16(index, 3), bit_5 = _mm256_slli_epi16(index, 2);
    vec_t first = _mm256_shuffle_epi8(quarter(page), low), second = _mm256_shuffle_epi8(quarter(page + 16), low);
    vec_t third = _mm256_shuffle_epi8(quarter(page + 32), low), fourth = _mm256_shuffle_epi8(quarter(page + 48), low);
    vec_t half = _mm256_blendv_epi8(first, second, bit_4), other = _mm256_blendv_epi8(third, fourth, bit_4);
    return _mm256_blendv_epi8(old, _mm256_blendv_epi8(half, other, bit_5), vec_of(mask));
}

INLINE vec_t vec_minus(vec_t v, uint64_t mask, uint8_t n) {
    return _mm256_sub_epi8(v, _mm256_and_si256(vec_of(mask), bytes_of(n)));
}

INLINE void vec_squeeze(uint8_t *out, vec_t v, uint64_t keep) {
    if (keep == UINT32_MAX) {
        _mm256_storeu_si256((__m256i *)out, v);
        return;
    }
    uint64_t words[4];
    _mm256_storeu_si256((__m256i *)words, v);
    for (int i = 0; i < 4; i++) {
        uint64_t bits = keep >> (8 * i) & 0xFF, bytes = _pdep_u64(bits, 0x0101010101010101u) * 0xFF;
        words[i] = _pext_u64(words[i], bytes);
        memcpy(out, &words[i], 8);
        out += __builtin_popcountll(bits);
    }
}

INLINE uint64_t squeezed(uint64_t bits, uint64_t keep) { return _pext_u64(bits, keep); }
