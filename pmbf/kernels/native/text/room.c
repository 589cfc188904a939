/* The memory that a chunk is folded into. */

#include "text.h"

bool fold_reserve(fold_t *fold, size_t capacity) {
    size_t bits = (capacity + SLACK) / 64 + 2;
    uint8_t *bytes = realloc(fold->bytes, capacity + SLACK);
    if (bytes) fold->bytes = bytes;
    uint64_t *begins = realloc(fold->begins, bits * sizeof *begins);
    if (begins) fold->begins = begins;
    uint64_t *singles = realloc(fold->singles, bits * sizeof *singles);
    if (singles) fold->singles = singles;
    bool done = bytes && begins && singles;
    if (fold->map) {
        uint32_t *map = realloc(fold->map, (capacity + SLACK) * sizeof *map);
        if (map) fold->map = map;
        done = done && map;
    }
    if (!done) return false;
    if (fold->has_singles) {
        size_t old = (fold->capacity + SLACK) / 64 + 2;
        memset(begins + old, 0, (bits - old) * sizeof *begins);
        memset(singles + old, 0, (bits - old) * sizeof *singles);
    }
    fold->capacity = capacity;
    return true;
}

void fold_free(fold_t *fold) {
    free(fold->bytes);
    free(fold->begins);
    free(fold->singles);
    free(fold->map);
}

bool fold_open(fold_t *fold, const uint8_t *begin, const uint8_t *end) {
    fold->begin = fold->in = begin;
    fold->end = end;
    fold->consumed = NULL;
    fold->n = fold->n_invisible = 0;
    fold->has_singles = fold->after_single = fold->wide = false;
    size_t needed = (size_t)(end - begin) + SLACK;
    return needed <= fold->capacity || fold_reserve(fold, needed);
}

void fold_first_single(fold_t *fold) {
    if (fold->has_singles) return;
    size_t bits = (fold->capacity + SLACK) / 64 + 2;
    memset(fold->begins, 0, bits * sizeof *fold->begins);
    memset(fold->singles, 0, bits * sizeof *fold->singles);
    fold->has_singles = true;
}
