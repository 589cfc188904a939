/* Cuts a text into chunks, folds the chunks, finds and hashes their tokens. text.h has a drawing. */

#include "chunk.h"

#include "murmur.h"
#include "utf8.h"

bool chunk_start(chunk_t *chunk, const table_t *table, const uint8_t *text, size_t size, bool mapped) {
    chunk->table = chunk->fold.table = chunk->again.table = table;
    chunk->end = text + size;
    chunk->size = size;
    chunk->fold.end = text;
    chunk->first_char = chunk->n_chars = chunk->total_mixed = chunk->total_invisible = 0;
    if (mapped && !chunk->fold.map) chunk->fold.map = malloc(sizeof *chunk->fold.map);
    return chunk->fold.map || !mapped;
}

static void free_tokens(chunk_t *chunk) {
    free(chunk->tokens.starts);
    free(chunk->tokens.stops);
    free(chunk->tokens.singles);
    free(chunk->kinds);
}

void chunk_free(chunk_t *chunk) {
    fold_free(&chunk->fold);
    fold_free(&chunk->again);
    free_tokens(chunk);
    free(chunk->chars);
    free(chunk->mixed);
    free(chunk->repaired);
}

/* Returns whether a word broken at a line end may continue after `code`: a hyphen, or a blank that may follow one. */
static bool may_reach_over(uint32_t code) {
    switch (code) {
    case '-': case ' ': case '\t': case '\r': case '\n': case 2: case 0xAD: case 0x2010: case 0xFFFE:
        return true;
    default:
        return false;
    }
}

/* Returns whether a common separator begins at `at`. Separators that are missing here only make chunks longer. */
static bool is_cut(const uint8_t *at, const uint8_t *end) {
    switch (*at) {
    case ' ': case '\n': case '.': case ',': case ';': case ':': case '!': case '?':
        return true;
    case 0xE3:
        return end - at >= 3 && at[1] == 0x80 && (at[2] == 0x81 || at[2] == 0x82);
    case 0xEF:
        return end - at >= 3 && at[1] == 0xBC && at[2] == 0x8C;
    default:
        return false;
    }
}

static const uint8_t *chunk_stop(const uint8_t *begin, const uint8_t *end) {
    if (end - begin <= CHUNK_BYTES) return end;
    for (const uint8_t *at = begin + CHUNK_BYTES; at < end; at++)
        if (is_cut(at, end) && !may_reach_over(utf8_code_before(at))) return at;
    return end;
}

static bool reserve_tokens(chunk_t *chunk) {
    size_t needed = chunk->fold.n + SLACK;
    if (needed <= chunk->capacity) return true;
    needed += needed / 2;
    free_tokens(chunk);
    chunk->tokens.starts = malloc(needed * sizeof *chunk->tokens.starts);
    chunk->tokens.stops = malloc(needed * sizeof *chunk->tokens.stops);
    chunk->tokens.singles = malloc(needed);
    chunk->kinds = malloc(needed / 64 + 1);
    bool done = chunk->tokens.starts && chunk->tokens.stops && chunk->tokens.singles && chunk->kinds;
    chunk->capacity = done ? needed : 0;
    return done;
}

/* Writes the number of the code point of each byte of the chunk. */
static bool number_chars(chunk_t *chunk) {
    const uint8_t *begin = chunk->fold.begin;
    size_t size = (size_t)(chunk->fold.end - begin), at = 0;
    if (size + 1 > chunk->chars_capacity) {
        free(chunk->chars);
        chunk->chars = malloc(2 * (size + 1) * sizeof *chunk->chars);
        chunk->chars_capacity = chunk->chars ? 2 * (size + 1) : 0;
        if (!chunk->chars) return false;
    }
    uint32_t *chars = chunk->chars, n = (uint32_t)chunk->first_char;
    for (; at + 8 <= size; at += 8) {
        const uint64_t ones = 0x0101010101010101u;
        uint64_t word = load64(begin + at), firsts = ones ^ (word >> 7 & ~(word >> 6) & ones), sums = firsts * ones;
        uint8_t counts[8]; /* number of first bytes up to each of the eight bytes */
        memcpy(counts, &sums, 8);
        for (int i = 0; i < 8; i++) chars[at + i] = n - 1 + counts[i];
        n += counts[7];
    }
    for (; at < size; at++) {
        n += !is_tail(begin[at]);
        chars[at] = n - 1;
    }
    chars[size] = n;
    chunk->n_chars = n - (uint32_t)chunk->first_char;
    return true;
}

/* Folds the chunk, in pieces if segments begin in it, and notes where they begin, in folded bytes. */
static bool fold_with_cuts(chunk_t *chunk, cuts_t *cuts) {
    fold_t *fold = &chunk->fold;
    size_t after = chunk->first_char + chunk->n_chars, at_char = chunk->first_char;
    const uint8_t *at = fold->begin;
    for (; cuts && cuts->next < cuts->n_segments && cuts->next * cuts->segment_chars < after; cuts->next++) {
        size_t edge = cuts->next * cuts->segment_chars;
        at = nth_char(at, fold->end, edge - at_char);
        at_char = edge;
        if (!chunk->table->ops->fold(fold, at)) return false;
        cuts->cut_tokens[cuts->next] = fold->n;
    }
    return chunk->table->ops->fold(fold, fold->end);
}

/* Turns the folded bytes at which segments begin into numbers of tokens. */
static void count_cut_tokens(const chunk_t *chunk, cuts_t *cuts, size_t first) {
    size_t token = 0;
    for (size_t s = first; s < cuts->next; s++) {
        while (token < chunk->n_tokens && chunk->tokens.starts[token] < cuts->cut_tokens[s]) token++;
        cuts->cut_tokens[s] = cuts->n_tokens + token;
    }
    cuts->n_tokens += chunk->n_tokens;
}

int chunk_next(chunk_t *chunk, cuts_t *cuts) {
    fold_t *fold = &chunk->fold;
    size_t first_cut = cuts ? cuts->next : 0;
    if (fold->end == chunk->end) return 0;
    chunk->first_char += chunk->n_chars;
    if (!fold_open(fold, fold->end, chunk_stop(fold->end, chunk->end))) return TEXT_NO_MEMORY;
    if (fold->map) {
        if (!number_chars(chunk)) return TEXT_NO_MEMORY;
    } else if (cuts && cuts->next < cuts->n_segments) {
        chunk->n_chars = chunk->table->ops->count_chars(fold->begin, fold->end);
    }
    if (!fold_with_cuts(chunk, cuts) || !reserve_tokens(chunk)) return TEXT_NO_MEMORY;
    memset(fold->bytes + fold->n, ' ', SLACK);
    if (fold->map) fold->map[fold->n] = (uint32_t)(fold->end - fold->begin);
    chunk->n_tokens = chunk->table->ops->tokens(fold, &chunk->tokens);
    chunk->total_invisible += fold->n_invisible;
    chunk->n_mixed = 0;
    if (fold->wide && !mixed_find(chunk)) return TEXT_NO_MEMORY;
    if (cuts) count_cut_tokens(chunk, cuts, first_cut);
    return 1;
}

/* Returns whether most tokens are single letters. */
static bool is_mostly_singles(const chunk_t *chunk) {
    size_t n_singles = 0;
    if (!chunk->fold.has_singles) return false;
    for (size_t i = 0; i + 8 <= chunk->n_tokens; i += 8) /* up to 7 tokens at the end are left out */
        n_singles += load64(chunk->tokens.singles + i) * 0x0101010101010101u >> 56;
    return 2 * n_singles > chunk->n_tokens;
}

/* Hashes tokens of a text in single letters. Those of three bytes without marks are looked up; the processor predicts
 * that branch, since nearly all tokens take it. */
static void hash_singles(const chunk_t *chunk, uint64_t *hashes) {
    const tokens_t *tokens = &chunk->tokens;
    for (size_t i = 0; i < chunk->n_tokens; i++) {
        const uint8_t *at = chunk->fold.bytes + tokens->starts[i];
        size_t size = tokens->stops[i] - tokens->starts[i];
        bool known = size == 3 && tokens->singles[i];
        hashes[i] = known ? chunk->table->single_hashes[utf8_code_of_3(at)] : murmur(at, size);
    }
}

bool chunk_hashes(chunk_t *chunk, uint64_t *hashes) {
    const tokens_t *tokens = &chunk->tokens;
    if (is_mostly_singles(chunk))
        hash_singles(chunk, hashes);
    else
        chunk->table->ops->murmur(chunk->fold.bytes, tokens->starts, tokens->stops, chunk->n_tokens, hashes);
    for (size_t i = 0; i < chunk->n_mixed; i++) {
        bool changed;
        ptrdiff_t size = mixed_repair(chunk, chunk->mixed[i], &changed);
        if (size < 0) return false;
        hashes[chunk->mixed[i]] = murmur(chunk->repaired, (size_t)size);
        chunk->total_mixed += changed;
    }
    return true;
}
