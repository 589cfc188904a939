/* The fingerprints of many texts that lie in one buffer. */

#include "samples.h"

#include "sampler.h"

static bool push_i64(array_t *array, int64_t value) {
    int64_t *room = array_room(array, sizeof value);
    if (!room) return false;
    *room = value;
    array->size += sizeof value;
    return true;
}

/* Adds the sample of a text. Returns false if out of memory. */
static bool keep(array_t *columns, const sampler_t *s) {
    const uint32_t *bounds = (const uint32_t *)s->bounds.bytes;
    size_t n_bounds = s->bounds.size / sizeof *bounds, before = columns[SAMPLES_HASHES].size / sizeof *bounds;
    uint8_t *hashes = array_room(&columns[SAMPLES_HASHES], s->kept.size + 1);
    if (!hashes) return false;
    if (s->kept.size) memcpy(hashes, s->kept.bytes, s->kept.size);
    columns[SAMPLES_HASHES].size += s->kept.size;
    for (size_t part = 1; part < n_bounds; part++)
        if (!push_i64(&columns[SAMPLES_BOUNDS], (int64_t)(before + bounds[part]))) return false;
    return push_i64(&columns[SAMPLES_CHARS], (int64_t)s->n_chars) &&
           push_i64(&columns[SAMPLES_TOKENS], (int64_t)s->cuts.n_tokens);
}

/* Notes a text that is not UTF-8. */
static bool keep_none(array_t *columns) {
    return push_i64(&columns[SAMPLES_CHARS], -1) && push_i64(&columns[SAMPLES_TOKENS], 0);
}

int text_samples(const table_t *table, const texts_t *texts, const options_t *options, result_t *result) {
    array_t columns[N_SAMPLES_COLUMNS] = {{0}};
    sampler_t s = {0};
    bool is_room = push_i64(&columns[SAMPLES_BOUNDS], 0) && push_i64(&columns[SAMPLES_FIRSTS], 0);
    for (size_t i = 0; is_room && i < texts->n; i++) {
        size_t size = (size_t)(texts->stops[i] - texts->starts[i]);
        int status = sampler_take(&s, table, texts->bytes + texts->starts[i], size, options);
        is_room = status == TEXT_OK ? keep(columns, &s) : status == TEXT_NOT_UTF8 && keep_none(columns);
        is_room = is_room && push_i64(&columns[SAMPLES_FIRSTS], (int64_t)(columns[SAMPLES_BOUNDS].size / 8 - 1));
    }
    sampler_free(&s);
    *result = (result_t){0};
    for (int part = 0; part < N_SAMPLES_COLUMNS; part++) result_move(result, part, &columns[part]);
    if (!is_room) result_free(result);
    return is_room ? TEXT_OK : TEXT_NO_MEMORY;
}
