/* Sorted postings: for each hash the documents that have it, as numbers into a list of documents. docs/format.md draws
 * the bits. A hash here is a number of 32 to 64 bits, the lowest ones of its word. */

#pragma once

#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include "../arithmetic.h"
#include "../bits/bits.h"
#include "../records/pages.h"

/* Postings as Python passes them: those of a segment. `bits` has PADDING more bytes behind the last bucket. */
typedef struct {
    const uint8_t *bits;
    const uint32_t *directory; /* n_buckets + 1 offsets in bytes */
    const uint32_t *documents;
    uint64_t n_bits_bytes, n_buckets, n_documents;
    uint64_t shift, rice, id_bits; /* bits of a bucket's range of hashes, of a gap's lower part, of a document's number */
    pages_t pages;
} postings_t;

/* Rows of the filter side by side: for each of `n_lines` positions a line with a bit of each row. `bits` has PADDING more
 * bytes behind the last line. Without bits all rows are asked for every hash. */
typedef struct {
    const uint8_t *bits;
    const uint32_t *owners; /* of each row, the number of its segment among the postings; NO_OWNER: of none */
    uint64_t n_rows, n_lines, line_bits, k, n_cut; /* bits of a line: 1, or whole bytes; bits a hash; lowest bits of
                                                      a hash that the filter does not look at */
    pages_t pages;
} tile_t;

/* The segments that a query asks, and the rows of all of them: each segment has one. */
typedef struct {
    const postings_t *postings;
    uint64_t n_postings;
    const tile_t *tiles;
    uint64_t n_tiles;
} segments_t;

/* A segment that may have a hash, by their numbers; then the list of the hash there. */
typedef struct {
    uint32_t hash, of;
    uint64_t at, count;
} found_t;

/* What was found, ascending by the number of the hash. */
typedef struct {
    found_t *lists;
    uint64_t n, room;
} found_lists_t;

enum { PADDING = 8, WINDOW_BITS = 57 };

#define NO_OWNER UINT32_MAX

/* Reads one bucket. */
typedef struct {
    const uint8_t *bits;
    uint64_t at, stop; /* in bits */
    uint32_t rice, id_bits;
    uint64_t next, left; /* the least hash that may come next, and how many hashes of the bucket may */
    uint64_t n_documents;
} cursor_t;

/* The list of a hash: the number of its documents, and where the number of the first document begins. */
typedef struct {
    uint64_t hash, at, count;
} list_t;

/* Returns the 57 bits or more that begin at a bit. */
INLINE uint64_t window_at(const uint8_t *bits, uint64_t at) {
    uint64_t word;
    memcpy(&word, bits + (at >> 3), sizeof word);
    return word >> (at & 7);
}

INLINE uint64_t low_bits(uint64_t word, uint64_t n) { return word & ((1ull << n) - 1); }

/* Begins a bucket. Returns 0 or PMBF_REFUSED. */
INLINE int cursor_begin(cursor_t *cursor, const postings_t *from, uint64_t bucket) {
    uint64_t start = from->directory[bucket], stop = from->directory[bucket + 1];
    if (start > stop || stop > from->n_bits_bytes) return PMBF_REFUSED;
    *cursor = (cursor_t){.bits = from->bits, .at = 8 * start, .stop = 8 * stop, .rice = (uint32_t)from->rice,
                         .id_bits = (uint32_t)from->id_bits, .next = bucket << from->shift,
                         .left = 1ull << from->shift, .n_documents = from->n_documents};
    return 0;
}

/* Reads a number in unary: that many zeros and a one. Returns UINT64_MAX where the bucket ends before the one. */
INLINE uint64_t read_unary(cursor_t *cursor) {
    for (uint64_t n = 0; cursor->at < cursor->stop;) {
        uint64_t left = cursor->stop - cursor->at, word = window_at(cursor->bits, cursor->at);
        uint64_t zeros = word ? (uint64_t)__builtin_ctzll(word) : 64;
        uint64_t known = left < WINDOW_BITS ? left : WINDOW_BITS;
        if (zeros < known) return cursor->at += zeros + 1, n + zeros;
        cursor->at += known, n += known;
    }
    return UINT64_MAX;
}

/* Reads n bits, at most 63. */
INLINE uint64_t read_bits(cursor_t *cursor, uint32_t n) {
    const uint32_t first = n < WINDOW_BITS ? n : WINDOW_BITS;
    uint64_t found = low_bits(window_at(cursor->bits, cursor->at), first);
    cursor->at += first;
    if (n == first) return found;
    found |= low_bits(window_at(cursor->bits, cursor->at), n - first) << first;
    cursor->at += n - first;
    return found;
}

/* Steps over a hash and the gap before it. Returns 0, or PMBF_REFUSED if the hash lies beyond the bucket. */
INLINE int cursor_pass(cursor_t *cursor, uint64_t gap) {
    if (gap >= cursor->left) return PMBF_REFUSED;
    cursor->next += gap + 1, cursor->left -= gap + 1;
    return 0;
}

/* Reads the next list of a bucket and steps behind it. Returns 1, 0 at the end of the bucket, or PMBF_REFUSED. */
static int cursor_next_of_any_size(cursor_t *cursor, list_t *list) {
    uint64_t upper = read_unary(cursor);
    if (upper == UINT64_MAX) return 0;
    if (upper > (cursor->left - 1) >> cursor->rice || cursor->at + cursor->rice > cursor->stop) return PMBF_REFUSED;
    if (cursor_pass(cursor, upper << cursor->rice | read_bits(cursor, cursor->rice))) return PMBF_REFUSED;
    uint64_t n_count_bits = read_unary(cursor);
    if (n_count_bits > 31 || cursor->at + n_count_bits > cursor->stop) return PMBF_REFUSED;
    uint64_t count = 1ull << n_count_bits | read_bits(cursor, (uint32_t)n_count_bits);
    *list = (list_t){cursor->next - 1, cursor->at, count};
    cursor->at += count * cursor->id_bits;
    return count <= cursor->n_documents && cursor->at <= cursor->stop ? 1 : PMBF_REFUSED;
}

/* As `cursor_next_of_any_size`. The gap and the count of nearly all lists lie in one window, which is read once: each
 * read waits for the one before. */
INLINE int cursor_next(cursor_t *cursor, list_t *list) {
    const uint64_t word = window_at(cursor->bits, cursor->at) | 1ull << WINDOW_BITS;
    const uint64_t upper = (uint64_t)__builtin_ctzll(word);
    const uint64_t rest = word >> upper >> 1 >> cursor->rice | 1ull << WINDOW_BITS;
    const uint64_t n_count_bits = (uint64_t)__builtin_ctzll(rest), before = upper + 1 + cursor->rice;
    const uint64_t n_bits = before + 2 * n_count_bits + 1;
    if (RARE(n_bits > WINDOW_BITS || cursor->at + n_bits > cursor->stop)) return cursor_next_of_any_size(cursor, list);
    if (cursor_pass(cursor, upper << cursor->rice | low_bits(word >> upper >> 1, cursor->rice))) return PMBF_REFUSED;
    const uint64_t count = 1ull << n_count_bits | low_bits(rest >> n_count_bits >> 1, n_count_bits);
    *list = (list_t){cursor->next - 1, cursor->at + n_bits, count};
    cursor->at += n_bits + count * cursor->id_bits;
    return count <= cursor->n_documents && cursor->at <= cursor->stop ? 1 : PMBF_REFUSED;
}

/* Returns the number of document i of a list. */
INLINE uint64_t number_at(const uint8_t *bits, uint64_t at, uint64_t i, uint64_t id_bits) {
    return low_bits(window_at(bits, at + i * id_bits), id_bits);
}

/* rows.c: finds the segments that may have each of n hashes, by the filter alone. `found` keeps its room. Returns 0,
 * PMBF_NO_MEMORY, or PMBF_REFUSED for a damaged filter. */
int64_t find_segments(const segments_t *segments, const uint64_t *hashes, size_t n, found_lists_t *found);

/* find.c: finds the lists of n hashes in the segments that may have them, and how many documents have each hash. Returns
 * as `find_segments`. */
int64_t find_lists(const segments_t *segments, const uint64_t *hashes, size_t n, found_lists_t *found, int64_t *counts);
