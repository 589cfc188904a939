/* Which hashes of a query many documents have. */

#ifndef PMBF_RECORDS_SHARED_H
#define PMBF_RECORDS_SHARED_H

#include <stddef.h>
#include <stdint.h>

/* Where the record of a document is: an entry of a directory on disk; see docs/format.md, `DOCS`. */
typedef struct {
    uint32_t file, n_hashes;
    uint64_t offset;
    uint32_t n_bytes, state;
} location_t;

/* The locations of documents number << 16, number << 16 | 1, … */
typedef struct {
    int64_t number;
    const location_t *locations;
    size_t n;
} locations_t;

/* A file of records. `checked` says for each of its pages whether it was found intact. */
typedef struct {
    int64_t serial;
    const uint8_t *bytes, *checked;
    size_t n_bytes, n_pages;
} file_t;

/* Parts of a document that a query asks for: an entry of the row index. */
typedef struct {
    uint32_t document, first, last; /* the first wanted part, and the one after the last */
} part_t;

typedef struct {
    const part_t *parts; /* any order */
    size_t n_parts;
    const locations_t *directory;
    size_t n_chunks;
    const file_t *files;
    size_t n_files;
    const uint32_t *hashes; /* hashes of the query, in text order */
    const int32_t *weights;
    size_t n_hashes;
    size_t page_bytes, paged_bytes; /* the caller checks the pages of records of paged_bytes or more */
} asked_t;

/* The status of an answer: SHARED_WHOLE, or why there is none. */
enum { SHARED_WHOLE, SHARED_DAMAGED, SHARED_MISSING, SHARED_UNREADY, SHARED_NO_MEMORY };

/* The answer: ids of documents, ascending; the places of the query's hashes that document i has, each hash at its first
 * place: places[bounds[i] … bounds[i + 1]); the number of documents that have the hash of each place. */
typedef struct {
    int status;
    uint32_t document; /* the first document without an answer */
    size_t n_documents, n_places;
    uint32_t *ids, *places;
    int64_t *bounds, *n_having;
} shared_t;

/* Finds the answer. Call `shared_free` in each case. */
void shared_find(const asked_t *asked, shared_t *shared);
void shared_free(shared_t *shared);

#endif
