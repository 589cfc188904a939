/* The keys of units: minimal hashes of what a unit is made of, under hash functions h ↦ h · step modulo 2^64.
 *
 * Of the words, PAPER_CODE takes one bit of each of 100 minima, and makes a key of every 20 bits. WORD_CODE takes the
 * minima of the shingles, which are made of 3 words in any order, or of 6 letters in scripts written without spaces. */

#ifndef PMBF_SENTENCES_KEYS_H
#define PMBF_SENTENCES_KEYS_H

#include "../align/words.h"

enum { UNIT_SHINGLE = 3, MINIMA = 100 };

typedef struct {
    const uint64_t *hashes; /* of the tokens */
    const uint8_t *singles;
    uint64_t *values, *mixed; /* of each token the hash of what begins there, and of the token alone */
    uint64_t steps[MINIMA];
    int code;
} keys_t;

/* Takes memory for the tokens of a text, and hashes them. Returns false if out of memory; `keys_end` frees it. */
bool keys_begin(keys_t *keys, const text_t *text, int code);
/* Writes the keys of the tokens [first, stop), at least one. */
void keys_of(const keys_t *keys, size_t first, size_t stop, uint64_t *out);
void keys_end(keys_t *keys);

#endif
