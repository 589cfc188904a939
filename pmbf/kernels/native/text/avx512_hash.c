/* AVX-512: hashes of tokens and shingles, eight at a time, and the selection of small hashes. */

#if defined(__x86_64__)

#include "avx512.h"
#include "murmur.h"
#include "select.h"
#include "shingles.h"

TARGET_BEGIN(AVX512)

#include "avx512_mix.h"

INLINE __m512i mix_low_8(__m512i words) {
    words = _mm512_rol_epi64(_mm512_mullo_epi64(words, set64(MURMUR_C1)), 31);
    return _mm512_mullo_epi64(words, set64(MURMUR_C2));
}

INLINE __m512i mix_high_8(__m512i words) {
    words = _mm512_rol_epi64(_mm512_mullo_epi64(words, set64(MURMUR_C2)), 33);
    return _mm512_mullo_epi64(words, set64(MURMUR_C1));
}

INLINE __m512i times_5_plus(__m512i x, uint64_t add) {
    return _mm512_add_epi64(_mm512_add_epi64(x, _mm512_slli_epi64(x, 2)), set64(add));
}

/* Hashes eight tokens of less than 32 bytes. The hash of a longer token means nothing. Between the loads and the result
 * the tokens stand in the order in which two words unpack: 0 4 1 5 2 6 3 7. */
INLINE __m512i murmur_8(const uint8_t *bytes, const uint32_t *starts, const uint32_t *stops) {
    const __m512i unpacked = _mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0);
    const __m512i ordered = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
    __m256i begins = _mm256_loadu_si256((const __m256i *)starts);
    __m256i lengths = _mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)stops), begins);
    __m512i sizes = _mm512_permutexvar_epi64(unpacked, _mm512_cvtepu32_epi64(lengths));
    __m512i a = load_four(bytes, starts), b = load_four(bytes, starts + 4);
    __m512i first = _mm512_unpacklo_epi64(a, b), second = _mm512_unpackhi_epi64(a, b);
    __m512i low = sizes, high = sizes; /* the size is mixed in at the end */
    __mmask8 longer = _mm512_cmpge_epu64_mask(sizes, set64(16));
    if (longer) {
        uint32_t tails[8];
        __m256i whole = _mm256_and_si256(lengths, _mm256_set1_epi32(16));
        _mm256_storeu_si256((__m256i *)tails, _mm256_add_epi32(begins, whole));
        __m512i low_16 = times_5_plus(_mm512_rol_epi64(mix_low_8(first), 27), MURMUR_ADD1);
        __m512i high_16 = _mm512_add_epi64(_mm512_rol_epi64(mix_high_8(second), 31), low_16);
        low = _mm512_mask_xor_epi64(low, longer, low, low_16);
        high = _mm512_mask_xor_epi64(high, longer, high, times_5_plus(high_16, MURMUR_ADD2));
        a = load_four(bytes, tails);
        b = load_four(bytes, tails + 4);
        first = _mm512_unpacklo_epi64(a, b);
        second = _mm512_unpackhi_epi64(a, b);
    }
    /* Masks of the tail's bytes in its two words. A shift by 64 or more leaves no bits, one by 0 (saturated) all. */
    __m512i bits = _mm512_slli_epi64(_mm512_and_si512(sizes, set64(15)), 3), all = set64(UINT64_MAX);
    first = _mm512_and_si512(first, _mm512_srlv_epi64(all, _mm512_subs_epu16(set64(64), bits)));
    second = _mm512_and_si512(second, _mm512_srlv_epi64(all, _mm512_subs_epu16(set64(128), bits)));
    low = _mm512_xor_si512(low, mix_low_8(first));
    high = _mm512_xor_si512(high, mix_high_8(second));
    low = _mm512_add_epi64(low, high);
    high = _mm512_add_epi64(high, low);
    return _mm512_permutexvar_epi64(ordered, _mm512_add_epi64(fmix_8(low), fmix_8(high)));
}

void murmur_avx512(const uint8_t *bytes, const uint32_t *starts, const uint32_t *stops, size_t n, uint64_t *hashes) {
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        _mm512_storeu_si512(hashes + i, murmur_8(bytes, starts + i, stops + i));
        __m256i lengths = _mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)(stops + i)),
                                           _mm256_loadu_si256((const __m256i *)(starts + i)));
        unsigned rest = _mm256_cmpge_epu32_mask(lengths, _mm256_set1_epi32(32));
        for (; RARE(rest); rest &= rest - 1) {
            size_t at = i + (size_t)__builtin_ctz(rest);
            hashes[at] = murmur(bytes + starts[at], stops[at] - starts[at]);
        }
    }
    murmur_portable(bytes, starts + i, stops + i, n - i, hashes + i);
}

/* Sums of eight neighbouring windows of `tokens` values, by Horner's rule. They equal the sliding sums. */
INLINE __m512i window_sums_8(const uint64_t *values, size_t tokens, __m512i step) {
    __m512i sums = _mm512_loadu_si512(values + tokens - 1);
    for (size_t l = tokens - 1; l--;)
        sums = _mm512_add_epi64(_mm512_mullo_epi64(sums, step), _mm512_loadu_si512(values + l));
    return sums;
}

/* `sampled_hash` of eight hashes, each in 64 bits. */
INLINE __m512i sampled_8(__m512i hashes, __mmask8 thin) {
    __mmask8 low = _mm512_mask_cmplt_epu64_mask(thin, hashes, set64((uint64_t)1 << 61));
    __m512i upper = _mm512_or_si512(_mm512_srli_epi64(hashes, 33), set64((uint64_t)1 << 31));
    __m512i sampled = _mm512_mask_mov_epi64(_mm512_srli_epi64(hashes, 32), thin, upper);
    return _mm512_mask_srli_epi64(sampled, low, hashes, 30);
}

void shingles_avx512(const uint64_t *values, const uint8_t *singles, size_t n, const shape_t *shape, uint32_t *hashes) {
    const size_t tokens = shape->tokens;
    const __m512i add = set64(tokens * SHINGLE_LENGTH), steps = set64(shape->step);
    const __m512i leaving = set64(power(shape->step, tokens));
    const __mmask8 all_thin = shape->thin ? 0xFF : 0;
    size_t i = 0;
    if (tokens <= 16) /* for longer shingles the sliding sum is less work */
        for (; i + 8 <= n; i += 8) {
            __m512i sums = _mm512_add_epi64(window_sums_8(values + i, tokens, steps), add);
            uint64_t kinds = load64(singles + i);
            __mmask8 single = (__mmask8)_pext_u64(kinds, 0x0101010101010101u);
            if (kinds) {
                __m512i more = _mm512_mullo_epi64(window_sums_8(values + i + tokens, tokens, steps), leaving);
                sums = _mm512_mask_add_epi64(sums, single, sums, _mm512_add_epi64(more, add));
            }
            _mm256_storeu_si256((__m256i *)(hashes + i), _mm512_cvtepi64_epi32(sampled_8(fmix_8(sums), single | all_thin)));
        }
    shingles_portable(values + i, singles + i, n - i, shape, hashes + i);
}

size_t collect_avx512(const uint32_t *hashes, size_t n, uint32_t low, uint32_t high, uint64_t *keys) {
    const __m512i lows = _mm512_set1_epi32((int)low), span = _mm512_set1_epi32((int)(high - low));
    __m512i index = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    size_t found = 0;
    for (size_t i = 0; i < n; i += 16) {
        __mmask16 valid = n - i < 16 ? (__mmask16)((1u << (n - i)) - 1) : 0xFFFF;
        __m512i some = _mm512_maskz_loadu_epi32(valid, hashes + i);
        unsigned inside = _mm512_mask_cmple_epu32_mask(valid, _mm512_sub_epi32(some, lows), span);
        for (int half = 0; half < 2; half++) {
            __m256i eight = half ? _mm512_extracti64x4_epi64(some, 1) : _mm512_castsi512_si256(some);
            __m512i made = _mm512_or_si512(_mm512_slli_epi64(_mm512_cvtepu32_epi64(eight), 32), index);
            unsigned chosen = (inside >> (8 * half)) & 0xFF;
            _mm512_storeu_si512(keys + found, _mm512_maskz_compress_epi64((__mmask8)chosen, made));
            found += (size_t)__builtin_popcount(chosen);
            index = _mm512_add_epi64(index, set64(8));
        }
    }
    return found;
}

TARGET_END

#endif
