/* A text made ready to be compared, from one fold: its tokens, its words and the borders between them. */

#include "asked.h"

enum { HASHES, STARTS, STOPS, SINGLES, BYTES, LETTERS, FOLDED }; /* parts of `text_ready` */

static bool take_memory(ready_t *ready) {
    size_t n = (size_t)ready->text.n;
    uint8_t *at = ready->memory = malloc(n * (sizeof(uint64_t) + 3 * sizeof(uint32_t)) + n + 1);
    if (!at) return false;
    ready->text.keys = (uint64_t *)(void *)at;
    at += n * sizeof(uint64_t);
    ready->text.types = (int32_t *)(void *)at;
    at += n * sizeof(int32_t);
    ready->text.firsts = (uint32_t *)(void *)at;
    at += n * sizeof(uint32_t);
    ready->times = (int32_t *)(void *)at;
    at += n * sizeof(int32_t);
    ready->text.borders = at;
    return true;
}

int ready_make(ready_t *ready, const table_t *table, const uint8_t *utf8, size_t size) {
    *ready = (ready_t){.n_types = 0};
    int status = text_ready(table, utf8, size, &ready->parts);
    if (status != TEXT_OK) {
        ready->parts = (result_t){.n_chars = 0};
        return status;
    }
    const result_t *parts = &ready->parts;
    ready->text = (text_t){.text = utf8,
                           .folded = parts->parts[FOLDED],
                           .text_size = (int64_t)size,
                           .folded_size = (int64_t)parts->sizes[FOLDED],
                           .n = (int64_t)parts->n_tokens,
                           .starts = parts->parts[STARTS],
                           .stops = parts->parts[STOPS],
                           .bytes = parts->parts[BYTES],
                           .letters = parts->parts[LETTERS],
                           .singles = parts->parts[SINGLES]};
    if (!take_memory(ready)) return TEXT_NO_MEMORY;
    ready->n_types = words_find(&ready->text);
    if (ready->n_types < 0) return TEXT_NO_MEMORY;
    memset(ready->times, 0, (size_t)ready->n_types * sizeof *ready->times);
    for (int64_t token = 0; token < ready->text.n; token++) {
        ready->times[ready->text.types[token]]++;
        ready->n_singles += ready->text.singles[token];
    }
    return TEXT_OK;
}

void ready_free(ready_t *ready) {
    result_free(&ready->parts);
    free(ready->memory);
}
