/* Postings made of the hashes of documents. */

#include <stdlib.h>

#include "write.h"

static int64_t make(making_t *making, const uint64_t *hashes, const uint32_t *numbers, size_t n_all, room_t *room) {
    for (size_t i = 0; i < n_all;) {
        const uint64_t hash = hashes[i];
        size_t n = 0;
        for (; i < n_all && hashes[i] == hash; i++) {
            if (reserve_numbers(room, n + 1)) return PMBF_NO_MEMORY;
            room->numbers[n++] = numbers[i];
        }
        if (write_list(making, hash, room->numbers, n)) return PMBF_REFUSED;
    }
    end_making(making);
    return 0;
}

/* Makes postings of hashes, ascending, and the number of the document of each: writes their bits, and where each bucket
 * ends. `shape` is buckets, shift, rice, bits of a number, and bytes of room. Writes the bytes of the bits, hashes and postings. Returns
 * 0, PMBF_NO_MEMORY or PMBF_REFUSED. */
EXPORT int64_t pmbf_make_postings(const uint64_t *hashes, const uint32_t *numbers, size_t n, const uint64_t shape[5],
                                  uint32_t *ends, uint8_t *bits, uint64_t written[3]) {
    making_t making = {.ends = ends, .stop = shape[0], .shift = shape[1], .rice = shape[2], .id_bits = shape[3],
                       .n_room = shape[4], .writer = {.out = bits}};
    room_t room = {NULL, 0};
    begin_making(&making);
    int64_t status = make(&making, hashes, numbers, n, &room);
    free(room.numbers);
    written[0] = making.writer.n_bytes, written[1] = making.n_hashes, written[2] = making.n_postings;
    return status;
}
