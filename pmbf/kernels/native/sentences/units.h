/* The units of a text, each with the keys that it is looked up by: docs/sentences.md.
 *
 *     sentences     |----| |--------| |---------------------------------------| |---|
 *     units         |---------------| |------------------| |------------------------|
 *     from each     |---------------| |------------------| |------------------------|
 *                          |--------------------------| |---------------------------|      also from other starts
 */

#pragma once

#include "../text/text.h"

enum { WORD_CODE, PAPER_CODE };                /* reference_units.py has the same */
enum { WORD_KEYS = 10, PAPER_KEYS = 5, GROUP_BITS = 20 };

typedef struct {
    uint32_t start, stop; /* code points of the text */
} piece_t;

typedef struct {
    piece_t *sentences, *units;
    uint64_t *keys; /* n_keys for each unit */
    size_t n_sentences, n_units, n_keys, n_chars;
} units_t;

/* Finds the sentences of a text, its units and their keys. If `from_each`, then a unit begins at each sentence. Returns
 * TEXT_OK, TEXT_NO_MEMORY or TEXT_NOT_UTF8; `units_free` frees what is found. */
int units_find(const table_t *table, const uint8_t *utf8, size_t size, int code, bool from_each, units_t *found);
void units_free(units_t *found);
