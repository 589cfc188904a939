/* AVX2: hashes of tokens and shingles, four at a time. */

#if defined(__x86_64__)

#include "avx2.h"
#include "murmur.h"
#include "shingles.h"

TARGET_BEGIN(AVX2)

typedef __m256i four_t;

INLINE four_t set64(uint64_t value) { return _mm256_set1_epi64x((long long)value); }
INLINE four_t add64(four_t a, four_t b) { return _mm256_add_epi64(a, b); }
INLINE four_t xor64(four_t a, four_t b) { return _mm256_xor_si256(a, b); }

/* Products modulo 2^64, each from three products of 32 bits: AVX2 has no instruction for them. */
INLINE four_t times(four_t a, uint64_t factor) {
    four_t low = _mm256_mul_epu32(a, set64(factor));
    four_t cross = _mm256_mul_epu32(a, set64(factor >> 32));
    cross = add64(cross, _mm256_mul_epu32(_mm256_srli_epi64(a, 32), set64(factor)));
    return add64(low, _mm256_slli_epi64(cross, 32));
}

#define rotated_4(x, bits) _mm256_or_si256(_mm256_slli_epi64((x), (bits)), _mm256_srli_epi64((x), 64 - (bits)))

INLINE four_t fmix_4(four_t x) {
    x = times(xor64(x, _mm256_srli_epi64(x, 33)), 0xFF51AFD7ED558CCDu);
    x = times(xor64(x, _mm256_srli_epi64(x, 33)), 0xC4CEB9FE1A85EC53u);
    return xor64(x, _mm256_srli_epi64(x, 33));
}

INLINE four_t mix_low_4(four_t words) {
    words = times(words, MURMUR_C1);
    return times(rotated_4(words, 31), MURMUR_C2);
}

INLINE four_t mix_high_4(four_t words) {
    words = times(words, MURMUR_C2);
    return times(rotated_4(words, 33), MURMUR_C1);
}

INLINE four_t times_5_plus(four_t x, uint64_t add) {
    return add64(add64(x, _mm256_slli_epi64(x, 2)), set64(add));
}

/* Loads 16 bytes of each of two tokens. */
INLINE four_t load_two(const uint8_t *bytes, uint32_t one, uint32_t other) {
    four_t both = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(bytes + one)));
    return _mm256_inserti128_si256(both, _mm_loadu_si128((const __m128i *)(bytes + other)), 1);
}

/* Hashes four tokens of less than 32 bytes. The hash of a longer token means nothing. Between the loads and the result
 * the tokens stand in the order in which two words unpack: 0 2 1 3. */
INLINE four_t murmur_4(const uint8_t *bytes, const uint32_t *starts, __m128i lengths) {
    four_t sizes = _mm256_permute4x64_epi64(_mm256_cvtepu32_epi64(lengths), 0xD8);
    four_t a = load_two(bytes, starts[0], starts[1]), b = load_two(bytes, starts[2], starts[3]);
    four_t first = _mm256_unpacklo_epi64(a, b), second = _mm256_unpackhi_epi64(a, b);
    four_t low = sizes, high = sizes; /* the size is mixed in at the end */
    four_t longer = _mm256_cmpgt_epi64(sizes, set64(15));
    if (_mm256_movemask_epi8(longer)) {
        uint32_t whole[4];
        _mm_storeu_si128((__m128i *)whole, _mm_and_si128(lengths, _mm_set1_epi32(16)));
        four_t low_16 = times_5_plus(rotated_4(mix_low_4(first), 27), MURMUR_ADD1);
        four_t high_16 = add64(rotated_4(mix_high_4(second), 31), low_16);
        low = xor64(low, _mm256_and_si256(longer, low_16));
        high = xor64(high, _mm256_and_si256(longer, times_5_plus(high_16, MURMUR_ADD2)));
        a = load_two(bytes, starts[0] + whole[0], starts[1] + whole[1]);
        b = load_two(bytes, starts[2] + whole[2], starts[3] + whole[3]);
        first = _mm256_unpacklo_epi64(a, b);
        second = _mm256_unpackhi_epi64(a, b);
    }
    /* Masks of the tail's bytes in its two words. A shift by 64 or more leaves no bits, one by 0 (saturated) all. */
    four_t bits = _mm256_slli_epi64(_mm256_and_si256(sizes, set64(15)), 3), all = set64(UINT64_MAX);
    first = _mm256_and_si256(first, _mm256_srlv_epi64(all, _mm256_subs_epu16(set64(64), bits)));
    second = _mm256_and_si256(second, _mm256_srlv_epi64(all, _mm256_subs_epu16(set64(128), bits)));
    low = xor64(low, mix_low_4(first));
    high = xor64(high, mix_high_4(second));
    low = add64(low, high);
    high = add64(high, low);
    return _mm256_permute4x64_epi64(add64(fmix_4(low), fmix_4(high)), 0xD8);
}

void murmur_avx2(const uint8_t *bytes, const uint32_t *starts, const uint32_t *stops, size_t n, uint64_t *hashes) {
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        __m128i begins = _mm_loadu_si128((const __m128i *)(starts + i));
        __m128i lengths = _mm_sub_epi32(_mm_loadu_si128((const __m128i *)(stops + i)), begins);
        _mm256_storeu_si256((__m256i *)(hashes + i), murmur_4(bytes, starts + i, lengths));
        unsigned rest = (unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpgt_epi32(lengths, _mm_set1_epi32(31))));
        for (; RARE(rest); rest &= rest - 1) {
            size_t at = i + (size_t)__builtin_ctz(rest);
            hashes[at] = murmur(bytes + starts[at], stops[at] - starts[at]);
        }
    }
    murmur_portable(bytes, starts + i, stops + i, n - i, hashes + i);
}

/* `sampled_hash` of four hashes, in the lower halves. */
INLINE four_t sampled_4(four_t hashes, four_t thin) {
    four_t low = _mm256_cmpeq_epi64(_mm256_srli_epi64(hashes, 61), _mm256_setzero_si256());
    four_t upper = _mm256_or_si256(_mm256_srli_epi64(hashes, 33), set64((uint64_t)1 << 31));
    four_t of_thin = _mm256_blendv_epi8(upper, _mm256_srli_epi64(hashes, 30), low);
    return _mm256_blendv_epi8(_mm256_srli_epi64(hashes, 32), of_thin, thin);
}

INLINE void finish_avx2(const uint64_t *sums, const uint8_t *singles, size_t n, const weights_t *weights,
                        uint32_t *hashes) {
    const __m256i lower_halves = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    const four_t all_thin = set64(weights->thin ? UINT64_MAX : 0);
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        uint32_t kinds;
        memcpy(&kinds, singles + i, 4);
        four_t sum = add64(_mm256_loadu_si256((const __m256i *)(sums + i)), set64(weights->add)), made;
        if (kinds) {
            four_t single = _mm256_cmpgt_epi64(_mm256_cvtepu8_epi64(_mm_cvtsi32_si128((int)kinds)), set64(0));
            four_t after = _mm256_loadu_si256((const __m256i *)(sums + i + weights->tokens));
            four_t more = add64(times(after, weights->leaving), set64(weights->add));
            made = sampled_4(fmix_4(add64(sum, _mm256_and_si256(more, single))), _mm256_or_si256(single, all_thin));
        } else {
            made = sampled_4(fmix_4(sum), all_thin);
        }
        made = _mm256_permutevar8x32_epi32(made, lower_halves);
        _mm_storeu_si128((__m128i *)(hashes + i), _mm256_castsi256_si128(made));
    }
    finish_portable(sums + i, singles + i, n - i, weights, hashes + i);
}

void shingles_avx2(const uint64_t *values, const uint8_t *singles, size_t n, const shape_t *shape, uint32_t *hashes) {
    shingles_by(finish_avx2, values, singles, n, shape, hashes);
}

TARGET_END

#endif
