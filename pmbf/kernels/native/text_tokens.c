/* Finds tokens in folded bytes, 64 at a time: where one starts and stops are bits, which then become offsets. */

#include "text_tokens.h"

/* Writes the offsets of set bits by eights, up to 7 more than there are: a branch for each would be guessed wrong. */
INLINE uint32_t *put_offsets(uint32_t *out, uint64_t bits, uint32_t base) {
    uint32_t *end = out + __builtin_popcountll(bits);
    for (; out < end; out += 8)
        for (int i = 0; i < 8; i++, bits &= bits - 1)
            out[i] = base + (uint32_t)__builtin_ctzll(bits | (uint64_t)1 << 63);
    return end;
}

INLINE void put_singles(uint8_t *out, uint64_t starts, uint64_t singles) {
    for (; starts; starts &= starts - 1) *out++ = singles >> __builtin_ctzll(starts) & 1;
}

size_t tokens_portable(const fold_t *fold, tokens_t *tokens) {
    uint32_t *start = tokens->starts, *stop = tokens->stops;
    edge_t edge = EDGE_AT_BEGINNING;
    for (size_t at = 0; at < fold->n + 1; at += 64) {
        token_bits_t bits = token_bits(mask_equal(fold->bytes + at, ' '), begins_at(fold, at), &edge);
        uint8_t *singles = tokens->singles + (start - tokens->starts);
        if (fold->has_singles) put_singles(singles, bits.starts, fold->singles[at / 64]);
        start = put_offsets(start, bits.starts, (uint32_t)at);
        stop = put_offsets(stop, bits.stops, (uint32_t)at);
    }
    return (size_t)(start - tokens->starts);
}

void kinds_portable(const uint8_t *bytes, size_t n, uint8_t *kinds) {
    for (const uint8_t *at = bytes; at < bytes + n; at += 64) {
        uint64_t after = mask_within(at + 1, 0xB0, 0xBF);
        uint64_t latin = mask_within(at, 'a', 'z') | mask_within(at, 0xC3, 0xCA);
        uint64_t many = mask_within(at, 0xD4, 0xD6) | (mask_equal(at, 0xE1) & after) | mask_equal(at, 0xE2) |
                        (mask_equal(at, 0xEA) & ~after) | mask_equal(at, 0xF0);
        *kinds++ = (uint8_t)((latin ? LATIN_LETTERS : 0) | (mask_within(at, 0xD0, 0xD3) ? CYRILLIC_LETTERS : 0) |
                             (mask_within(at, 0xCD, 0xCF) ? GREEK_LETTERS : 0) | (many ? MANY_SCRIPTS : 0) |
                             (mask_equal(at, ' ') ? HAS_GAP : 0));
    }
}
