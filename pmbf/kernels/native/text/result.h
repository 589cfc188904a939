/* The text kernels and their results: numbers, and arrays that are copied end to end. */

#pragma once

#include "text.h"

enum { MOST_PARTS = 7 };

typedef struct {
    uint64_t n_chars, n_tokens, n_shingles, n_mixed, n_invisible;
    uint64_t sizes[MOST_PARTS]; /* sizes of the parts in bytes */
    void *parts[MOST_PARTS];    /* freed by `result_take` or `result_free` */
} result_t;

typedef struct {
    uint64_t shingle_tokens, long_letters, min_hashes, segment_chars;
    double density;
    bool ordered, positions, starts, words; /* starts only with positions */
    uint64_t hash_bits;              /* of a sampled hash, 32 to 64 */
} options_t;

/* Hashes of more than 32 bits are uint64: their bits are the upper ones, and the others are 0. */
static inline bool is_wide(const options_t *options) { return options->hash_bits > 32; }
static inline size_t hash_bytes(const options_t *options) { return is_wide(options) ? 8 : 4; }

/* The three kernels. Each fills `result` and returns TEXT_OK, TEXT_NOT_UTF8 or TEXT_NO_MEMORY. If it is not TEXT_OK,
 * then the kernel has freed what it allocated. */

/* Parts: hashes of a text's sample, uint32, or uint64 if they are wide; starts, tokens and bounds, uint32; its word
 * list, uint8. Starts, tokens and the list are empty if not asked for. */
int text_sample(const table_t *table, const uint8_t *text, size_t size, const options_t *options, result_t *result);
/* Parts: hashes uint64, starts and stops uint32, singles uint8 of a text's tokens. */
int text_tokenise(const table_t *table, const uint8_t *text, size_t size, result_t *result);
/* Parts: origins of the folded characters and of the end, uint32; the folded text in UTF-8. */
int text_fold(const table_t *table, const uint8_t *text, size_t size, result_t *result);
/* The parts of `text_tokenise`; for each token the bytes of the text that it stands in, then the bytes of its letters in
 * the folded text, start and stop, uint32; the folded text in UTF-8. All from one fold. */
enum { READY_HASHES, READY_STARTS, READY_STOPS, READY_SINGLES, READY_BYTES, READY_LETTERS, READY_FOLDED };
int text_ready(const table_t *table, const uint8_t *text, size_t size, result_t *result);

static inline void result_free(result_t *result) {
    for (int part = 0; part < MOST_PARTS; part++) free(result->parts[part]);
}

/* Copies the parts to `out`, one after the other, and frees them. */
static inline void result_take(result_t *result, uint8_t *out) {
    for (int part = 0; part < MOST_PARTS; part++) {
        if (result->sizes[part]) memcpy(out, result->parts[part], result->sizes[part]);
        out += result->sizes[part];
    }
    result_free(result);
}

/* An array that grows. */
typedef struct {
    uint8_t *bytes;
    size_t size, capacity;
} array_t;

/* Makes room for `more` bytes after the used bytes. Returns where the room begins, or NULL if out of memory. */
static inline void *array_room(array_t *array, size_t more) {
    if (array->size + more > array->capacity) {
        size_t capacity = array->size + array->size / 2 + more;
        uint8_t *bytes = realloc(array->bytes, capacity);
        if (!bytes) return NULL;
        array->bytes = bytes;
        array->capacity = capacity;
    }
    return array->bytes + array->size;
}

/* Drops the first `size` bytes. */
static inline void array_drop(array_t *array, size_t size) {
    array->size -= size;
    if (array->size) memmove(array->bytes, array->bytes + size, array->size);
}

static inline void result_move(result_t *result, int part, array_t *array) {
    result->parts[part] = array->bytes;
    result->sizes[part] = array->size;
    *array = (array_t){0};
}
