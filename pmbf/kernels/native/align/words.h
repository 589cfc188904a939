/* The words of a text as alignment sees them. */

#pragma once

#include "align.h"

#include "../text/result.h"

typedef struct {
    uint32_t start, stop;
} range_t;

/* A text with its tokens and its folded letters, and where its words go. */
typedef struct {
    const uint8_t *text, *folded;
    int64_t text_size, folded_size, n;
    const uint32_t *starts, *stops; /* of each token, in code points */
    const range_t *bytes, *letters; /* of each token, the bytes of the text and of the folded text */
    const uint8_t *singles;
    uint64_t *keys;
    int32_t *types;
    uint8_t *borders;
    uint32_t *firsts; /* for each type, the first token that has it */
} text_t;

/* Returns a text over the parts of `text_ready`. Keys, types, borders and firsts are for the caller. */
INLINE text_t words_text(const uint8_t *utf8, size_t size, const result_t *ready) {
    void *const *parts = ready->parts;
    return (text_t){.text = utf8, .folded = parts[READY_FOLDED], .text_size = (int64_t)size,
                    .folded_size = (int64_t)ready->sizes[READY_FOLDED], .n = (int64_t)ready->n_tokens,
                    .starts = parts[READY_STARTS], .stops = parts[READY_STOPS], .bytes = parts[READY_BYTES],
                    .letters = parts[READY_LETTERS], .singles = parts[READY_SINGLES]};
}

/* Returns whether a sentence begins at a token, or the text ends there. A line alone ends no sentence. */
INLINE bool words_sentence_begins(const text_t *text, size_t token) {
    return text->borders[token] != PLAIN && text->borders[token] != LINE;
}

/* Writes the distinct keys, in the order of the text, to the front of `keys`, and for each word the number of its key.
 * Returns the number of distinct keys, or ALIGN_NO_MEMORY. */
int64_t words_find(const text_t *text);
/* Writes the border before each word, and the border at the end. Needs the text and the bytes of each word. */
void words_borders(const text_t *text);
/* Writes the first N_SLIPS letters of a type that has slips, the last 0 if there is one less. Short words and words with
 * digits have none: the answer is false. */
bool words_letters(const text_t *text, int64_t type, uint32_t *codes);
/* Writes the slips of a type with these letters: the letters with one left out, each in turn; 0 for none. */
void words_slips(const uint32_t *codes, uint64_t *slips);
/* prepare.c: copies the folded text with one separator between two words and no other. Writes where each token begins in
 * the copy and where the last ends, in code points. Returns the bytes written. */
int64_t words_spell(const text_t *text, uint8_t *spelling, int64_t *offsets);
