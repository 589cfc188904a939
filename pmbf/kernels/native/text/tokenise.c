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

/* Returns where the letters of the code points that a token stands in end: `chunk_token_stop`, in folded bytes. */
static uint32_t letters_end(const chunk_t *chunk, size_t token) {
    const uint32_t *map = chunk->fold.map;
    uint32_t stop = chunk->tokens.stops[token], last = map[stop - 1];
    while (map[stop] == last) stop++;
    return stop;
}

/* Appends for each token the bytes of the text that it stands in, and the bytes of its letters in the folded text, which
 * has `n_before` bytes before the chunk: start and stop of each. Letters of a code point that begins before the token
 * belong to it. */
static bool append_ranges(chunk_t *chunk, uint32_t n_before, array_t *parts) {
    size_t n = chunk->n_tokens, size = 2 * n * sizeof(uint32_t);
    const uint32_t *map = chunk->fold.map, first = (uint32_t)(chunk->fold.begin - (chunk->end - chunk->size));
    uint32_t *bytes = array_room(&parts[READY_BYTES], size + 1), *letters = array_room(&parts[READY_LETTERS], size + 1);
    if (!bytes || !letters) return false;
    for (size_t i = 0; i < n; i++) {
        uint32_t start = chunk->tokens.starts[i], stop = letters_end(chunk, i);
        bytes[2 * i] = first + map[start];
        bytes[2 * i + 1] = first + map[stop];
        while (start && map[start - 1] == map[start]) start--;
        letters[2 * i] = n_before + start;
        letters[2 * i + 1] = n_before + stop;
    }
    parts[READY_BYTES].size += size;
    parts[READY_LETTERS].size += size;
    return true;
}

/* Moves edges of letters, every other number of `edges`, behind the repaired tokens that end before them. `moved` has how
 * many bytes more each repaired token has, modulo 2^32. */
static void move_edges(const chunk_t *chunk, uint32_t n_before, const uint32_t *moved, uint32_t *edges) {
    uint32_t sum = 0;
    for (size_t i = 0, mixed = 0; i < chunk->n_tokens; i++) {
        for (; mixed < chunk->n_mixed && n_before + chunk->tokens.stops[chunk->mixed[mixed]] <= edges[2 * i]; mixed++)
            sum += moved[mixed];
        edges[2 * i] += sum;
    }
}

/* Appends the folded bytes with the mixed tokens repaired, and moves the letters behind them. */
static bool append_repairs(chunk_t *chunk, uint32_t n_before, array_t *parts) {
    const fold_t *fold = &chunk->fold;
    uint32_t *moved = malloc((chunk->n_mixed + 1) * sizeof *moved);
    uint8_t *out = array_room(&parts[READY_FOLDED], 2 * fold->n + 1);
    size_t from = 0, n = 0;
    bool done = moved && out;
    for (size_t i = 0; done && i < chunk->n_mixed; i++) {
        uint32_t token = chunk->mixed[i], start = chunk->tokens.starts[token], stop = chunk->tokens.stops[token];
        bool changed;
        ptrdiff_t size = mixed_repair(chunk, token, &changed);
        if (!(done = size >= 0)) break;
        memcpy(out + n, fold->bytes + from, start - from);
        n += start - from;
        memcpy(out + n, chunk->repaired, (size_t)size);
        n += (size_t)size;
        from = stop;
        moved[i] = (uint32_t)size - (stop - start);
    }
    if (done) {
        memcpy(out + n, fold->bytes + from, fold->n - from);
        parts[READY_FOLDED].size += n + fold->n - from;
        uint32_t *letters = (uint32_t *)(parts[READY_LETTERS].bytes + parts[READY_LETTERS].size) - 2 * chunk->n_tokens;
        for (int stop = 0; chunk->n_mixed && stop < 2; stop++) move_edges(chunk, n_before, moved, letters + stop);
    }
    free(moved);
    return done;
}

static bool append_ready(chunk_t *chunk, array_t *parts) {
    uint32_t n_before = (uint32_t)parts[READY_FOLDED].size;
    return append_tokens(chunk, parts) && append_ranges(chunk, n_before, parts) && append_repairs(chunk, n_before, parts);
}

/* Calls `append` for each chunk, and gathers the results. `origins` is the part that the end of the text is appended
 * to, or -1. */
static int gather(const table_t *table, const uint8_t *text, size_t size, append_t *append, int origins, result_t *result) {
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
    done = done && more == 0 && (origins < 0 || append_end(&parts[origins], n_chars));
    *result = (result_t){n_chars, n_tokens, 0, chunk.total_mixed, chunk.total_invisible, {0}, {0}};
    for (int part = 0; part < MOST_PARTS; part++) {
        if (!done) free(parts[part].bytes);
        else result_move(result, part, &parts[part]);
    }
    chunk_free(&chunk);
    return done ? TEXT_OK : TEXT_NO_MEMORY;
}

int text_tokenise(const table_t *table, const uint8_t *text, size_t size, result_t *result) {
    return gather(table, text, size, append_tokens, -1, result);
}

int text_fold(const table_t *table, const uint8_t *text, size_t size, result_t *result) {
    return gather(table, text, size, append_folded, ORIGINS, result);
}

int text_ready(const table_t *table, const uint8_t *text, size_t size, result_t *result) {
    return gather(table, text, size, append_ready, -1, result);
}
