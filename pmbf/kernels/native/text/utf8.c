/* Checks UTF-8 and counts code points. Source: The Unicode Standard 14, table 3-7, well-formed byte sequences. */

#include "tokens.h"

size_t checked_width(const uint8_t *at, const uint8_t *end) {
    uint8_t lead = at[0];
    size_t left = (size_t)(end - at);
    if (lead < 0x80) return 1;
    if (lead < 0xC2 || lead > 0xF4 || left < utf8_width(lead) || !is_tail(at[1])) return 0;
    if (lead < 0xE0) return 2;
    if (!is_tail(at[2])) return 0;
    if (lead < 0xF0) {
        bool overlong = lead == 0xE0 && at[1] < 0xA0, surrogate = lead == 0xED && at[1] > 0x9F;
        return overlong || surrogate ? 0 : 3;
    }
    bool overlong = lead == 0xF0 && at[1] < 0x90, beyond = lead == 0xF4 && at[1] > 0x8F;
    return overlong || beyond || !is_tail(at[3]) ? 0 : 4;
}

#if defined(__SSE2__)

enum { WIDTH = 64 };

typedef struct {
    uint8_t bytes[WIDTH];
} vec_t;

INLINE vec_t vec_load(const uint8_t *at, size_t size) {
    vec_t v = {{0}};
    memcpy(v.bytes, at, size);
    return v;
}
#define bits_within(v, low, high) mask_within((v).bytes, (low), (high))
#define bits_equal(v, byte) mask_equal((v).bytes, (byte))
#define bits_high(v) mask_high((v).bytes)
#define bits_tails(v) mask_tails((v).bytes)
#define VARIANT(name) name##_portable
#include "check.h"

#else

bool count_utf8_portable(const uint8_t *text, size_t size, size_t *n_chars) {
    const uint8_t *at = text, *end = text + size;
    size_t n = 0;
    while (at < end) {
        while (end - at >= 16 && is_ascii_16(at)) {
            at += 16;
            n += 16;
        }
        for (int i = 0; i < 16 && at < end; i++) {
            size_t width = checked_width(at, end);
            if (!width) return false;
            at += width;
            n++;
        }
    }
    *n_chars = n;
    return true;
}

#endif

const uint8_t *nth_char(const uint8_t *begin, const uint8_t *end, size_t index) {
    for (; end - begin >= 64; begin += 64) {
        size_t n = count_chars_portable(begin, begin + 64);
        if (n > index) break;
        index -= n;
    }
    for (; begin < end; begin++)
        if (!is_tail(*begin) && index-- == 0) return begin;
    return end;
}
