/* The tokens of a text, and the folded text, both with offsets in the original. */

#include "chunk.h"
#include "result.h"
#include "utf8.h"

/* hashes uint64, starts, stops uint32, singles uint8 */
enum { HASHES, STARTS, STOPS, SINGLES };

static bool append_tokens(chunk_t *chunk, array_t *parts) {
    size_t n = chunk->n_tokens;
    uint64_t *hashes = array_room(&parts[HASHES], n * sizeof *hashes + 1);
    uint32_t *starts = array_room(&parts[STARTS], n * sizeof *starts + 1);
    uint32_t *stops = array_room(&parts[STOPS], n * sizeof *stops + 1);
    uint8_t *singles = array_room(&parts[SINGLES], n + 1);
    if (!hashes || !starts || !stops || !singles || !chunk_hashes(chunk, hashes)) return false;
    for (size_t i = 0; i < n; i++) {
        starts[i] = chunk_token_start(chunk, i);
        stops[i] = chunk_token_stop(chunk, i);
    }
    if (chunk->fold.has_singles)
        memcpy(singles, chunk->tokens.singles, n);
    else
        memset(singles, 0, n);
    parts[HASHES].size += n * sizeof *hashes;
    parts[STARTS].size += n * sizeof *starts;
    parts[STOPS].size += n * sizeof *stops;
    parts[SINGLES].size += n;
    return true;
}

/* folded UTF-8, then where each folded character begins in the original, uint32 */
enum { ORIGINS, TEXT };

/* Appends the chunk's folded letters from `from` on. */
static void append_letters(const chunk_t *chunk, array_t *parts, size_t from, size_t size) {
    const fold_t *fold = &chunk->fold;
    const uint8_t *at = fold->bytes + from;
    const uint32_t *map = fold->map + from;
    uint32_t *origins = (uint32_t *)(parts[ORIGINS].bytes + parts[ORIGINS].size);
    size_t n = size;
    if (fold->wide) {
        n = 0;
        for (size_t i = 0; i < size; i++) { /* the number written for a second or third byte is overwritten */
            origins[n] = chunk->chars[map[i]];
            n += !is_tail(at[i]);
        }
    } else {
        for (size_t i = 0; i < size; i++) origins[i] = chunk->chars[map[i]];
    }
    memcpy(parts[TEXT].bytes + parts[TEXT].size, at, size);
    parts[ORIGINS].size += n * sizeof *origins;
    parts[TEXT].size += size;
}

/* Appends a repaired token. Each letter has the origin of the chunk's letter in its place. */
static void append_repaired(const chunk_t *chunk, array_t *parts, size_t from, size_t size) {
    const fold_t *fold = &chunk->fold;
    uint32_t *origins = (uint32_t *)(parts[ORIGINS].bytes + parts[ORIGINS].size);
    size_t n = 0;
    for (const uint8_t *byte = chunk->repaired; byte < chunk->repaired + size; byte += utf8_width(*byte)) {
        origins[n++] = chunk->chars[fold->map[from]];
        from += utf8_width(fold->bytes[from]);
    }
    memcpy(parts[TEXT].bytes + parts[TEXT].size, chunk->repaired, size);
    parts[ORIGINS].size += n * sizeof *origins;
    parts[TEXT].size += size;
}

/* Appends the chunk with its mixed tokens repaired. A repaired letter has at most twice the bytes of the original. */
static bool append_folded(chunk_t *chunk, array_t *parts) {
    const fold_t *fold = &chunk->fold;
    size_t from = 0;
    if (!array_room(&parts[TEXT], 2 * fold->n + 1)) return false;
    if (!array_room(&parts[ORIGINS], (fold->n + 1) * sizeof(uint32_t))) return false;
    for (size_t i = 0; i < chunk->n_mixed; i++) {
        uint32_t token = chunk->mixed[i], start = chunk->tokens.starts[token];
        bool changed;
        ptrdiff_t size = mixed_repair(chunk, token, &changed);
        if (size < 0) return false;
        append_letters(chunk, parts, from, start - from);
        append_repaired(chunk, parts, start, (size_t)size);
        from = chunk->tokens.stops[token];
    }
    append_letters(chunk, parts, from, fold->n - from);
    return true;
}

static bool append_end(array_t *origins, size_t n_chars) {
    uint32_t end = (uint32_t)n_chars, *room = array_room(origins, sizeof end);
    if (!room) return false;
    *room = end;
    origins->size += sizeof end;
    return true;
}

typedef bool append_t(chunk_t *chunk, array_t *parts);

/* Calls `append` for each chunk, and gathers the results. */
static int gather(const table_t *table, const uint8_t *text, size_t size, append_t *append, result_t *result) {
    array_t parts[MOST_PARTS] = {0};
    chunk_t chunk = {0};
    size_t n_chars, n_tokens = 0;
    if (!table->ops->count_utf8(text, size, &n_chars)) return TEXT_NOT_UTF8;
    bool done = chunk_start(&chunk, table, text, size, true);
    int more = 1;
    while (done && (more = chunk_next(&chunk, NULL)) == 1) {
        done = append(&chunk, parts);
        n_tokens += chunk.n_tokens;
    }
    done = done && more == 0 && (append != append_folded || append_end(&parts[ORIGINS], n_chars));
    *result = (result_t){n_chars, n_tokens, 0, chunk.total_mixed, chunk.total_invisible, {0}, {0}};
    for (int part = 0; part < MOST_PARTS; part++) {
        if (!done) free(parts[part].bytes);
        else result_move(result, part, &parts[part]);
    }
    chunk_free(&chunk);
    return done ? TEXT_OK : TEXT_NO_MEMORY;
}

int text_tokenise(const table_t *table, const uint8_t *text, size_t size, result_t *result) {
    return gather(table, text, size, append_tokens, result);
}

int text_fold(const table_t *table, const uint8_t *text, size_t size, result_t *result) {
    return gather(table, text, size, append_folded, result);
}
