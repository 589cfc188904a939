/* Which hashes of a query many documents have. */

#ifndef PMBF_RECORDS_SHARED_H
#define PMBF_RECORDS_SHARED_H

#include <stddef.h>
#include <stdint.h>

/* Where a document's record is, as a directory on disk has it; see docs/format.md, `DOCS`. */
typedef struct {
    uint32_t file, n_hashes;
    uint64_t offset;
    uint32_t n_bytes, state;
} entry_t;

/* The entries of documents number << 16, number << 16 | 1, … */
typedef struct {
    int64_t number;
    const entry_t *entries;
    size_t n;
} entries_t;

/* A file of records; `checked` says of each of its pages whether it is known to be what was written. */
typedef struct {
    int64_t serial;
    const uint8_t *bytes, *checked;
    size_t n_bytes, n_pages;
} file_t;

/* A part of a query's documents, as a row index has it. */
typedef struct {
    uint32_t document, first, last; /* the first wanted part, and the one after the last */
} part_t;

typedef struct {
    const part_t *parts; /* in any order */
    size_t n_parts;
    const entries_t *directory;
    size_t n_chunks;
    const file_t *files;
    size_t n_files;
    const uint32_t *hashes; /* of the query, in the order of its text */
    const int32_t *weights;
    size_t n_hashes;
    size_t page_bytes, paged_bytes; /* records of so many bytes are checked page by page, by the caller */
} asked_t;

/* Why an answer is none. */
enum { SHARED_WHOLE, SHARED_DAMAGED, SHARED_MISSING, SHARED_UNREADY, SHARED_NO_MEMORY };

/* The answer: ids of documents, ascending, and at which places each of them has a hash of the query, the first of those it
 * stands at: places[bounds[i] … bounds[i + 1]); how many documents have the hash of each place. */
typedef struct {
    int status;
    uint32_t document; /* the first that has no answer */
    size_t n_documents, n_places;
    uint32_t *ids, *places;
    int64_t *bounds, *n_having;
} shared_t;

/* Answers; `shared_free` is needed in every case. */
void shared_find(const asked_t *asked, shared_t *shared);
void shared_free(shared_t *shared);

#endif
