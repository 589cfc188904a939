/* Folds the code points that the fast paths leave out, one at a time: hyphens at line ends, conjoining jamo, code
 * points that fold to several, invisible characters, code points past the first 65,536. docs/text.md, section 1. */

#include "utf8.h"

/* Writes one folded letter that comes from the code point at `from`. */
static void put(fold_t *fold, uint32_t code, uint32_t kind, const uint8_t *from) {
    size_t at = fold->n, width = utf8_write(fold->bytes + at, code);
    if (kind == SINGLE) {
        fold_first_single(fold);
        set_bit(fold->singles, at);
    }
    if (kind == SINGLE || (kind == WORD && fold->after_single)) set_bit(fold->begins, at);
    if (kind != MARK) fold->after_single = kind == SINGLE;
    fold->wide |= code >= 0x80;
    if (fold->map)
        for (size_t i = 0; i < width; i++) fold->map[at + i] = (uint32_t)(from - fold->begin);
    fold->n = at + width;
}

static bool put_expansion(fold_t *fold, uint32_t entry, const uint8_t *from) {
    size_t length = (entry >> 16) & 31, needed = fold->n + 4 * length + (size_t)(fold->end - from) + SLACK;
    if (needed > fold->capacity && !fold_reserve(fold, needed + needed / 2)) return false;
    const uint32_t *codes = fold->table->expansions + (entry & 0xFFFF);
    for (size_t i = 0; i < length; i++) put(fold, codes[i], entry_class(fold->table->entries[codes[i]]), from);
    return true;
}

static const uint8_t *skip_blanks(const uint8_t *at, const uint8_t *end) {
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    return at;
}

/* Returns where the word that the hyphen at `hyphen` breaks continues, or NULL if the hyphen breaks no word. */
static const uint8_t *broken_word(const fold_t *fold, const uint8_t *hyphen, const uint8_t *after) {
    const uint32_t *entries = fold->table->entries;
    if (hyphen == fold->begin) return NULL;
    if (!(entries[utf8_code_before(hyphen)] & ENTRY_LETTER)) return NULL;
    const uint8_t *at = skip_blanks(after, fold->end);
    if (at == fold->end || (*at != '\n' && *at != '\r')) return NULL;
    at += *at == '\r' && at + 1 < fold->end && at[1] == '\n' ? 2 : 1;
    at = skip_blanks(at, fold->end);
    return at < fold->end && entries[utf8_code(at)] & ENTRY_LOWER ? at : NULL;
}

/* Joins a vowel or a final to the letter or syllable before it, the last 3 folded bytes. Returns whether it fits. */
static bool compose(fold_t *fold, uint32_t code, const uint8_t *at) {
    if (at == fold->begin) return false;
    uint32_t before = utf8_code_before(at), syllable;
    if (code < 0x11A8) {
        if (before - 0x1100 >= 19) return false;
        syllable = 0xAC00 + ((before - 0x1100) * 21 + (code - 0x1161)) * 28;
    } else {
        if (fold->consumed == at && before < 0x11A8) before = utf8_code_before(fold->bytes + fold->n);
        if (before - 0xAC00 >= 11172 || (before - 0xAC00) % 28) return false;
        syllable = before + (code - 0x11A7);
    }
    utf8_write(fold->bytes + fold->n - 3, syllable);
    fold->consumed = fold->in;
    return true;
}

/* Counts an invisible character after a letter of a script that has no use for it. */
static void count_invisible(fold_t *fold) {
    if (!fold->n) return;
    uint32_t before = fold->table->entries[utf8_code_before(fold->bytes + fold->n)];
    fold->n_invisible += entry_script(before) != 0;
}

/* Folds the code point at `in` by all rules. Returns false if out of memory. */
bool fold_special(fold_t *fold) {
    const uint8_t *at = fold->in;
    uint32_t code = utf8_code(at), entry = fold->table->entries[code];
    fold->in = at + utf8_width(*at);
    if (entry & ENTRY_HYPHEN) {
        const uint8_t *rest = broken_word(fold, at, fold->in);
        if (rest) {
            fold->in = rest;
            return true;
        }
    }
    if (code - 0x1161 <= 0x11C2 - 0x1161 && (code <= 0x1175 || code >= 0x11A8) && compose(fold, code, at)) return true;
    if (entry & ENTRY_INVISIBLE) count_invisible(fold);
    if (entry & ENTRY_EXPANSION) return put_expansion(fold, entry, at);
    if (entry_class(entry) == NOTHING) return true;
    size_t needed = fold->n + 4 + (size_t)(fold->end - fold->in) + SLACK;
    if (needed > fold->capacity && !fold_reserve(fold, needed + needed / 2)) return false;
    put(fold, entry & ENTRY_CODE, entry_class(entry), at);
    return true;
}
