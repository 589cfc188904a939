/* The sentences of a text, each as one hash of its words: docs/resultsets.md. */

#pragma once

#include "../text/text.h"

/* The stems of words, as stem_table.py lays them out: n_slots pairs of a word's key and its stem's hash. The key of a word
 * is the hash of its bytes as they stand in the text; 0 marks a free slot. Without slots words are not stemmed. */
typedef struct {
    const uint64_t *slots;
    size_t n_slots; /* a power of 2, at least 2 */
    uint64_t factor;
} stems_t;

typedef struct {
    uint32_t hash, start, stop; /* code points of the text */
} sentence_t;

/* A word that the table does not have, and its bytes in the text. */
typedef struct {
    uint64_t key;
    uint32_t start, stop;
} unknown_t;

typedef struct {
    sentence_t *found;
    unknown_t *unknown;
    size_t n, n_unknown, n_chars;
} sentences_t;

/* Finds the sentences of a text. If the table lacks words, then those are all that is found. Returns TEXT_OK,
 * TEXT_NO_MEMORY or TEXT_NOT_UTF8; `sentences_free` frees what is found. */
int sentences_find(const table_t *table, const uint8_t *utf8, size_t size, const stems_t *stems, sentences_t *found);
void sentences_free(sentences_t *found);
