/* The hashes of a query that documents are asked for, and how those of a document are found among them. */

#ifndef PMBF_RECORDS_WANTED_H
#define PMBF_RECORDS_WANTED_H

#include "../bits/bits.h"

/* The hashes of a query that are looked for. */
typedef struct {
    uint64_t *keys, *spare;
    uint64_t *sorted; /* one of the two, all of them: hash << 32 | place in the query, ascending */
    size_t n_keys;
    uint32_t *hashes, *places; /* each once, ascending, and its first place */
    size_t n_hashes, n_bits;
    unsigned shift;
    uint64_t *bits;   /* one more than n_bits, the last of them 0 */
    uint32_t *firsts; /* by word of `bits`: the first hash that has its bit there, or later */
} wanted_t;

/* Which places of the text a document has: a bit each. */
typedef struct {
    uint64_t *bits;
    size_t n_words;
} found_t;

/* Sorts keys by their upper halves, and leaves equal ones in their order; `spare` has room for as many. Returns which of the
 * two has them then. */
uint64_t *sort_keys(uint64_t *keys, uint64_t *spare, size_t n);

/* Makes what is wanted of n hashes in the order of the text: those that weigh something. Returns whether there was memory;
 * `wanted_free` is needed in every case. */
int wanted_make(wanted_t *wanted, const uint32_t *hashes, const int32_t *weights, size_t n);
void wanted_free(wanted_t *wanted);

/* Gives the later places of each hash the number of its first. */
void wanted_spread(const wanted_t *wanted, int64_t *numbers);

/* Sets the bits of the places of those of n hashes that are wanted; the hashes are gone then. */
void wanted_mark(const wanted_t *wanted, uint32_t *hashes, size_t n, found_t *found);

#endif
