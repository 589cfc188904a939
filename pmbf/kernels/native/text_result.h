/* What a kernel hands to Python: numbers, and arrays laid end to end. The interface of native_text.py. */

#ifndef PMBF_TEXT_RESULT_H
#define PMBF_TEXT_RESULT_H

#include "text.h"

enum { MOST_PARTS = 4 };

typedef struct {
    uint64_t n_chars, n_tokens, n_shingles, n_mixed, n_invisible;
    uint64_t sizes[MOST_PARTS]; /* of the parts, in bytes */
    void *parts[MOST_PARTS];    /* freed by `pmbf_text_take` */
} result_t;

/* An array that grows. */
typedef struct {
    uint8_t *bytes;
    size_t size, capacity;
} array_t;

/* Makes room for `more` bytes after those in use, and returns where they go; NULL when out of memory. */
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

#endif
