/* Several postings joined to one, and postings listed: both read the lists of a range of hashes, ascending. */

#include <stdlib.h>

#include "write.h"

/* Reads the lists of the hashes up to `last`, ascending. */
typedef struct {
    const postings_t *from;
    const uint32_t *renumbered; /* the new number of each document, UINT32_MAX if it goes; NULL: first, first + 1, … */
    uint64_t first;
    cursor_t cursor;
    uint64_t bucket; /* the one after the cursor's */
    uint64_t last;
    list_t list;
    int has_list;
} reader_t;

/* Steps to the next list. Returns 0 or PMBF_REFUSED. */
static int reader_step(reader_t *reader) {
    for (;;) {
        int more = cursor_next(&reader->cursor, &reader->list);
        if (more < 0) return more;
        if ((reader->has_list = more && reader->list.hash <= reader->last) || more) return 0;
        if (reader->bucket >= reader->from->n_buckets || reader->bucket << reader->from->shift > reader->last) return 0;
        if (cursor_begin(&reader->cursor, reader->from, reader->bucket++)) return PMBF_REFUSED;
    }
}

/* Begins with the first hash that is `start` or more. Returns 0 or PMBF_REFUSED. */
static int reader_begin(reader_t *reader, uint64_t start) {
    reader->bucket = start >> reader->from->shift;
    reader->cursor = (cursor_t){.bits = reader->from->bits}; /* at its end */
    do {
        if (reader_step(reader)) return PMBF_REFUSED;
    } while (reader->has_list && reader->list.hash < start);
    return 0;
}

/* Adds the documents of a reader's list under their new numbers. Returns how many numbers there are, or PMBF_REFUSED. */
static int64_t gather(const reader_t *reader, uint32_t *numbers, int64_t n) {
    const postings_t *from = reader->from;
    for (uint32_t i = 0; i < reader->list.count; i++) {
        uint64_t number = number_at(from->bits, reader->list.at, i, from->id_bits);
        if (number >= from->n_documents) return PMBF_REFUSED;
        const uint32_t now = reader->renumbered ? reader->renumbered[number] : (uint32_t)(reader->first + number);
        if (now != UINT32_MAX) numbers[n++] = now;
    }
    return n;
}

static int64_t join(reader_t *readers, size_t n_readers, making_t *making, room_t *room) {
    for (;;) {
        uint64_t hash = 0;
        size_t first = 0, n_left = 0; /* the readers that have the hash */
        for (size_t i = 0; i < n_readers; i++) {
            if (!readers[i].has_list) continue;
            const uint64_t here = readers[i].list.hash;
            const int is_least = !n_left || here < hash;
            n_left = is_least ? 1 : n_left + (here == hash);
            first = is_least ? i : first;
            hash = is_least ? here : hash;
        }
        if (!n_left) break;
        int64_t n = 0;
        for (size_t i = first; n_left; i++) {
            if (!readers[i].has_list || readers[i].list.hash != hash) continue;
            if (reserve_numbers(room, (size_t)n + readers[i].list.count)) return PMBF_NO_MEMORY;
            if ((n = gather(&readers[i], room->numbers, n)) < 0 || reader_step(&readers[i])) return PMBF_REFUSED;
            n_left--;
        }
        if (write_list(making, hash, room->numbers, (size_t)n)) return PMBF_REFUSED;
    }
    end_making(making);
    return 0;
}

/* Joins the lists of several postings whose hashes are in the buckets [range[0], range[1]) of the new ones: writes their
 * bits, and where each bucket ends. The documents of postings i get the numbers `renumbered[i]`, or if this is NULL, the
 * numbers from `firsts[i]` on. `shape` is as for pmbf_make_postings. Writes the bytes of the bits, hashes and postings.
 * Returns 0, PMBF_NO_MEMORY, or PMBF_REFUSED for damaged postings. */
EXPORT int64_t pmbf_join_postings(const postings_t *postings, size_t n_postings, const uint32_t *const *renumbered,
                                  const uint64_t *firsts, const uint64_t range[2], const uint64_t shape[5], uint32_t *ends, uint8_t *bits,
                                  uint64_t written[3]) {
    making_t making = {.ends = ends, .bucket = range[0], .stop = range[1], .shift = shape[1], .rice = shape[2],
                       .id_bits = shape[3], .n_room = shape[4], .writer = {.out = bits}};
    room_t room = {NULL, 0};
    int64_t status = 0;
    reader_t *readers = calloc(n_postings + 1, sizeof *readers);
    if (!readers) return PMBF_NO_MEMORY;
    begin_making(&making);
    for (size_t i = 0; range[0] < range[1] && i < n_postings && !status; i++) {
        readers[i] = (reader_t){.from = &postings[i], .renumbered = renumbered[i], .first = firsts[i]};
        readers[i].last = (range[1] << shape[1]) - 1; /* 2^64 - 1 if the last bucket ends with 64 bits */
        status = reader_begin(&readers[i], range[0] << shape[1]);
    }
    if (!status) status = join(readers, n_postings, &making, &room);
    free(room.numbers);
    free(readers);
    written[0] = making.writer.n_bytes, written[1] = making.n_hashes, written[2] = making.n_postings;
    return status;
}

/* Writes the hash and the number of each posting whose hash is in [range[0], range[1]], ascending. Returns how many there
 * are, or PMBF_REFUSED for damaged postings, also if there are more than `room`. */
EXPORT int64_t pmbf_list_postings(const postings_t *from, const uint64_t range[2], uint64_t room, uint64_t *hashes,
                                  uint32_t *numbers) {
    reader_t reader = {.from = from, .last = range[1]};
    uint64_t n = 0;
    if (reader_begin(&reader, range[0])) return PMBF_REFUSED;
    while (reader.has_list) {
        const list_t list = reader.list;
        if (list.count > room - n) return PMBF_REFUSED;
        for (uint32_t i = 0; i < list.count; i++) {
            uint64_t number = number_at(from->bits, list.at, i, from->id_bits);
            if (number >= from->n_documents) return PMBF_REFUSED;
            hashes[n] = list.hash, numbers[n++] = (uint32_t)number;
        }
        if (reader_step(&reader)) return PMBF_REFUSED;
    }
    return (int64_t)n;
}
