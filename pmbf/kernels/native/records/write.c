/* The record of a fingerprint: checksum, number of parts, hashes of each part, the parts as gaps, and behind the
 * gaps of each the lower bytes of its hashes, if they have more than 32 bits. */

#include "records.h"

/* A part may need one byte more than its hashes do. The last gap is written as four bytes, a lower half as well. */
size_t records_room(size_t n, size_t n_hashes, size_t n_parts, size_t hash_bits) {
    return 16 * (n + 1) + 5 * n_parts + (5 + low_bytes(hash_bits)) * n_hashes;
}

size_t record_write(const parts_t *parts, uint8_t *out) {
    const int64_t *bounds = parts->bounds;
    const uint32_t n_parts = parts->n_parts;
    uint8_t *at = out + 8 + 4 * (size_t)n_parts;
    memcpy(out + 4, &n_parts, sizeof n_parts);
    for (uint32_t part = 0; part < n_parts; part++) {
        uint32_t n = (uint32_t)(bounds[part + 1] - bounds[part]);
        memcpy(out + 8 + 4 * (size_t)part, &n, sizeof n);
        at += low_bytes(parts->hash_bits)
                  ? encode_wide((const uint64_t *)parts->hashes + bounds[part], n, parts->hash_bits, at)
                  : encode_gaps((const uint32_t *)parts->hashes + bounds[part], n, at);
    }
    uint32_t sum = checksum(out + 4, (size_t)(at - out) - 4);
    memcpy(out, &sum, sizeof sum);
    return (size_t)(at - out);
}
