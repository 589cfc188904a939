/* Code points of valid UTF-8, and masks over 64 bytes. */

#pragma once

#include "text.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Returns where code point `index` of `[begin, end)` begins, or `end` if there are fewer. */
const uint8_t *nth_char(const uint8_t *begin, const uint8_t *end, size_t index);
bool count_utf8_portable(const uint8_t *text, size_t size, size_t *n_chars);
/* Returns the length of the sequence at `at`, or 0 if it is not valid or `end` cuts it short. */
size_t checked_width(const uint8_t *at, const uint8_t *end);

INLINE bool is_ascii_16(const uint8_t *at) { return !((load64(at) | load64(at + 8)) & 0x8080808080808080u); }
INLINE bool is_tail(uint8_t byte) { return (byte & 0xC0) == 0x80; }
INLINE size_t utf8_width(uint8_t lead) { return 1 + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0); }

INLINE uint32_t utf8_code_of_3(const uint8_t *at) {
    return (at[0] & 0x0Fu) << 12 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu);
}

INLINE uint32_t utf8_code(const uint8_t *at) {
    if (at[0] < 0x80) return at[0];
    if (at[0] < 0xE0) return (at[0] & 0x1Fu) << 6 | (at[1] & 0x3Fu);
    if (at[0] < 0xF0) return utf8_code_of_3(at);
    return (at[0] & 0x07u) << 18 | (at[1] & 0x3Fu) << 12 | (at[2] & 0x3Fu) << 6 | (at[3] & 0x3Fu);
}

/* Returns the code point that ends before `at`. There must be one. */
INLINE uint32_t utf8_code_before(const uint8_t *at) {
    do at--;
    while (is_tail(*at));
    return utf8_code(at);
}

/* Writes a code point, 1 to 4 bytes, and returns their number. */
INLINE size_t utf8_write(uint8_t *out, uint32_t code) {
    if (code < 0x80) {
        out[0] = (uint8_t)code;
        return 1;
    }
    size_t width = 2 + (code >= 0x800) + (code >= 0x10000);
    for (size_t i = width; --i;) {
        out[i] = 0x80 | (code & 0x3F);
        code >>= 6;
    }
    out[0] = (uint8_t)(0xF00 >> width) | (uint8_t)code;
    return width;
}

/* Bit i of a mask stands for byte i of the 64 at `at`: whether it is in [low, high], equals `byte`, is 0x80 or more, or
 * is in [0x80, 0xBF]. */
#if defined(__SSE2__)

#define MASK_OF(at, test)                                                                  \
    uint64_t mask = 0;                                                                     \
    for (int part = 0; part < 4; part++) {                                                 \
        __m128i v = _mm_loadu_si128((const __m128i *)((at) + 16 * part));                  \
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(test) << (16 * part);                \
    }                                                                                      \
    return mask;

INLINE uint64_t mask_within(const uint8_t *at, uint8_t low, uint8_t high) {
    const __m128i lows = _mm_set1_epi8((char)low), span = _mm_set1_epi8((char)(high - low));
    MASK_OF(at, _mm_cmpeq_epi8(_mm_min_epu8(_mm_sub_epi8(v, lows), span), _mm_sub_epi8(v, lows)))
}
INLINE uint64_t mask_equal(const uint8_t *at, uint8_t byte) {
    MASK_OF(at, _mm_cmpeq_epi8(v, _mm_set1_epi8((char)byte)))
}
INLINE uint64_t mask_high(const uint8_t *at) { MASK_OF(at, v) }
INLINE uint64_t mask_tails(const uint8_t *at) { MASK_OF(at, _mm_cmpgt_epi8(_mm_set1_epi8(-64), v)) }

#undef MASK_OF

#else

INLINE uint64_t mask_within(const uint8_t *at, uint8_t low, uint8_t high) {
    uint64_t mask = 0;
    for (int part = 0; part < 8; part++) {
        uint64_t found = 0;
        for (int i = 0; i < 8; i++) found |= (uint64_t)((uint8_t)(at[8 * part + i] - low) <= high - low) << i;
        mask |= found << (8 * part);
    }
    return mask;
}
INLINE uint64_t mask_equal(const uint8_t *at, uint8_t byte) { return mask_within(at, byte, byte); }
INLINE uint64_t mask_high(const uint8_t *at) { return mask_within(at, 0x80, 0xFF); }
INLINE uint64_t mask_tails(const uint8_t *at) { return mask_within(at, 0x80, 0xBF); }

#endif
