/* Checksums, and the record of a fingerprint. */

#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the CRC-32 (that of zlib, IEEE 802.3) of some bytes. */
uint32_t checksum(const uint8_t *bytes, size_t n_bytes);

/* The parts of a fingerprint. Hashes of 32 bits are uint32; those of more bits are uint64, their bits uppermost. */
typedef struct {
    const void *hashes;
    const uint32_t *bounds; /* n_parts + 1 */
    uint32_t n_parts;
    size_t hash_bits;
} parts_t;

/* Writes a record; returns its size. `out` has `record_room(n_hashes, n_parts, hash_bits)` bytes. */
size_t record_write(const parts_t *parts, uint8_t *out);
size_t record_room(size_t n_hashes, size_t n_parts, size_t hash_bits);
