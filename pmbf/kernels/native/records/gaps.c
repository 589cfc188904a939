/* Ascending hashes as gaps of one to four bytes: Stream VByte (Lemire, Kurz & Rupp 2018). Of wide hashes the upper halves
 * are stored so. Their lower bytes follow as they are: nothing about them is known beforehand. */

#include "records.h"

INLINE unsigned bytes_of(uint32_t gap) { return 1u + (gap > 0xFF) + (gap > 0xFFFF) + (gap > 0xFFFFFF); }

/* Writes gap i of those whose control bytes begin at `out`; returns where the next one goes. */
INLINE uint8_t *put_gap(uint8_t *out, size_t i, uint32_t gap, uint8_t *at) {
    unsigned n_bytes = bytes_of(gap);
    out[i / 4] |= (uint8_t)((n_bytes - 1) << i % 4 * 2);
    memcpy(at, &gap, sizeof gap);
    return at + n_bytes;
}

/* Writes ceil(n/4) control bytes and the bytes of the gaps; returns their number. `out` has room for 4 n bytes beside
 * the control bytes: each gap is written as four bytes, and the next gap overwrites those not needed. */
int64_t encode_gaps(const uint32_t *hashes, size_t n, uint8_t *out) {
    size_t n_control = (n + 3) / 4;
    uint8_t *at = out + n_control;
    uint32_t before = 0;
    memset(out, 0, n_control);
    for (size_t i = 0; i < n; before = hashes[i++]) at = put_gap(out, i, hashes[i] - before, at);
    return at - out;
}

/* Each lower half is written as four bytes, and the next one overwrites those not needed. */
int64_t encode_wide(const uint64_t *hashes, size_t n, size_t hash_bits, uint8_t *out) {
    const size_t n_control = (n + 3) / 4, n_low = low_bytes(hash_bits);
    uint8_t *at = out + n_control;
    uint32_t before = 0;
    memset(out, 0, n_control);
    for (size_t i = 0; i < n; i++) {
        uint32_t upper = (uint32_t)(hashes[i] >> 32);
        at = put_gap(out, i, upper - before, at);
        before = upper;
    }
    for (size_t i = 0; i < n; i++, at += n_low) {
        uint32_t low = (uint32_t)hashes[i] >> (32 - 8 * n_low);
        memcpy(at, &low, sizeof low);
    }
    return at - out;
}

/* The state of a walk over gaps: the number of gaps done, and where the bytes of the next begin. */
typedef struct {
    size_t n_done;
    const uint8_t *at;
    uint32_t hash;
} walk_t;

/* Walks to the end, gap by gap. Returns whether there are enough bytes. */
static int walk_each(walk_t *walk, const uint8_t *control, const uint8_t *end, size_t n, uint32_t *hashes) {
    static const uint32_t masks[4] = {0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF};
    const uint8_t *at = walk->at;
    uint32_t hash = walk->hash;
    for (size_t i = walk->n_done; i < n; i++) {
        unsigned extra = control[i / 4] >> i % 4 * 2 & 3;
        uint32_t gap = 0;
        if (end - at >= 4) {
            memcpy(&gap, at, sizeof gap);
            gap &= masks[extra];
        } else if (end - at > (ptrdiff_t)extra) {
            memcpy(&gap, at, extra + 1);
        } else {
            return 0;
        }
        hashes[i] = hash += gap;
        at += extra + 1;
    }
    walk->at = at;
    return 1;
}

#if defined(__x86_64__)

#include <immintrin.h>

/* By control byte: where the bytes of four gaps go in four words, and the number of these bytes. */
static uint8_t places[256][16], sizes[256];

__attribute__((constructor)) static void fill_places(void) {
    for (unsigned control = 0; control < 256; control++) {
        unsigned next = 0;
        for (unsigned place = 0; place < 16; place++) {
            unsigned extra = control >> place / 4 * 2 & 3;
            places[control][place] = place % 4 <= extra ? (uint8_t)next++ : 0x80;
        }
        sizes[control] = (uint8_t)next;
    }
}

/* Walks four gaps a step while 16 bytes can be read. */
__attribute__((target("avx2"))) static void walk_fours(walk_t *walk, const uint8_t *control, const uint8_t *end, size_t n,
                                                       uint32_t *hashes) {
    __m128i before = _mm_setzero_si128();
    const uint8_t *at = walk->at;
    size_t i = 0;
    for (; n - i >= 4 && end - at >= 16; i += 4) {
        unsigned sizes_of_four = control[i / 4];
        __m128i gaps = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)at),
                                        _mm_loadu_si128((const __m128i *)places[sizes_of_four]));
        gaps = _mm_add_epi32(gaps, _mm_slli_si128(gaps, 4));
        gaps = _mm_add_epi32(gaps, _mm_slli_si128(gaps, 8));
        before = _mm_add_epi32(gaps, _mm_shuffle_epi32(before, 0xFF));
        _mm_storeu_si128((__m128i *)(hashes + i), before);
        at += sizes[sizes_of_four];
    }
    *walk = (walk_t){i, at, (uint32_t)_mm_extract_epi32(before, 3)};
}

#endif

const uint8_t *decode_gaps(const uint8_t *in, const uint8_t *end, size_t n, uint32_t *hashes) {
    size_t n_control = n / 4 + (n % 4 != 0);
    if ((size_t)(end - in) < n_control) return NULL;
    walk_t walk = {0, in + n_control, 0};
#if defined(__x86_64__)
    if (bits_level() > 0) walk_fours(&walk, in, end, n, hashes);
#endif
    return walk_each(&walk, in, end, n, hashes) ? walk.at : NULL;
}

/* The upper halves are decoded into the second half of the memory. Hash i is written where the upper halves up to i
 * stood, at most. */
const uint8_t *decode_wide(const uint8_t *in, const uint8_t *end, size_t n, size_t hash_bits, uint64_t *hashes) {
    const size_t n_low = low_bytes(hash_bits);
    uint32_t *uppers = (uint32_t *)(void *)hashes + n;
    const uint8_t *at = decode_gaps(in, end, n, uppers);
    if (!at || (size_t)(end - at) < n * n_low) return NULL;
    for (size_t i = 0; i < n; i++, at += n_low) {
        uint32_t upper, low = 0;
        memcpy(&upper, uppers + i, sizeof upper);
        memcpy(&low, at, n_low);
        uint64_t hash = (uint64_t)upper << 32 | low << (32 - 8 * n_low);
        memcpy(hashes + i, &hash, sizeof hash);
    }
    return at;
}

/* Reads n wide hashes from at most n_bytes bytes. Returns the bytes read, or -1 if the hashes need more. */
EXPORT int64_t pmbf_decode_wide(const uint8_t *in, size_t n_bytes, size_t n, size_t hash_bits, uint64_t *hashes) {
    const uint8_t *stop = decode_wide(in, in + n_bytes, n, hash_bits, hashes);
    return stop ? stop - in : -1;
}

/* Reads n gaps from at most n_bytes bytes. Returns the bytes read, or -1 if the gaps need more. */
EXPORT int64_t pmbf_decode_gaps(const uint8_t *in, size_t n_bytes, size_t n, uint32_t *hashes) {
    const uint8_t *stop = decode_gaps(in, in + n_bytes, n, hashes);
    return stop ? stop - in : -1;
}
