/* Finds tokens, kinds of letters and code points by masks of 64 bytes. The including file defines
 *
 *     mask_within(at, low, high)    bit i: byte i of the 64 at `at` is in [low, high]
 *     mask_equal(at, byte)          bit i: byte i equals `byte`
 *     mask_high(at), mask_tails(at) bit i: byte i is 0x80 or more; byte i is in [0x80, 0xBF]
 *     VARIANT(name)                 the name of a function in this variant
 */

#include "tokens.h"

size_t VARIANT(count_chars)(const uint8_t *begin, const uint8_t *end) {
    size_t n = 0;
    for (; end - begin >= 64; begin += 64) n += 64 - count_bits(mask_tails(begin));
    for (; begin < end; begin++) n += !is_tail(*begin);
    return n;
}

/* Writes the offsets of set bits, eight at a time, and so up to 7 numbers behind them. A branch for each bit would be
 * mispredicted. */
INLINE uint32_t *VARIANT(put_offsets)(uint32_t *out, uint64_t bits, uint32_t base) {
    uint32_t *end = out + count_bits(bits);
    for (; out < end; out += 8)
        for (int i = 0; i < 8; i++, bits &= bits - 1)
            out[i] = base + (uint32_t)__builtin_ctzll(bits | (uint64_t)1 << 63);
    return end;
}

INLINE void VARIANT(put_singles)(uint8_t *out, uint64_t starts, uint64_t singles) {
    for (; starts; starts &= starts - 1) *out++ = singles >> __builtin_ctzll(starts) & 1;
}

size_t VARIANT(tokens)(const fold_t *fold, tokens_t *tokens) {
    uint32_t *start = tokens->starts, *stop = tokens->stops;
    edge_t edge = EDGE_AT_BEGINNING;
    for (size_t at = 0; at < fold->n + 1; at += 64) {
        token_bits_t bits = token_bits(mask_equal(fold->bytes + at, ' '), begins_at(fold, at), &edge);
        uint8_t *singles = tokens->singles + (start - tokens->starts);
        if (fold->has_singles) VARIANT(put_singles)(singles, bits.starts, fold->singles[at / 64]);
        start = VARIANT(put_offsets)(start, bits.starts, (uint32_t)at);
        stop = VARIANT(put_offsets)(stop, bits.stops, (uint32_t)at);
    }
    return (size_t)(start - tokens->starts);
}

void VARIANT(kinds)(const uint8_t *bytes, size_t n, uint8_t *kinds) {
    for (const uint8_t *at = bytes; at < bytes + n; at += 64) {
        uint64_t latin = mask_within(at, 'a', 'z'), cyrillic = 0, greek = 0, many = 0, high = mask_high(at), others = 0;
        if (high) {
            cyrillic = mask_within(at, 0xD0, 0xD3);
            others = high & ~mask_tails(at) & ~cyrillic & ~mask_within(at, 0xE3, 0xE9); /* Kana, Han */
        }
        if (others) {
            uint64_t after = mask_within(at + 1, 0xB0, 0xBF);
            latin |= mask_within(at, 0xC3, 0xCA);
            greek = mask_within(at, 0xCD, 0xCF);
            many = mask_within(at, 0xD4, 0xD6) | (mask_equal(at, 0xE1) & after) | mask_equal(at, 0xE2) |
                   (mask_equal(at, 0xEA) & ~after);
            uint64_t fours = mask_equal(at, 0xF0);
            if (fours) many |= fours & mask_within(at + 1, 0x90, 0x9F);
        }
        *kinds++ = (uint8_t)((latin ? LATIN_LETTERS : 0) | (cyrillic ? CYRILLIC_LETTERS : 0) |
                             (greek ? GREEK_LETTERS : 0) | (many ? MANY_SCRIPTS : 0) |
                             (mask_equal(at, ' ') ? HAS_GAP : 0));
    }
}
