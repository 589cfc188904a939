/* The fingerprint of a text, in one pass over its chunks.
 *
 *     values   token hashes whose shingles are not made yet; order-free: mixed. No shingle reaches over more than 2n
 *              tokens, so 2n - 1 values stay until the next chunk
 *     longs    whether each of them is a long word; all zero if no word is long
 *     hashes   shingle hashes of the open segment, their upper 32 bits. The segment is closed when its last shingle is
 *              made
 *     lows     the lower 32 bits, if hashes are wide
 *
 * The words are listed beside, if asked for: wordlist.c.
 */

#include "samples.h"
#include "shingles.h"
#include "tokens.h"
#include "wordlist.h"

void sampler_free(sampler_t *s) {
    array_t *arrays[] = {&s->values, &s->singles,     &s->longs,       &s->value_starts, &s->hashes,   &s->lows,
                         &s->starts, &s->tokens,      &s->kept,        &s->kept_starts,  &s->kept_tokens,
                         &s->bounds, &s->selected,    &s->are_words,   &s->keys,         &s->bits,     &s->words};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]->bytes);
    free(s->cuts.cut_tokens);
    select_free(&s->select);
    chunk_free(&s->chunk);
}

static size_t n_values(const sampler_t *s) { return s->values.size / sizeof(uint64_t); }
static size_t n_hashes(const sampler_t *s) { return s->hashes.size / sizeof(uint32_t); }

/* Returns the number of segments. A tail under a quarter of a segment joins the segment before: docs/text.md, section
 * 4. */
static size_t count_segments(size_t n_chars, size_t segment_chars) {
    if (!n_chars) return 0;
    size_t n = (n_chars - 1) / segment_chars + 1, tail = n_chars - (n - 1) * segment_chars;
    return n > 1 && tail < (segment_chars + 3) / 4 ? n - 1 : n;
}

static uint64_t quota_of(const sampler_t *s) {
    size_t begin = s->segment * s->options->segment_chars, end = begin + s->options->segment_chars;
    double share = s->options->density * (double)((s->segment + 1 < s->cuts.n_segments ? end : s->n_chars) - begin);
    uint64_t quota = (uint64_t)share;
    quota += (double)quota < share;
    return quota > s->options->min_hashes ? quota : s->options->min_hashes;
}

static bool push_u32(array_t *array, uint32_t value) {
    uint32_t *room = array_room(array, sizeof value);
    if (!room) return false;
    *room = value;
    array->size += sizeof value;
    return true;
}

/* Returns the hash of the shingle at a place of the segment, of which the upper half is known. */
static uint64_t wide_hash(const sampler_t *s, uint32_t upper, size_t place) {
    uint64_t hash = (uint64_t)upper << 32 | ((const uint32_t *)s->lows.bytes)[place];
    return hash & UINT64_MAX << (64 - s->options->hash_bits);
}

/* Keeps the n selected hashes, ascending. */
static bool keep_hashes(sampler_t *s, size_t n) {
    const uint64_t *sorted = s->select.sorted;
    const size_t size = n * hash_bytes(s->options);
    void *room = array_room(&s->kept, size + 1);
    if (!room) return false;
    if (is_wide(s->options))
        for (size_t i = 0; i < n; i++)
            ((uint64_t *)room)[i] = wide_hash(s, (uint32_t)(sorted[i] >> 32), (uint32_t)sorted[i]);
    else
        for (size_t i = 0; i < n; i++) ((uint32_t *)room)[i] = (uint32_t)(sorted[i] >> 32);
    s->kept.size += size;
    return true;
}

/* Keeps the n selected hashes of n_all, in text order, with their places. */
static bool keep_places(sampler_t *s, size_t n, size_t n_all) {
    const uint32_t *hashes = (const uint32_t *)s->hashes.bytes, *starts = (const uint32_t *)s->starts.bytes;
    const uint32_t *tokens = (const uint32_t *)s->tokens.bytes;
    const size_t n_words = n_all / 64 + 1, size = n * sizeof(uint32_t), starts_size = s->options->starts ? size : 0;
    const size_t kept_size = n * hash_bytes(s->options);
    uint64_t *selected = array_room(&s->selected, n_words * sizeof *selected);
    uint32_t *token = array_room(&s->kept_tokens, size + 1), *at = array_room(&s->kept_starts, starts_size + 1);
    void *kept = array_room(&s->kept, kept_size + 1);
    uint64_t *wide = is_wide(s->options) ? kept : NULL;
    uint32_t *narrow = kept;
    if (!selected || !kept || !token || !at) return false;
    memset(selected, 0, n_words * sizeof *selected);
    for (size_t i = 0; i < n; i++) set_bit(selected, (uint32_t)s->select.sorted[i]);
    for (size_t word = 0; word < n_words; word++)
        for (uint64_t bits = selected[word]; bits; bits &= bits - 1) {
            size_t i = 64 * word + (size_t)__builtin_ctzll(bits);
            if (wide) *wide++ = wide_hash(s, hashes[i], i);
            else *narrow++ = hashes[i];
            *token++ = tokens[i];
            if (starts_size) *at++ = starts[i];
        }
    s->kept.size += kept_size, s->kept_tokens.size += size, s->kept_starts.size += starts_size;
    return true;
}

/* Closes a segment, which is the first `n` hashes: keeps the smallest of them and drops all n. */
static bool close_segment(sampler_t *s, size_t n) {
    const bool positions = s->options->positions;
    ptrdiff_t found =
        select_smallest(&s->select, s->chunk.table->ops, (const uint32_t *)s->hashes.bytes, n, quota_of(s));
    if (found < 0 || !(positions ? keep_places(s, (size_t)found, n) : keep_hashes(s, (size_t)found))) return false;
    array_drop(&s->hashes, n * sizeof(uint32_t));
    if (is_wide(s->options)) array_drop(&s->lows, n * sizeof(uint32_t));
    if (positions) array_drop(&s->tokens, n * sizeof(uint32_t));
    if (s->options->starts) array_drop(&s->starts, n * sizeof(uint32_t));
    s->segment++;
    return push_u32(&s->bounds, (uint32_t)(s->kept.size / hash_bytes(s->options)));
}

/* Closes the segments that end at or before token `n_made`. The hashes are those of the tokens just before `n_made`,
 * one each. Hashes behind the end of the last closed segment stay. */
static bool close_segments(sampler_t *s, size_t n_made) {
    while (s->segment + 1 < s->cuts.next && s->cuts.cut_tokens[s->segment + 1] <= n_made) {
        size_t behind = n_made - s->cuts.cut_tokens[s->segment + 1];
        if (!close_segment(s, n_hashes(s) - behind)) return false;
    }
    return true;
}

/* Takes which tokens of the chunk are words of the list. */
static bool take_are_words(sampler_t *s) {
    chunk_t *chunk = &s->chunk;
    uint8_t *are_words = array_room(&s->are_words, chunk->n_tokens + 1);
    if (!are_words) return false;
    chunk->table->ops->longs(&chunk->fold, &chunk->tokens, chunk->n_tokens, WORD_LETTERS, are_words);
    s->are_words.size += chunk->n_tokens;
    return true;
}

/* Takes the tokens of the chunk. */
static bool take_tokens(sampler_t *s) {
    chunk_t *chunk = &s->chunk;
    size_t n = chunk->n_tokens;
    uint64_t *values = array_room(&s->values, (n + 1) * sizeof *values); /* shingles may read one value past the last */
    uint8_t *singles = array_room(&s->singles, n + 1), *longs = array_room(&s->longs, n + 1);
    if (!values || !singles || !longs || !chunk_hashes(chunk, values)) return false;
    if (s->options->long_letters)
        chunk->table->ops->longs(&chunk->fold, &chunk->tokens, n, s->options->long_letters, longs);
    else
        memset(longs, 0, n);
    if (s->options->words && !take_are_words(s)) return false;
    if (!s->options->ordered)
        for (size_t i = 0; i < n; i++) values[i] = fmix64(values[i]);
    values[n] = 0;
    if (chunk->fold.has_singles)
        memcpy(singles, chunk->tokens.singles, n);
    else
        memset(singles, 0, n);
    if (s->options->starts) {
        uint32_t *starts = array_room(&s->value_starts, n * sizeof *starts + 1);
        if (!starts) return false;
        for (size_t i = 0; i < n; i++) starts[i] = chunk_token_start(chunk, i);
        s->value_starts.size += n * sizeof *starts;
    }
    s->values.size += n * sizeof *values;
    s->singles.size += n;
    s->longs.size += n;
    return true;
}

static shape_t shape_of(const sampler_t *s) {
    return (shape_t){s->options->shingle_tokens, s->options->ordered ? SHINGLE_STEP : 1, s->options->long_letters > 0};
}

/* Most tokens that two long words of a shingle are apart. */
static size_t reach_of(const sampler_t *s) { return 2 * s->options->shingle_tokens - 1; }

/* Makes the shingles whose tokens are all there. */
static bool make_shingles(sampler_t *s) {
    size_t lag = 2 * s->options->shingle_tokens - 1;
    if (n_values(s) <= lag) return true;
    size_t n = n_values(s) - lag, size = n * sizeof(uint32_t);
    halves_t hashes = {array_room(&s->hashes, size), NULL};
    if (!hashes.upper) return false;
    if (is_wide(s->options) && !(hashes.lower = array_room(&s->lows, size))) return false;
    const uint64_t *values = (const uint64_t *)s->values.bytes;
    const shape_t shape = shape_of(s);
    s->chunk.table->ops->shingles(values, s->singles.bytes, n, &shape, hashes.upper);
    if (hashes.lower) shingle_lows(values, s->singles.bytes, n, &shape, hashes.lower);
    if (s->options->long_letters) {
        const long_words_t words = {s->longs.bytes, n_values(s), reach_of(s), !s->options->ordered};
        s->chunk.table->ops->join_long_words(values, &words, n, hashes);
    }
    s->hashes.size += size;
    if (hashes.lower) s->lows.size += size;
    if (s->options->positions) {
        uint32_t *tokens = array_room(&s->tokens, size);
        if (!tokens) return false;
        for (size_t i = 0; i < n; i++) tokens[i] = (uint32_t)(s->first_token + i);
        s->tokens.size += size;
    }
    if (s->options->starts) {
        uint32_t *starts = array_room(&s->starts, size);
        if (!starts) return false;
        memcpy(starts, s->value_starts.bytes, size);
        s->starts.size += size;
        array_drop(&s->value_starts, size);
    }
    if (s->options->words && !wordlist_take(s, n)) return false;
    array_drop(&s->values, n * sizeof(uint64_t));
    array_drop(&s->singles, n);
    array_drop(&s->longs, n);
    s->first_token += n;
    s->n_shingles += n;
    return close_segments(s, s->first_token);
}

/* Returns the tokens of the shingle at a value. Fewer tokens may be left. */
static size_t length_at(const sampler_t *s, size_t at) { return s->options->shingle_tokens << s->singles.bytes[at]; }

/* Returns how many tokens behind a value the other long word of its shingle is; 0 if there is none. */
static size_t partner_of(const sampler_t *s, size_t at) {
    const uint8_t *longs = s->longs.bytes + at;
    if (!*longs) return 0;
    for (size_t apart = 1; apart <= reach_of(s) && at + apart < n_values(s); apart++)
        if (longs[apart]) return apart;
    return 0;
}

/* Returns whether a shingle begins at a value. */
static bool begins_shingle(const sampler_t *s, size_t at) {
    return n_values(s) - at >= length_at(s, at) || partner_of(s, at);
}

/* Makes the shingle at a value: of two long words, or of `length` tokens. */
static bool push_shingle(sampler_t *s, size_t at, size_t length) {
    const uint64_t *values = (const uint64_t *)s->values.bytes + at;
    const shape_t shape = shape_of(s);
    size_t partner = partner_of(s, at);
    uint64_t hash;
    if (partner && s->options->ordered)
        hash = joined_hash(fmix64(values[0]), fmix64(values[partner]));
    else if (partner)
        hash = joined_hash(values[0], values[partner]);
    else
        hash = weighed_hash(fmix64(window_sum(values, length, shape.step) + length * SHINGLE_LENGTH),
                            shape.thin || s->singles.bytes[at]);
    s->n_shingles++;
    if (!push_u32(&s->hashes, (uint32_t)(hash >> 32))) return false;
    if (is_wide(s->options) && !push_u32(&s->lows, (uint32_t)hash)) return false;
    if (s->options->positions && !push_u32(&s->tokens, (uint32_t)(s->first_token + at))) return false;
    return !s->options->starts || push_u32(&s->starts, ((const uint32_t *)s->value_starts.bytes)[at]);
}

/* Returns whether the text has tokens and no shingle, and so is one shingle itself. Known only at the end. */
static bool is_one_shingle(const sampler_t *s) {
    for (size_t at = 0; at < n_values(s); at++)
        if (begins_shingle(s, at)) return false;
    return s->n_shingles == 0;
}

/* Makes the last shingles, one by one, since some tokens at the end begin no shingle. Closes the last segments. */
static bool make_last_shingles(sampler_t *s) {
    size_t n = n_values(s);
    bool whole = is_one_shingle(s);
    for (size_t at = 0; at < n; at++) {
        bool is_whole = whole && at == 0;
        /* All hashes so far belong to tokens before this token. */
        while (s->segment + 1 < s->cuts.n_segments && s->cuts.cut_tokens[s->segment + 1] <= s->first_token + at)
            if (!close_segment(s, n_hashes(s))) return false;
        if ((is_whole || begins_shingle(s, at)) && !push_shingle(s, at, is_whole ? n : length_at(s, at))) return false;
    }
    while (s->segment < s->cuts.n_segments)
        if (!close_segment(s, n_hashes(s))) return false;
    return !s->options->words || (wordlist_take(s, n) && wordlist_end(s));
}

static bool sample(sampler_t *s) {
    int more;
    if (!push_u32(&s->bounds, 0)) return false;
    while ((more = chunk_next(&s->chunk, &s->cuts)) == 1)
        if (!take_tokens(s) || !make_shingles(s)) return false;
    return more == 0 && make_last_shingles(s);
}

static bool sampler_start(sampler_t *s, const table_t *table, const uint8_t *text, size_t size) {
    array_t *arrays[] = {&s->values, &s->singles,     &s->longs,       &s->value_starts, &s->hashes,   &s->lows,
                         &s->starts, &s->tokens,      &s->kept,        &s->kept_starts,  &s->kept_tokens,
                         &s->bounds, &s->selected,    &s->are_words,   &s->keys,         &s->bits,     &s->words};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) arrays[i]->size = 0;
    s->first_token = s->n_shingles = s->segment = s->part = 0;
    size_t n = count_segments(s->n_chars, s->options->segment_chars);
    s->cuts.segment_chars = s->options->segment_chars;
    s->cuts.n_segments = n;
    s->cuts.next = 1;
    s->cuts.n_tokens = 0;
    if (n + 1 > s->cuts_capacity) {
        free(s->cuts.cut_tokens);
        s->cuts.cut_tokens = malloc((n + 1) * sizeof *s->cuts.cut_tokens);
        s->cuts_capacity = s->cuts.cut_tokens ? n + 1 : 0;
    }
    return s->cuts.cut_tokens && chunk_start(&s->chunk, table, text, size, s->options->starts);
}

int sampler_take(sampler_t *s, const table_t *table, const uint8_t *text, size_t size, const options_t *options) {
    if (!table->ops->count_utf8(text, size, &s->n_chars)) return TEXT_NOT_UTF8;
    s->options = options;
    return sampler_start(s, table, text, size) && sample(s) ? TEXT_OK : TEXT_NO_MEMORY;
}

int text_sample(const table_t *table, const uint8_t *text, size_t size, const options_t *options, result_t *result) {
    sampler_t s = {0};
    int status = sampler_take(&s, table, text, size, options);
    if (status == TEXT_OK) {
        *result = (result_t){.n_chars = s.n_chars,
                             .n_tokens = s.cuts.n_tokens,
                             .n_shingles = s.n_shingles,
                             .n_mixed = s.chunk.total_mixed,
                             .n_invisible = s.chunk.total_invisible};
        array_t *parts[] = {&s.kept, &s.kept_starts, &s.kept_tokens, &s.bounds, &s.words};
        for (int part = 0; part < 5; part++) result_move(result, part, parts[part]);
    }
    sampler_free(&s);
    return status;
}
