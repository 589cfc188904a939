/* Postings made of the hashes of documents. */

#include <stdlib.h>

#include "write.h"

/* Pairs of a hash and a number. The hashes are uint32, or uint64 whose upper `hash_bits` bits they are; the numbers are
 * uint32. Each next one stands `hash_step` or `number_step` bytes further on. */
typedef struct {
    const uint8_t *hashes, *numbers;
    uint64_t hash_step, number_step, hash_bits;
} pairs_t;

INLINE uint64_t hash_of(const pairs_t *pairs, size_t i) {
    const uint8_t *at = pairs->hashes + i * pairs->hash_step;
    if (pairs->hash_bits == 32) return *(const uint32_t *)(const void *)at;
    return *(const uint64_t *)(const void *)at >> (64 - pairs->hash_bits);
}

static int64_t make(making_t *making, pairs_t pairs, size_t n_all, room_t *room) {
    for (size_t i = 0; i < n_all;) {
        const uint64_t hash = hash_of(&pairs, i);
        size_t n = 0;
        for (; i < n_all && hash_of(&pairs, i) == hash; i++) {
            if (reserve_numbers(room, n + 1)) return PMBF_NO_MEMORY;
            room->numbers[n++] = *(const uint32_t *)(const void *)(pairs.numbers + i * pairs.number_step);
        }
        if (write_list(making, hash, room->numbers, n)) return PMBF_REFUSED;
    }
    end_making(making);
    return 0;
}

/* Makes postings of hashes, ascending, and the number of the document of each: writes their bits, and where each bucket
 * ends. `layout` is the last
 * three of pairs_t. `shape` is buckets, shift, rice, bits of a number, and bytes of room. Writes the bytes of the bits, hashes and postings. Returns
 * 0, PMBF_NO_MEMORY or PMBF_REFUSED. */
EXPORT int64_t pmbf_make_postings(const uint8_t *hashes, const uint8_t *numbers, const uint64_t layout[3], size_t n,
                                  const uint64_t shape[5], uint32_t *ends, uint8_t *bits, uint64_t written[3]) {
    making_t making = {.ends = ends, .stop = shape[0], .shift = shape[1], .rice = shape[2], .id_bits = shape[3],
                       .n_room = shape[4], .writer = {.out = bits}};
    room_t room = {NULL, 0};
    begin_making(&making);
    int64_t status = make(&making, (pairs_t){hashes, numbers, layout[0], layout[1], layout[2]}, n, &room);
    free(room.numbers);
    written[0] = making.writer.n_bytes, written[1] = making.n_hashes, written[2] = making.n_postings;
    return status;
}
