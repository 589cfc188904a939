/* The fingerprints of many texts that lie in one buffer. */

#include "samples.h"

static bool push_i64(array_t *array, int64_t value) {
    int64_t *room = array_room(array, sizeof value);
    if (!room) return false;
    *room = value;
    array->size += sizeof value;
    return true;
}

/* Adds the parts that the sampler holds. Returns false if out of memory. */
static bool keep(array_t *columns, const sampler_t *s) {
    const uint32_t *bounds = (const uint32_t *)s->bounds.bytes;
    size_t n_bounds = s->bounds.size / sizeof *bounds, before = columns[SAMPLES_HASHES].size / hash_bytes(s->options);
    uint8_t *hashes = array_room(&columns[SAMPLES_HASHES], s->kept.size + 1);
    if (!hashes) return false;
    if (s->kept.size) memcpy(hashes, s->kept.bytes, s->kept.size);
    columns[SAMPLES_HASHES].size += s->kept.size;
    for (size_t part = 1; part < n_bounds; part++)
        if (!push_i64(&columns[SAMPLES_BOUNDS], (int64_t)(before + bounds[part]))) return false;
    return true;
}

/* Adds the word list that the sampler holds. Returns false if out of memory. */
static bool keep_words(array_t *words, const sampler_t *s) {
    uint8_t *room = array_room(words, s->words.size + 1);
    if (!room) return false;
    if (s->words.size) memcpy(room, s->words.bytes, s->words.size);
    words->size += s->words.size;
    return true;
}

/* Adds the numbers of a text whose parts and words are added. Returns false if out of memory. */
static bool end_text(array_t *columns, int64_t n_chars, int64_t n_tokens) {
    return push_i64(&columns[SAMPLES_CHARS], n_chars) && push_i64(&columns[SAMPLES_TOKENS], n_tokens) &&
           push_i64(&columns[SAMPLES_WORD_BOUNDS], (int64_t)columns[SAMPLES_WORDS].size) &&
           push_i64(&columns[SAMPLES_FIRSTS], (int64_t)(columns[SAMPLES_BOUNDS].size / 8 - 1));
}

bool samples_begin(samples_t *samples) {
    *samples = (samples_t){0};
    array_t *columns = samples->columns;
    return push_i64(&columns[SAMPLES_BOUNDS], 0) && push_i64(&columns[SAMPLES_FIRSTS], 0) &&
           push_i64(&columns[SAMPLES_WORD_BOUNDS], 0);
}

int samples_add(samples_t *samples, const table_t *table, const uint8_t *text, size_t size, const options_t *options) {
    sampler_t *s = &samples->sampler;
    int status = sampler_take(s, table, text, size, options);
    if (status != TEXT_OK) return status;
    bool is_room = keep(samples->columns, s) && keep_words(&samples->columns[SAMPLES_WORDS], s) &&
                   end_text(samples->columns, (int64_t)s->n_chars, (int64_t)s->cuts.n_tokens);
    return is_room ? TEXT_OK : TEXT_NO_MEMORY;
}

void samples_end(samples_t *samples, bool is_well, result_t *result) {
    sampler_free(&samples->sampler);
    *result = (result_t){0};
    for (int part = 0; part < N_SAMPLES_COLUMNS; part++) result_move(result, part, &samples->columns[part]);
    if (!is_well) result_free(result);
}

int text_samples(const table_t *table, const texts_t *texts, const options_t *options, result_t *result) {
    samples_t samples;
    bool is_well = samples_begin(&samples);
    for (size_t i = 0; is_well && i < texts->n; i++) {
        size_t size = (size_t)(texts->stops[i] - texts->starts[i]);
        int status = samples_add(&samples, table, texts->bytes + texts->starts[i], size, options);
        is_well = status == TEXT_OK || (status == TEXT_NOT_UTF8 && end_text(samples.columns, -1, 0));
    }
    samples_end(&samples, is_well, result);
    return is_well ? TEXT_OK : TEXT_NO_MEMORY;
}
