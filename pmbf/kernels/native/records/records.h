/* What the kernels of files on disk share: checksums, ascending hashes as gaps, and the record of a
 * fingerprint. */

#pragma once

#include "../bits/bits.h"

/* Returns the CRC-32 (that of zlib, IEEE 802.3) of some bytes. */
uint32_t checksum(const uint8_t *bytes, size_t n_bytes);

/* The parts of a fingerprint. Hashes of 32 bits are uint32; those of more bits are uint64, their bits uppermost. */
typedef struct {
    const void *hashes;
    const int64_t *bounds; /* n_parts + 1; part p has the hashes from bounds[p] to bounds[p + 1] */
    uint32_t n_parts;
    size_t hash_bits;
} parts_t;

/* Writes a record; returns its size. */
size_t record_write(const parts_t *parts, uint8_t *out);

/* Returns the bytes that n records need while they are written one behind another. */
size_t records_room(size_t n, size_t n_hashes, size_t n_parts, size_t hash_bits);

/* Writes n ascending hashes as gaps; see gaps.c. */
int64_t encode_gaps(const uint32_t *hashes, size_t n, uint8_t *out);

/* Writes the n hashes whose gaps begin at `in`. Returns where the gaps end, or NULL if they go beyond `end`. */
const uint8_t *decode_gaps(const uint8_t *in, const uint8_t *end, size_t n, uint32_t *hashes);

/* Returns the bytes of a hash beyond its upper half. */
INLINE size_t low_bytes(size_t hash_bits) { return (hash_bits - 32) / 8; }

/* The same for hashes of more than 32 bits: the gaps of their upper halves, then `low_bytes` of each. */
int64_t encode_wide(const uint64_t *hashes, size_t n, size_t hash_bits, uint8_t *out);
const uint8_t *decode_wide(const uint8_t *in, const uint8_t *end, size_t n, size_t hash_bits, uint64_t *hashes);

/* Returns the instruction set in use: 0 plain, 1 AVX2 with carry-less products, 2 AVX-512. */
int bits_level(void);
