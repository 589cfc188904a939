/* AVX-512: tokens, kinds of letters and code points by masks of 64 bytes; the table of this variant's functions. */

#if defined(__x86_64__)

#include "avx512.h"
#include "pages.h"
#include "tokens.h"

bool text_avx512_runs(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("bmi2");
}

const ops_t text_avx512 = {
    .count_utf8 = count_utf8_avx512,
    .count_chars = count_chars_avx512,
    .fold = fold_avx512,
    .tokens = tokens_avx512,
    .kinds = kinds_avx512,
    .murmur = murmur_avx512,
    .shingles = shingles_avx512,
    .longs = longs_avx512,
    .join_long_words = join_long_words_avx512,
    .collect = collect_avx512,
};

TARGET_BEGIN(AVX512)

#include "vec512.h"

size_t count_chars_avx512(const uint8_t *begin, const uint8_t *end) {
    size_t n = 0;
    for (; end - begin >= 64; begin += 64) {
        n += 64 - count_bits(bits_tails(_mm512_loadu_si512(begin)));
    }
    return n + count_chars_portable(begin, end);
}

/* Writes the offsets of set bits, and up to 15 numbers behind them. */
INLINE uint32_t *put_offsets(uint32_t *out, uint64_t bits, uint32_t base) {
    __m512i offsets = _mm512_maskz_compress_epi8(bits, vec_count_up()), bases = _mm512_set1_epi32((int)base);
    uint32_t *end = out + __builtin_popcountll(bits);
    _mm512_storeu_si512(out, _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(offsets)), bases));
    for (out += 16; RARE(out < end); out += 16) {
        offsets = _mm512_shuffle_i64x2(offsets, offsets, 0x39); /* the next 16 */
        _mm512_storeu_si512(out, _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(offsets)), bases));
    }
    return end;
}

size_t tokens_avx512(const fold_t *fold, tokens_t *tokens) {
    uint32_t *start = tokens->starts, *stop = tokens->stops;
    edge_t edge = EDGE_AT_BEGINNING;
    for (size_t at = 0; at < fold->n + 1; at += 64) {
        uint64_t gaps = bits_equal(_mm512_loadu_si512(fold->bytes + at), ' ');
        token_bits_t bits = token_bits(gaps, begins_at(fold, at), &edge);
        if (fold->has_singles) {
            uint64_t singles = _pext_u64(fold->singles[at / 64], bits.starts);
            _mm512_storeu_si512(tokens->singles + (start - tokens->starts), _mm512_maskz_set1_epi8(singles, 1));
        }
        start = put_offsets(start, bits.starts, (uint32_t)at);
        stop = put_offsets(stop, bits.stops, (uint32_t)at);
    }
    return (size_t)(start - tokens->starts);
}

void kinds_avx512(const uint8_t *bytes, size_t n, uint8_t *kinds) {
    for (const uint8_t *at = bytes; at < bytes + n; at += 64) {
        __m512i block = _mm512_loadu_si512(at);
        uint64_t latin = bits_within(block, 'a', 'z'), cyrillic = 0, greek = 0, many = 0;
        if (bits_high(block)) {
            uint64_t after = bits_within(_mm512_loadu_si512(at + 1), 0xB0, 0xBF);
            latin |= bits_within(block, 0xC3, 0xCA);
            cyrillic = bits_within(block, 0xD0, 0xD3);
            greek = bits_within(block, 0xCD, 0xCF);
            many = bits_within(block, 0xD4, 0xD6) | (bits_equal(block, 0xE1) & after) | bits_equal(block, 0xE2) |
                   (bits_equal(block, 0xEA) & ~after);
            uint64_t fours = bits_equal(block, 0xF0);
            if (fours) many |= fours & bits_within(_mm512_loadu_si512(at + 1), 0x90, 0x9F);
        }
        *kinds++ = (uint8_t)((latin != 0) * LATIN_LETTERS | (cyrillic != 0) * CYRILLIC_LETTERS |
                             (greek != 0) * GREEK_LETTERS | (many != 0) * MANY_SCRIPTS |
                             (bits_equal(block, ' ') != 0) * HAS_GAP);
    }
}

TARGET_END

#endif
