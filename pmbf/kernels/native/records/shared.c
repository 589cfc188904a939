/* Which hashes of a query many documents have, in one call. Documents are sorted and looked up in the directory. Their
 * records are found, checked, decoded and compared one after another; meanwhile later records are prefetched. */

#include "shared.h"

#include "records.h"
#include "wanted.h"

enum { RECORD_HEAD_BYTES = 8, CHUNK_BITS = 16, AHEAD = 3, FETCHED_BYTES = 1024 };
enum { UNUSED, LIVE, REMOVED }; /* states of locations */

/* A part with the record of its document. A removed document has no record. */
typedef struct {
    part_t part;
    const uint8_t *at;
    size_t n_bytes;
} wanted_part_t;

/* The memory of a call. */
typedef struct {
    wanted_part_t *parts; /* by document */
    wanted_t wanted;
    found_t found;
    uint32_t *hashes; /* hashes of one record */
    size_t capacity;  /* room in `places` */
} way_t;

/* ------------------------------------------------------------------ where the records are */

static const location_t *location_of(const asked_t *asked, uint32_t document) {
    const uint32_t number = document >> CHUNK_BITS, place = document & ((1u << CHUNK_BITS) - 1);
    for (size_t i = 0; i < asked->n_chunks; i++)
        if (asked->directory[i].number == number)
            return place < asked->directory[i].n ? asked->directory[i].locations + place : NULL;
    return NULL;
}

static const file_t *file_of(const asked_t *asked, uint32_t serial) {
    for (size_t i = 0; i < asked->n_files; i++)
        if (asked->files[i].serial == (int64_t)serial) return &asked->files[i];
    return NULL;
}

/* Returns whether the pages of a range of a file were checked. */
static int is_checked(const asked_t *asked, const file_t *file, size_t start, size_t stop) {
    for (size_t page = start / asked->page_bytes; page <= (stop - 1) / asked->page_bytes; page++)
        if (page >= file->n_pages || !file->checked[page]) return 0;
    return 1;
}

/* Finds the record of a part. Returns SHARED_WHOLE, or why there is no record. */
static int find_record(const asked_t *asked, wanted_part_t *part) {
    const location_t *location = location_of(asked, part->part.document);
    if (!location || location->state == UNUSED) return SHARED_MISSING;
    part->at = NULL, part->n_bytes = 0;
    if (location->state == REMOVED) return SHARED_WHOLE;
    const file_t *file = file_of(asked, location->file);
    if (!file) return SHARED_UNREADY;
    if (location->offset > file->n_bytes || location->n_bytes > file->n_bytes - location->offset) return SHARED_DAMAGED;
    if (location->n_bytes < RECORD_HEAD_BYTES) return SHARED_DAMAGED;
    part->at = file->bytes + location->offset, part->n_bytes = location->n_bytes;
    if (part->n_bytes < asked->paged_bytes) return SHARED_WHOLE;
    return is_checked(asked, file, location->offset, location->offset + part->n_bytes) ? SHARED_WHOLE : SHARED_UNREADY;
}

/* Sorts the parts by document. Returns false if out of memory. */
static int order_parts(const asked_t *asked, wanted_part_t *parts) {
    const size_t n = asked->n_parts;
    uint64_t *keys = malloc(2 * (n + 1) * sizeof *keys);
    if (!keys) return 0;
    for (size_t i = 0; i < n; i++) keys[i] = (uint64_t)asked->parts[i].document << 32 | i;
    const uint64_t *sorted = sort_keys(keys, keys + n, n);
    for (size_t i = 0; i < n; i++) parts[i].part = asked->parts[(uint32_t)sorted[i]];
    free(keys);
    return 1;
}

/* ------------------------------------------------------------------ what they have */

static uint32_t read_word(const uint8_t *at) {
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

INLINE void fetch(const wanted_part_t *part) {
    for (size_t byte = 0; byte < smaller(part->n_bytes, FETCHED_BYTES); byte += LINE_BYTES)
        __builtin_prefetch(part->at + byte);
}

/* Marks the hashes in a part of a record. Returns 0 if the record is damaged. */
static int mark_part(const wanted_part_t *part, size_t paged_bytes, way_t *way) {
    const uint8_t *end = part->at + part->n_bytes;
    if (part->n_bytes < paged_bytes && read_word(part->at) != checksum(part->at + 4, part->n_bytes - 4)) return 0;
    size_t n_parts = read_word(part->at + 4);
    const uint8_t *counts = part->at + RECORD_HEAD_BYTES, *at = counts + 4 * n_parts;
    if (n_parts > (part->n_bytes - RECORD_HEAD_BYTES) / 4) return 0;
    for (size_t i = 0; i < n_parts && i < part->part.last; i++) {
        size_t n = read_word(counts + 4 * i);
        int is_wanted = i >= part->part.first;
        if (n > (size_t)(end - at)) return 0;
        if (!(at = is_wanted ? decode_gaps(at, end, n, way->hashes) : skip_gaps(at, end, n))) return 0;
        if (is_wanted) wanted_mark(&way->wanted, way->hashes, n, &way->found);
    }
    return 1;
}

/* Lists the places of a document, ascending, counts each, and clears their bits. Returns false if out of memory. */
static int take_places(way_t *way, uint32_t document, shared_t *shared) {
    size_t most = shared->n_places + way->wanted.n_hashes;
    if (most > way->capacity) {
        uint32_t *places = realloc(shared->places, 2 * most * sizeof *places);
        if (!places) return 0;
        shared->places = places, way->capacity = 2 * most;
    }
    for (size_t word = 0; word < way->found.n_words; word++) {
        for (uint64_t bits = way->found.bits[word]; bits; bits &= bits - 1) {
            uint32_t place = (uint32_t)(64 * word + (size_t)__builtin_ctzll(bits));
            shared->places[shared->n_places++] = place;
            shared->n_having[place]++;
        }
        way->found.bits[word] = 0;
    }
    shared->ids[shared->n_documents++] = document;
    shared->bounds[shared->n_documents] = (int64_t)shared->n_places;
    return 1;
}

/* Finds the places of each document, all its parts together. Returns SHARED_WHOLE, or why it stopped. */
static int read_all(const asked_t *asked, way_t *way, shared_t *shared) {
    const wanted_part_t *parts = way->parts;
    for (size_t i = 0; i < asked->n_parts; i++) {
        const uint32_t document = parts[i].part.document;
        shared->document = document;
        if (i + AHEAD < asked->n_parts) fetch(&parts[i + AHEAD]);
        if (parts[i].at && !mark_part(&parts[i], asked->paged_bytes, way)) return SHARED_DAMAGED;
        if (i + 1 < asked->n_parts && parts[i + 1].part.document == document) continue;
        if (!take_places(way, document, shared)) return SHARED_NO_MEMORY;
    }
    return SHARED_WHOLE;
}

/* Finds all records, and the size of the largest. Returns SHARED_WHOLE, or why a record is not there. */
static int find_records(const asked_t *asked, way_t *way, shared_t *shared, size_t *largest) {
    *largest = 0;
    for (size_t i = 0; i < asked->n_parts; i++) {
        shared->document = way->parts[i].part.document;
        int status = find_record(asked, &way->parts[i]);
        if (status != SHARED_WHOLE) return status;
        if (way->parts[i].n_bytes > *largest) *largest = way->parts[i].n_bytes;
    }
    return SHARED_WHOLE;
}

static int find(const asked_t *asked, way_t *way, shared_t *shared) {
    size_t largest;
    if (!shared->ids || !shared->bounds || !shared->n_having || !way->parts || !way->found.bits) return SHARED_NO_MEMORY;
    if (!order_parts(asked, way->parts)) return SHARED_NO_MEMORY;
    int status = find_records(asked, way, shared, &largest);
    if (status != SHARED_WHOLE) return status;
    way->hashes = malloc((largest + 1) * sizeof *way->hashes);
    if (!wanted_make(&way->wanted, asked->hashes, asked->weights, asked->n_hashes) || !way->hashes)
        return SHARED_NO_MEMORY;
    status = read_all(asked, way, shared);
    wanted_spread(&way->wanted, shared->n_having);
    return status;
}

void shared_find(const asked_t *asked, shared_t *shared) {
    const size_t n_words = asked->n_hashes / 64 + 1;
    way_t way = {.parts = malloc((asked->n_parts + 1) * sizeof *way.parts),
                 .found = {calloc(n_words, sizeof(uint64_t)), n_words}};
    *shared = (shared_t){.ids = malloc((asked->n_parts + 1) * sizeof *shared->ids),
                         .bounds = calloc(asked->n_parts + 1, sizeof *shared->bounds),
                         .n_having = calloc(asked->n_hashes + 1, sizeof *shared->n_having)};
    shared->status = find(asked, &way, shared);
    wanted_free(&way.wanted);
    free(way.parts), free(way.found.bits), free(way.hashes);
}

void shared_free(shared_t *shared) {
    free(shared->ids), free(shared->places), free(shared->bounds), free(shared->n_having);
}
