/* Lists of postings as bits; docs/format.md draws them. */

#include "write.h"

#include <stdlib.h>

enum { MOST_HEAD_BITS = 160 }; /* of a list beside the upper part of its gap and its documents */

/* Writes n bits, at most 57; up to 8 bytes behind them are overwritten. */
INLINE void write_bits(writer_t *writer, uint64_t word, uint32_t n) {
    writer->word |= word << writer->n_waiting;
    writer->n_waiting += n;
    memcpy(writer->out + writer->n_bytes, &writer->word, sizeof writer->word);
    const uint32_t n_whole = writer->n_waiting >> 3;
    writer->n_bytes += n_whole;
    writer->word = n_whole == 8 ? 0 : writer->word >> 8 * n_whole;
    writer->n_waiting &= 7;
}

/* Writes up to 64 bits. */
INLINE void write_long(writer_t *writer, uint64_t word, uint32_t n) {
    if (n > 32) {
        write_bits(writer, word & UINT32_MAX, 32);
        word >>= 32, n -= 32;
    }
    write_bits(writer, word, n);
}

static void write_unary(writer_t *writer, uint64_t n) {
    for (; n >= 32; n -= 32) write_bits(writer, 0, 32);
    write_bits(writer, 1ull << n, (uint32_t)n + 1);
}

void begin_making(making_t *making) { making->next = making->bucket << making->shift; }

/* Ends the buckets before a hash's bucket. */
static void reach_bucket(making_t *making, uint64_t bucket) {
    if (bucket == making->bucket) return;
    if (making->writer.n_waiting) write_bits(&making->writer, 0, 8 - making->writer.n_waiting);
    while (making->bucket < bucket) *making->ends++ = (uint32_t)making->writer.n_bytes, making->bucket++;
    making->next = bucket << making->shift;
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

/* Writes the gap, the count and the numbers of a list: of nearly all lists, which name one document, at once. */
static void write_numbers(making_t *making, uint64_t gap, const uint32_t *numbers, size_t n) {
    writer_t *writer = &making->writer;
    const uint64_t upper = gap >> making->rice, lower = low_bits(gap, making->rice);
    if (n == 1 && upper + making->rice + making->id_bits + 2 <= WINDOW_BITS) {
        const uint64_t word = ((uint64_t)numbers[0] << 1 | 1) << making->rice | lower;
        write_bits(writer, (word << 1 | 1) << upper, (uint32_t)(upper + making->rice + making->id_bits + 2));
        return;
    }
    write_unary(writer, upper);
    write_long(writer, lower, (uint32_t)making->rice);
    const uint32_t n_count_bits = 63 - (uint32_t)__builtin_clzll(n);
    write_unary(writer, n_count_bits);
    write_bits(writer, low_bits(n, n_count_bits), n_count_bits);
    for (size_t i = 0; i < n; i++) write_bits(writer, numbers[i], (uint32_t)making->id_bits);
}

int write_list(making_t *making, uint64_t hash, uint32_t *numbers, size_t n) {
    if (!(n = sort_numbers(numbers, n))) return 0;
    const uint64_t bucket = hash >> making->shift;
    if (bucket >= making->stop) return PMBF_REFUSED;
    reach_bucket(making, bucket);
    const uint64_t gap = hash - making->next, n_bits = (gap >> making->rice) + n * making->id_bits + MOST_HEAD_BITS;
    if (making->writer.n_bytes + n_bits / 8 > making->n_room) return PMBF_REFUSED;
    write_numbers(making, gap, numbers, n);
    making->next = hash + 1, making->n_hashes++, making->n_postings += n;
    return 0;
}

void end_making(making_t *making) { reach_bucket(making, making->stop); }

int reserve_numbers(room_t *room, size_t n) {
    if (n <= room->n) return 0;
    uint32_t *numbers = realloc(room->numbers, 2 * n * sizeof *numbers);
    if (!numbers) return PMBF_NO_MEMORY;
    *room = (room_t){numbers, 2 * n};
    return 0;
}
