/* SHA-256. Source: FIPS 180-4, section 6.2; on x86-64 with the processor's own rounds where it has them (Intel 2013, Intel
 * SHA Extensions), three to four times as fast. */

#include "files.h"

enum { BLOCK = 64, ROUNDS = 64 };

static const uint32_t constants[ROUNDS] = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
};

typedef void take_blocks_t(uint32_t *state, const uint8_t *bytes, size_t n_blocks);

INLINE uint32_t turned(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

static void take_blocks_plain(uint32_t *state, const uint8_t *bytes, size_t n_blocks) {
    for (; n_blocks; n_blocks--, bytes += BLOCK) {
        uint32_t w[ROUNDS], s[8];
        for (int i = 0; i < 16; i++) {
            memcpy(&w[i], bytes + 4 * i, 4);
            w[i] = __builtin_bswap32(w[i]);
        }
        for (int i = 16; i < ROUNDS; i++)
            w[i] = w[i - 16] + (turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
                   (turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10);
        memcpy(s, state, sizeof s);
        for (int i = 0; i < ROUNDS; i++) {
            uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]), majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
            uint32_t one = s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) + choice + constants[i] + w[i];
            uint32_t two = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) + majority;
            memmove(s + 1, s, 7 * sizeof *s);
            s[4] += one;
            s[0] = one + two;
        }
        for (int i = 0; i < 8; i++) state[i] += s[i];
    }
}

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

static bool has_rounds(void) {
    unsigned a, b = 0, c, d;
    return __builtin_cpu_supports("sse4.1") && __get_cpuid_count(7, 0, &a, &b, &c, &d) && b >> 29 & 1;
}

#define FOUR(at) _mm_loadu_si128((const __m128i *)(at))

/* The processor wants the state as the words (a, b, e, f) and (c, d, g, h), each from the highest lane down. */
__attribute__((target("sha,sse4.1"))) static void take_blocks_sha(uint32_t *state, const uint8_t *bytes, size_t n_blocks) {
    const __m128i big_endian = _mm_set_epi64x(0x0C0D0E0F08090A0B, 0x0405060700010203);
    __m128i badc = _mm_shuffle_epi32(FOUR(state), 0xB1), hgfe = _mm_shuffle_epi32(FOUR(state + 4), 0x1B);
    __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xF0);
    for (; n_blocks; n_blocks--, bytes += BLOCK) {
        __m128i abef_before = abef, cdgh_before = cdgh, w[4];
        for (int i = 0; i < 4; i++) w[i] = _mm_shuffle_epi8(FOUR(bytes + 16 * i), big_endian);
#pragma GCC unroll 16
        for (int i = 0; i < ROUNDS / 4; i++) {
            __m128i now = w[i % 4], with = _mm_add_epi32(now, FOUR(constants + 4 * i));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, with);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(with, 0x0E));
            __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(now, w[(i + 1) % 4]),
                                        _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4));
            w[i % 4] = _mm_sha256msg2_epu32(sum, w[(i + 3) % 4]);
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#endif

static take_blocks_t *take_blocks = take_blocks_plain;

/* Asks for the processor's own rounds; returns whether it has them. For tests, and once when the program starts. */
EXPORT int pmbf_use_sha(int wanted) {
#if defined(__x86_64__)
    bool used = wanted && has_rounds();
    take_blocks = used ? take_blocks_sha : take_blocks_plain;
    return used;
#else
    return (void)wanted, 0;
#endif
}

__attribute__((constructor)) static void choose(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
    pmbf_use_sha(1);
}

void sha256_hex(const uint8_t *bytes, size_t size, char *hex) {
    uint32_t state[8] = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
    uint8_t last[2 * BLOCK] = {0};
    size_t rest = size % BLOCK, n_last = rest < BLOCK - 8 ? 1 : 2;
    take_blocks(state, bytes, size / BLOCK);
    if (rest) memcpy(last, bytes + size - rest, rest);
    last[rest] = 0x80;
    uint64_t n_bits = __builtin_bswap64(8 * (uint64_t)size);
    memcpy(last + n_last * BLOCK - 8, &n_bits, 8);
    take_blocks(state, last, n_last);
    for (int i = 0; i < SHA256_HEX; i++) hex[i] = "0123456789abcdef"[state[i / 8] >> (28 - 4 * (i % 8)) & 15];
}
