/* The wanted hashes: those of a query that are looked for in documents. Finding the hashes of a document among them. */

#ifndef PMBF_RECORDS_WANTED_H
#define PMBF_RECORDS_WANTED_H

#include "../bits/bits.h"

/* The wanted hashes. */
typedef struct {
    uint64_t *keys, *spare;
    uint64_t *sorted; /* one of the two buffers: hash << 32 | place in the query, ascending */
    size_t n_keys;
    uint32_t *hashes, *places; /* each hash once, ascending, and its first place */
    size_t n_hashes, n_bits;
    unsigned shift;
    uint64_t *bits;   /* n_bits bits and one more, which is 0 */
    uint32_t *firsts; /* by word of `bits`: the first hash whose bit is in the word or later */
} wanted_t;

/* The places of the query whose hash a document has: a bit each. */
typedef struct {
    uint64_t *bits;
    size_t n_words;
} found_t;

/* Sorts keys by their upper halves. Keys with equal upper halves stay in order. `spare` has room for n keys. Returns
 * the buffer of the two that holds the sorted keys. */
uint64_t *sort_keys(uint64_t *keys, uint64_t *spare, size_t n);

/* Makes the wanted hashes from n hashes in text order: those with a weight above 0. Returns false if out of memory.
 * Call `wanted_free` in each case. */
int wanted_make(wanted_t *wanted, const uint32_t *hashes, const int32_t *weights, size_t n);
void wanted_free(wanted_t *wanted);

/* Copies the number at the first place of each hash to its later places. */
void wanted_spread(const wanted_t *wanted, int64_t *numbers);

/* Sets the bits of the places of the wanted hashes among n hashes. Overwrites the hashes. */
void wanted_mark(const wanted_t *wanted, uint32_t *hashes, size_t n, found_t *found);

#endif
