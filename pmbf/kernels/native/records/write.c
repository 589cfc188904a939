/* The record of a fingerprint: checksum, number of parts, hashes of each part, the parts as gaps. */

#include "write.h"

#include "records.h"

/* A part may need one byte more than its hashes do. The last gap is written as four bytes. */
size_t record_room(size_t n_hashes, size_t n_parts) { return 16 + 5 * n_parts + 5 * n_hashes; }

size_t record_write(const uint32_t *hashes, const uint32_t *bounds, uint32_t n_parts, uint8_t *out) {
    uint8_t *at = out + 8 + 4 * (size_t)n_parts;
    memcpy(out + 4, &n_parts, sizeof n_parts);
    for (uint32_t part = 0; part < n_parts; part++) {
        uint32_t n = bounds[part + 1] - bounds[part];
        memcpy(out + 8 + 4 * (size_t)part, &n, sizeof n);
        at += encode_gaps(hashes + bounds[part], n, at);
    }
    uint32_t sum = checksum(out + 4, (size_t)(at - out) - 4);
    memcpy(out, &sum, sizeof sum);
    return (size_t)(at - out);
}
