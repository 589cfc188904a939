/* Vectors of eight numbers. Included where AVX-512 is allowed. */

INLINE __m512i set64(uint64_t value) { return _mm512_set1_epi64((long long)value); }

INLINE __m512i fmix_8(__m512i x) {
    x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 33)), set64(0xFF51AFD7ED558CCDu));
    x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 33)), set64(0xC4CEB9FE1A85EC53u));
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 33));
}

/* Loads 16 bytes of each of four tokens. */
INLINE __m512i load_four(const uint8_t *bytes, const uint32_t *at) {
    __m512i four = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(bytes + at[0])));
    four = _mm512_inserti64x2(four, _mm_loadu_si128((const __m128i *)(bytes + at[1])), 1);
    four = _mm512_inserti64x2(four, _mm_loadu_si128((const __m128i *)(bytes + at[2])), 2);
    return _mm512_inserti64x2(four, _mm_loadu_si128((const __m128i *)(bytes + at[3])), 3);
}

INLINE __m512i count_up_16(void) { return _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0); }
