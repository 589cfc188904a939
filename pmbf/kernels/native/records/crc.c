/* CRC-32, as zlib computes it. On x86-64 carry-less products fold 64 bytes into the next 64 bytes; elsewhere eight
 * tables take eight bytes a step.
 *
 * Sources:
 *     Gopal et al. 2009, Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction (Intel).
 *     Kounavis & Berry 2005, A Systematic Approach to Building High Performance Software-based CRC Generators.
 */

#include "records.h"

#define POLYNOMIAL 0xEDB88320u /* of degree 32, its bits reversed */

static uint32_t tables[8][256];

__attribute__((constructor)) static void fill_tables(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
        tables[0][byte] = crc;
    }
    for (int later = 1; later < 8; later++)
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t crc = tables[later - 1][byte];
            tables[later][byte] = crc >> 8 ^ tables[0][crc & 0xFF];
        }
}

/* Returns the register of a CRC after some more bytes. */
static uint32_t take(uint32_t crc, const uint8_t *bytes, size_t n_bytes) {
    for (; n_bytes >= 8; bytes += 8, n_bytes -= 8) {
        uint64_t word;
        memcpy(&word, bytes, sizeof word);
        word ^= crc;
        crc = 0;
        for (int byte = 0; byte < 8; byte++) crc ^= tables[7 - byte][word >> 8 * byte & 0xFF];
    }
    for (; n_bytes; bytes++, n_bytes--) crc = crc >> 8 ^ tables[0][(crc ^ *bytes) & 0xFF];
    return crc;
}

#if defined(__x86_64__)

#include <immintrin.h>

#define FOLDING __attribute__((target("pclmul,sse4.1")))

/* x^n mod P for the distances of the folds, bits reversed and shifted up by one. */
#define OVER_64_BYTES _mm_set_epi64x(0x1C6E41596, 0x154442BD4)
#define OVER_16_BYTES _mm_set_epi64x(0x0CCAA009E, 0x1751997D0)
#define OVER_4_BYTES _mm_set_epi64x(0, 0x163CD6124)
#define BARRETT _mm_set_epi64x(0x1F7011641, 0x1DB710641)

FOLDING INLINE __m128i load16(const uint8_t *bytes) { return _mm_loadu_si128((const __m128i *)bytes); }

/* Returns 16 bytes folded into the 16 bytes a distance further on. */
FOLDING INLINE __m128i folded(__m128i bytes, __m128i distance, __m128i further) {
    __m128i low = _mm_clmulepi64_si128(bytes, distance, 0x00), high = _mm_clmulepi64_si128(bytes, distance, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), further);
}

/* Returns the register of a CRC over 16 bytes. */
FOLDING INLINE uint32_t reduced(__m128i bytes) {
    const __m128i low_half = _mm_set_epi32(0, 0, 0, -1);
    bytes = _mm_xor_si128(_mm_clmulepi64_si128(bytes, OVER_16_BYTES, 0x10), _mm_srli_si128(bytes, 8));
    __m128i last = _mm_clmulepi64_si128(_mm_and_si128(bytes, low_half), OVER_4_BYTES, 0x00);
    bytes = _mm_xor_si128(last, _mm_srli_si128(bytes, 4));
    __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(bytes, low_half), BARRETT, 0x10);
    __m128i product = _mm_clmulepi64_si128(_mm_and_si128(quotient, low_half), BARRETT, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(bytes, product), 1);
}

/* Returns the register after at least 64 more bytes, a multiple of 16. */
FOLDING static uint32_t take_folded(uint32_t crc, const uint8_t *bytes, size_t n_bytes) {
    __m128i a = _mm_xor_si128(load16(bytes), _mm_cvtsi32_si128((int)crc));
    __m128i b = load16(bytes + 16), c = load16(bytes + 32), d = load16(bytes + 48);
    for (bytes += 64, n_bytes -= 64; n_bytes >= 64; bytes += 64, n_bytes -= 64) {
        a = folded(a, OVER_64_BYTES, load16(bytes));
        b = folded(b, OVER_64_BYTES, load16(bytes + 16));
        c = folded(c, OVER_64_BYTES, load16(bytes + 32));
        d = folded(d, OVER_64_BYTES, load16(bytes + 48));
    }
    a = folded(folded(folded(a, OVER_16_BYTES, b), OVER_16_BYTES, c), OVER_16_BYTES, d);
    for (; n_bytes; bytes += 16, n_bytes -= 16) a = folded(a, OVER_16_BYTES, load16(bytes));
    return reduced(a);
}

uint32_t checksum(const uint8_t *bytes, size_t n_bytes) {
    size_t n_folded = n_bytes >= 64 && bits_level() > 0 ? n_bytes & ~(size_t)15 : 0;
    uint32_t crc = n_folded ? take_folded(~0u, bytes, n_folded) : ~0u;
    return ~take(crc, bytes + n_folded, n_bytes - n_folded);
}

#else

uint32_t checksum(const uint8_t *bytes, size_t n_bytes) { return ~take(~0u, bytes, n_bytes); }

#endif

EXPORT uint32_t pmbf_checksum(const uint8_t *bytes, size_t n_bytes) { return checksum(bytes, n_bytes); }
