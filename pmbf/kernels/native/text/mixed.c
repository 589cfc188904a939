/* Tokens that mix scripts: docs/text.md, section 2, and lookalikes.py. The first bytes of letters (`kinds` of each
 * variant) tell which blocks cannot hold a mixed token. In other blocks each letter is looked at. */

#include "chunk.h"
#include "utf8.h"

enum { LATIN = 1, ARMENIAN = 4, SCRIPTS = 5, LETTERS_END = 0x590, ANY_SCRIPT = 0x1E };

/* Returns whether a folded token has letters of several scripts. */
static bool is_mixed(const table_t *table, const uint8_t *at, const uint8_t *stop) {
    unsigned scripts = 0;
    for (; at < stop; at += utf8_width(*at)) scripts |= 1u << entry_script(table->entries[utf8_code(at)]);
    scripts &= ANY_SCRIPT;
    return (scripts & (scripts - 1)) != 0;
}

static bool list(chunk_t *chunk, size_t token) {
    if (chunk->n_mixed == chunk->mixed_capacity) {
        size_t capacity = 2 * chunk->mixed_capacity + 64;
        uint32_t *mixed = realloc(chunk->mixed, capacity * sizeof *mixed);
        if (!mixed) return false;
        chunk->mixed = mixed;
        chunk->mixed_capacity = capacity;
    }
    chunk->mixed[chunk->n_mixed++] = (uint32_t)token;
    return true;
}

/* Folds the chunk again with a map, unless it has one. */
static bool fold_again(chunk_t *chunk) {
    fold_t *again = &chunk->again;
    if (chunk->fold.map) return true;
    if (!again->map && !(again->map = malloc(sizeof *again->map))) return false;
    if (!fold_open(again, chunk->fold.begin, chunk->fold.end)) return false;
    return chunk->table->ops->fold(again, again->end);
}

/* Returns the first token from `low` on that stops after a byte, by bisection. */
static size_t token_at(const tokens_t *tokens, size_t low, size_t high, size_t byte) {
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tokens->stops[middle] > byte) high = middle;
        else low = middle + 1;
    }
    return low;
}

bool mixed_find(chunk_t *chunk) {
    const fold_t *fold = &chunk->fold;
    const tokens_t *tokens = &chunk->tokens;
    unsigned before = 0; /* kinds of letters before the block that a token across its edge may have */
    chunk->table->ops->kinds(fold->bytes, fold->n, chunk->kinds);
    for (size_t block = 0, token = 0; 64 * block < fold->n; block++) {
        unsigned kinds = chunk->kinds[block], all = (kinds | before) & ALL_LETTERS;
        before = kinds & HAS_GAP ? kinds & ALL_LETTERS : all;
        if (!(all & (all - 1)) && !(all & MANY_SCRIPTS)) continue;
        token = token_at(tokens, token, chunk->n_tokens, 64 * block);
        for (; token < chunk->n_tokens && tokens->starts[token] < 64 * (block + 1); token++) {
            const uint8_t *start = fold->bytes + tokens->starts[token], *stop = fold->bytes + tokens->stops[token];
            if (is_mixed(chunk->table, start, stop) && !list(chunk, token)) return false;
        }
    }
    return !chunk->n_mixed || fold_again(chunk);
}

/* A letter of a mixed token. */
typedef struct {
    uint32_t code, group;
    unsigned script;
} letter_t;

static letter_t letter_at(const chunk_t *chunk, size_t at) {
    const table_t *table = chunk->table;
    const fold_t *fold = chunk->fold.map ? &chunk->fold : &chunk->again;
    uint32_t code = utf8_code(chunk->fold.bytes + at);
    uint32_t entry = table->entries[utf8_code(fold->begin + fold->map[at])];
    if (entry & ENTRY_EXPANSION) entry = table->entries[code];
    letter_t letter = {code, 0, entry_script(entry)};
    if (letter.script && code < LETTERS_END)
        letter.group = table->shape[(entry & ENTRY_LOWER ? LETTERS_END + 1 : 0) + code];
    return letter;
}

/* Returns the script that a token goes into: the first script it holds that has a look-alike of each of its letters,
 * else the script of most of its letters. */
static unsigned target_script(const chunk_t *chunk, size_t start, size_t stop) {
    size_t counts[SCRIPTS] = {0};
    unsigned reach = ANY_SCRIPT, most = LATIN;
    for (size_t at = start; at < stop; at += utf8_width(chunk->fold.bytes[at])) {
        letter_t letter = letter_at(chunk, at);
        if (!letter.script || letter.script > ARMENIAN) continue;
        counts[letter.script]++;
        reach &= 1u << letter.script | chunk->table->scripts[letter.group];
    }
    for (unsigned script = LATIN; script <= ARMENIAN; script++)
        if (counts[script] && reach >> script & 1) return script;
    for (unsigned script = LATIN; script <= ARMENIAN; script++)
        if (counts[script] > counts[most]) most = script;
    return most;
}

ptrdiff_t mixed_repair(chunk_t *chunk, size_t token, bool *changed) {
    size_t start = chunk->tokens.starts[token], stop = chunk->tokens.stops[token], needed = 2 * (stop - start) + SLACK;
    if (needed > chunk->repaired_capacity) {
        free(chunk->repaired);
        chunk->repaired = malloc(2 * needed);
        chunk->repaired_capacity = chunk->repaired ? 2 * needed : 0;
        if (!chunk->repaired) return TEXT_NO_MEMORY;
    }
    unsigned target = target_script(chunk, start, stop);
    size_t size = 0;
    *changed = false;
    for (size_t at = start; at < stop; at += utf8_width(chunk->fold.bytes[at])) {
        letter_t letter = letter_at(chunk, at);
        uint32_t code = chunk->table->letters[letter.group * SCRIPTS + target];
        *changed |= code && code != letter.code;
        size += utf8_write(chunk->repaired + size, code ? code : letter.code);
    }
    memset(chunk->repaired + size, 0, 16); /* the hash reads past the token */
    return (ptrdiff_t)size;
}
