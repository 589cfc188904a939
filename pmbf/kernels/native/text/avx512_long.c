/* AVX-512: which tokens are long words, and the shingles of two of them, eight at a time. */

#if defined(__x86_64__)

#include "avx512.h"
#include "shingles.h"
#include "tokens.h"

TARGET_BEGIN(AVX512)

#include "avx512_mix.h"

/* Returns the number of bits in each 16 of 128, of which each 8 have any number. */
INLINE __m128i count_16(__m128i bits) {
    const __m128i nibbles = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4), low = _mm_set1_epi8(15);
    __m128i counts = _mm_add_epi8(_mm_shuffle_epi8(nibbles, _mm_and_si128(bits, low)),
                                  _mm_shuffle_epi8(nibbles, _mm_and_si128(_mm_srli_epi16(bits, 4), low)));
    return _mm_maddubs_epi16(counts, _mm_set1_epi8(1));
}

/* Returns which bytes of four tokens, 16 of each, are in [0x80, 0xBF]. */
INLINE long long tails_of_four(const uint8_t *bytes, const uint32_t *at) {
    return (long long)_mm512_cmplt_epi8_mask(load_four(bytes, at), _mm512_set1_epi8(-64));
}

/* Returns which of eight tokens have at least `least` code points among their first 16 bytes. */
INLINE __mmask8 have_chars_8(const uint8_t *bytes, const uint32_t *starts, __m256i sizes, __m128i least) {
    __m256i firsts = _mm256_min_epu32(sizes, _mm256_set1_epi32(16)), one = _mm256_set1_epi32(1);
    __m128i within = _mm256_cvtepi32_epi16(_mm256_sub_epi32(_mm256_sllv_epi32(one, firsts), one));
    __m128i tails = _mm_set_epi64x(tails_of_four(bytes, starts + 4), tails_of_four(bytes, starts));
    __m128i chars = _mm_sub_epi16(_mm256_cvtepi32_epi16(firsts), count_16(_mm_and_si128(tails, within)));
    return _mm_cmpge_epu16_mask(chars, least);
}

void longs_avx512(const fold_t *fold, const tokens_t *tokens, size_t n, size_t least, uint8_t *longs) {
    const __m256i wanted = _mm256_set1_epi32((int)least), most = _mm256_set1_epi32(16);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const uint32_t *starts = tokens->starts + i;
        __mmask8 words = 0xFF;
        if (fold->has_singles) words = (__mmask8)_pext_u64(~load64(tokens->singles + i), 0x0101010101010101u);
        if (!words) {
            memset(longs + i, 0, 8);
            continue;
        }
        __m256i sizes = _mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)(tokens->stops + i)),
                                         _mm256_loadu_si256((const __m256i *)starts));
        __mmask8 large = _mm256_mask_cmpge_epu32_mask(words, sizes, wanted), sure = large;
        if (fold->wide && large) {
            sure &= have_chars_8(fold->bytes, starts, sizes, _mm_set1_epi16((short)least));
            unsigned open = _mm256_mask_cmpgt_epu32_mask(large & ~sure, sizes, most);
            for (; RARE(open); open &= open - 1) {
                size_t at = (size_t)__builtin_ctz(open);
                const uint8_t *begin = fold->bytes + starts[at];
                if (count_chars_portable(begin, fold->bytes + tokens->stops[i + at]) >= least)
                    sure |= (__mmask8)(1u << at);
            }
        }
        _mm_storel_epi64((__m128i *)(longs + i), _mm_maskz_set1_epi8(sure, 1));
    }
    longs_of(fold, tokens, i, n, least, longs);
}

/* Writes the places of the long words in [begin, end), and up to 15 numbers behind them. Returns their number. */
INLINE size_t list_long_words(const long_words_t *words, size_t begin, size_t end, uint32_t *at) {
    __m512i places = _mm512_add_epi32(_mm512_set1_epi32((int)begin), count_up_16());
    size_t n = 0;
    for (size_t i = begin; i < end; i += 16) {
        __mmask16 valid = end - i < 16 ? (__mmask16)((1u << (end - i)) - 1) : 0xFFFF;
        __m128i are = _mm_maskz_loadu_epi8(valid, words->are + i);
        __mmask16 longs = _mm_test_epi8_mask(are, are);
        _mm512_storeu_si512(at + n, _mm512_maskz_compress_epi32(longs, places));
        n += (size_t)__builtin_popcount(longs);
        places = _mm512_add_epi32(places, _mm512_set1_epi32(16));
    }
    return n;
}

/* A pair is of a long word and the one before, which is the lane before, or the last lane of the eight before. */
void join_long_words_avx512(const uint64_t *values, const long_words_t *words, size_t n, halves_t hashes) {
    const __m512i add = set64(2 * SHINGLE_LENGTH);
    const __m256i reach = _mm256_set1_epi32((int)words->reach), behind = _mm256_set1_epi32((int)n);
    __m256i before = behind; /* places of the eight before; out of bounds if there are none */
    __m512i values_before = _mm512_setzero_si512();
    for (size_t begin = 0; begin < words->n_values; begin += SUMS) {
        uint32_t at[SUMS + 16];
        size_t n_long = list_long_words(words, begin, smaller(words->n_values, begin + SUMS), at);
        for (size_t k = 0; k < n_long; k += 8) {
            size_t n_here = smaller(n_long - k, 8);
            __mmask8 here = (__mmask8)((1u << n_here) - 1);
            __m256i places = _mm256_loadu_si256((const __m256i *)(at + k));
            __m512i some = _mm512_mask_i32gather_epi64(_mm512_setzero_si512(), here, places, values, 8);
            if (!words->mixed) some = fmix_8(some);
            __m256i first = _mm256_alignr_epi32(places, before, 7);
            __m512i others = _mm512_alignr_epi64(some, values_before, 7);
            __m512i hash = fmix_8(_mm512_add_epi64(_mm512_add_epi64(others, some), add));
            __mmask8 pairs = _mm256_mask_cmple_epu32_mask(here, _mm256_sub_epi32(places, first), reach);
            pairs = _mm256_mask_cmplt_epu32_mask(pairs, first, behind);
            __m256i upper = _mm512_cvtepi64_epi32(_mm512_srli_epi64(hash, 32));
            _mm256_mask_i32scatter_epi32(hashes.upper, pairs, first, upper, 4);
            if (hashes.lower) _mm256_mask_i32scatter_epi32(hashes.lower, pairs, first, _mm512_cvtepi64_epi32(hash), 4);
            const __m512i last = _mm512_set1_epi64((long long)n_here - 1);
            before = _mm256_permutexvar_epi32(_mm512_cvtepi64_epi32(last), places);
            values_before = _mm512_permutexvar_epi64(last, some);
        }
    }
}

TARGET_END

#endif
