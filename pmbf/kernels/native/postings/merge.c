/* Postings made from others and from new hashes of documents, in one pass over both. */

#include <stdlib.h>

#include "postings.h"

enum { MOST_HEAD_BITS = 128 }; /* of a list beside the upper part of its gap and its documents */

/* Writes bits, the lowest first. */
typedef struct {
    uint8_t *out;
    uint64_t n_bytes, word; /* bytes written, and bits that wait */
    uint32_t n_waiting;
} writer_t;

/* Reads the lists of all buckets, ascending by hash. */
typedef struct {
    const postings_t *from;
    cursor_t cursor;
    uint64_t bucket; /* the one after the cursor's */
    list_t list;
    int has_list;
} reader_t;

/* What postings are made of, and where they go. */
typedef struct {
    const postings_t *into; /* its directory and bits are written; n_bits_bytes is the room for the bits */
    writer_t writer;
    uint64_t bucket, next;  /* the bucket being written, and the least hash that may come next */
    uint64_t n_hashes, n_postings;
} making_t;

INLINE void write_bits(writer_t *writer, uint64_t word, uint32_t n) {
    writer->word |= word << writer->n_waiting;
    writer->n_waiting += n;
    while (writer->n_waiting >= 8) {
        writer->out[writer->n_bytes++] = (uint8_t)writer->word;
        writer->word >>= 8, writer->n_waiting -= 8;
    }
}

static void write_unary(writer_t *writer, uint64_t n) {
    for (; n >= 32; n -= 32) write_bits(writer, 0, 32);
    write_bits(writer, 1ull << n, (uint32_t)n + 1);
}

static void end_byte(writer_t *writer) {
    if (writer->n_waiting) write_bits(writer, 0, 8 - writer->n_waiting);
}

/* Steps to the next list. Returns 0 or PMBF_REFUSED. */
static int reader_step(reader_t *reader) {
    for (;;) {
        int more = reader->bucket ? cursor_next(&reader->cursor, &reader->list) : 0;
        if (more < 0) return more;
        if ((reader->has_list = more)) return 0;
        if (reader->bucket == reader->from->n_buckets) return 0;
        if (cursor_begin(&reader->cursor, reader->from, reader->bucket++)) return PMBF_REFUSED;
    }
}

/* Ends the buckets before a hash's bucket. */
static void reach_bucket(making_t *making, uint64_t bucket) {
    uint32_t *directory = (uint32_t *)(uintptr_t)making->into->directory;
    if (bucket == making->bucket) return;
    end_byte(&making->writer);
    while (making->bucket < bucket) directory[++making->bucket] = (uint32_t)making->writer.n_bytes;
    making->next = bucket << making->into->shift;
}

static int by_number(const void *a, const void *b) {
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Sorts numbers, and drops repeated ones. Returns how many are left. */
static size_t sort_numbers(uint32_t *numbers, size_t n) {
    size_t n_left = 0, is_sorted = 1;
    for (size_t i = 1; i < n; i++) is_sorted &= numbers[i - 1] < numbers[i];
    if (is_sorted) return n;
    qsort(numbers, n, sizeof *numbers, by_number);
    for (size_t i = 0; i < n; i++)
        if (!n_left || numbers[n_left - 1] != numbers[i]) numbers[n_left++] = numbers[i];
    return n_left;
}

/* Writes a list, unless it is empty. Returns 0, or PMBF_REFUSED if the room is too small: the old postings have more
 * documents than they say. */
static int write_list(making_t *making, uint64_t hash, uint32_t *numbers, size_t n) {
    if (!(n = sort_numbers(numbers, n))) return 0;
    const postings_t *into = making->into;
    if (hash >> into->shift >= into->n_buckets) return PMBF_REFUSED;
    reach_bucket(making, hash >> into->shift);
    const uint64_t gap = hash - making->next, n_bits = (gap >> into->rice) + n * into->id_bits + MOST_HEAD_BITS;
    if (making->writer.n_bytes + n_bits / 8 > into->n_bits_bytes) return PMBF_REFUSED;
    write_unary(&making->writer, gap >> into->rice);
    write_bits(&making->writer, low_bits(gap, into->rice), (uint32_t)into->rice);
    const uint32_t n_count_bits = 63 - (uint32_t)__builtin_clzll(n);
    write_unary(&making->writer, n_count_bits);
    write_bits(&making->writer, low_bits(n, n_count_bits), n_count_bits);
    for (size_t i = 0; i < n; i++) write_bits(&making->writer, numbers[i], (uint32_t)into->id_bits);
    making->next = hash + 1, making->n_hashes++, making->n_postings += n;
    return 0;
}

/* Gathers the documents of an old list under their new numbers. Returns their number, or PMBF_REFUSED. */
static int64_t gather_old(const postings_t *old, const list_t *list, const uint32_t *renumbered, uint32_t *numbers) {
    int64_t n = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        uint64_t number = number_at(old->bits, list->at, i, old->id_bits);
        if (number >= old->n_documents) return PMBF_REFUSED;
        if (renumbered[number] != UINT32_MAX) numbers[n++] = renumbered[number];
    }
    return n;
}

/* The room for the numbers of one list. */
typedef struct {
    uint32_t *numbers;
    size_t n;
} room_t;

static int reserve(room_t *room, size_t n) {
    if (n <= room->n) return 0;
    uint32_t *numbers = realloc(room->numbers, 2 * n * sizeof *numbers);
    if (!numbers) return PMBF_NO_MEMORY;
    *room = (room_t){numbers, 2 * n};
    return 0;
}

static int64_t merge(reader_t *old, const uint32_t *renumbered, const uint64_t *keys, size_t n_keys, making_t *making,
                     room_t *room) {
    if (reader_step(old)) return PMBF_REFUSED;
    for (size_t i = 0; i < n_keys || old->has_list;) {
        const uint64_t added = i < n_keys ? keys[i] >> 32 : UINT64_MAX, kept = old->has_list ? old->list.hash : UINT64_MAX;
        const uint64_t hash = added < kept ? added : kept;
        int64_t n = 0;
        if (kept == hash) {
            if (reserve(room, old->list.count)) return PMBF_NO_MEMORY;
            n = gather_old(old->from, &old->list, renumbered, room->numbers);
            if (n < 0 || reader_step(old)) return PMBF_REFUSED;
        }
        for (; i < n_keys && keys[i] >> 32 == hash; i++) {
            if (reserve(room, (size_t)n + 1)) return PMBF_NO_MEMORY;
            room->numbers[n++] = (uint32_t)keys[i];
        }
        if (write_list(making, hash, room->numbers, (size_t)n)) return PMBF_REFUSED;
    }
    reach_bucket(making, making->into->n_buckets);
    return 0;
}

/* Makes postings from old ones, whose documents get new numbers, UINT32_MAX for those that go, and from keys,
 * hash << 32 | number, ascending. Writes the bytes of the bits, hashes and
 * postings. Returns 0, PMBF_NO_MEMORY or PMBF_REFUSED for damaged postings. */
EXPORT int64_t pmbf_merge_postings(const postings_t *from, const uint32_t *renumbered, const uint64_t *keys, size_t n_keys,
                                   const postings_t *into, uint64_t written[3]) {
    reader_t old = {.from = from};
    making_t making = {.into = into, .writer = {.out = (uint8_t *)(uintptr_t)into->bits}};
    room_t room = {NULL, 0};
    ((uint32_t *)(uintptr_t)into->directory)[0] = 0;
    int64_t status = merge(&old, renumbered, keys, n_keys, &making, &room);
    free(room.numbers);
    written[0] = making.writer.n_bytes, written[1] = making.n_hashes, written[2] = making.n_postings;
    return status;
}

/* Writes hash << 32 | number of each posting, ascending. Returns their number, or PMBF_REFUSED for damaged postings, also
 * if there are more than `room`. */
EXPORT int64_t pmbf_list_postings(const postings_t *from, uint64_t room, uint64_t *out) {
    reader_t reader = {.from = from};
    uint64_t n = 0;
    if (reader_step(&reader)) return PMBF_REFUSED;
    while (reader.has_list) {
        const list_t list = reader.list;
        if (list.count > room - n) return PMBF_REFUSED;
        for (uint32_t i = 0; i < list.count; i++) {
            uint64_t number = number_at(from->bits, list.at, i, from->id_bits);
            if (number >= from->n_documents) return PMBF_REFUSED;
            out[n++] = (uint64_t)list.hash << 32 | number;
        }
        if (reader_step(&reader)) return PMBF_REFUSED;
    }
    return (int64_t)n;
}
