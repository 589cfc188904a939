/* Postings written list after list, by making and by joining. */

#pragma once

#include "postings.h"

/* Writes bits, the lowest first. */
typedef struct {
    uint8_t *out;
    uint64_t n_bytes, word; /* bytes written, and bits that wait */
    uint32_t n_waiting;
} writer_t;

/* Where postings go, or those of a range of buckets. */
typedef struct {
    uint32_t *ends; /* of each bucket, in bytes from where the writer began */
    uint64_t shift, rice, id_bits;
    uint64_t bucket, stop; /* the bucket being written, and the one behind the last */
    uint64_t n_room;       /* bytes that the writer may write */
    uint64_t next;         /* the least hash that may come next */
    uint64_t n_hashes, n_postings;
    writer_t writer;
} making_t;

/* Begins to write the buckets from `bucket` on, `stop` excluded. */
void begin_making(making_t *making);

/* Writes a list, unless it is empty; the numbers are sorted, and repeated ones dropped. Returns 0, or PMBF_REFUSED for a
 * hash outside the buckets, or if the room is too small. */
int write_list(making_t *making, uint64_t hash, uint32_t *numbers, size_t n);

/* Ends the last buckets. */
void end_making(making_t *making);

/* The room for the numbers of one list. */
typedef struct {
    uint32_t *numbers;
    size_t n;
} room_t;

/* Makes room for n numbers. Returns 0 or PMBF_NO_MEMORY. */
int reserve_numbers(room_t *room, size_t n);
