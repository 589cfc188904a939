/* Checks UTF-8 by masks of the bytes of a vector. step.h says what the including file defines.
 *
 * There must be continuation bytes exactly where the first bytes ask for them. Four first bytes restrict their second
 * byte, and so do the first bytes of characters of four bytes. These are checked one by one.
 * Source: The Unicode Standard 14, table 3-7, well-formed byte sequences.
 */

#include "utf8.h"

/* Returns whether each first byte that restricts its second byte has an allowed one. */
static bool seconds_fit(const uint8_t *at, uint64_t leads, const uint8_t *end) {
    for (; leads; leads &= leads - 1)
        if (!checked_width(at + __builtin_ctzll(leads), end)) return false;
    return true;
}

bool VARIANT(count_utf8)(const uint8_t *text, size_t size, size_t *n_chars) {
    const uint8_t *end = text + size;
    size_t n = 0;
    uint64_t asked = 0; /* continuation bytes of this block that the block before asks for */
    for (const uint8_t *at = text; at < end; at += WIDTH) {
        size_t width = smaller((size_t)(end - at), WIDTH);
        vec_t block = vec_load(at, width);
        uint64_t high = bits_high(block);
        n += width;
        if (!(high | asked)) continue;
        uint64_t tails = bits_tails(block), two = high & ~tails, three = bits_within(block, 0xE0, 0xFF);
        uint64_t never = bits_within(block, 0xC0, 0xC1), four = 0, strict = 0;
        if (three) {
            four = bits_within(block, 0xF0, 0xFF);
            never |= bits_within(block, 0xF5, 0xFF);
            strict = four | bits_equal(block, 0xE0) | bits_equal(block, 0xED);
        }
        uint64_t wanted = asked | two << 1 | three << 2 | four << 3;
        if (never || tails != (wanted & UINT64_MAX >> (64 - WIDTH))) return false;
        if (strict && !seconds_fit(at, strict, end)) return false;
        asked = two >> (WIDTH - 1) | three >> (WIDTH - 2) | four >> (WIDTH - 3);
        n -= count_bits(tails);
    }
    *n_chars = n;
    return !asked;
}
