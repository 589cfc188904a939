/* The fingerprints of many texts, as columns. */

#pragma once

#include "chunk.h"
#include "result.h"
#include "select.h"

/* Samples one text after another, in the same memory. A new sampler is all zero. */
typedef struct {
    const options_t *options;
    chunk_t chunk;
    cuts_t cuts;
    size_t cuts_capacity;
    array_t values, singles, longs, value_starts;  /* uint64, uint8, uint8, uint32: by token */
    array_t hashes, lows, starts, tokens;          /* uint32: by shingle of the segment, if asked for */
    array_t kept, kept_starts, kept_tokens, bounds; /* uint32: the result; wide hashes are uint64 */
    array_t selected;                              /* uint64: a bit for each shingle of the segment */
    array_t are_words, keys, bits, words;          /* uint8 by token, uint32, uint64, uint8: wordlist.c */
    select_t select;
    size_t first_token; /* number of the token at values[0] */
    size_t n_shingles, segment, part, n_chars; /* `part` is the segment whose words are gathered */
} sampler_t;

/* Samples a text. Until the next text the hashes are in `kept`, their bounds in `bounds`, the word list in
 * `words`, the number of tokens in `cuts.n_tokens`. Returns TEXT_OK, TEXT_NOT_UTF8 or TEXT_NO_MEMORY. After an error another text may be sampled. */
int sampler_take(sampler_t *sampler, const table_t *table, const uint8_t *text, size_t size, const options_t *options);
void sampler_free(sampler_t *sampler);

/* wordlist.c */


/* Takes the words of the first n values that the sampler holds, and closes the parts that end among them. Returns false
 * if out of memory. */
bool wordlist_take(sampler_t *sampler, size_t n);
/* Closes the last parts. Returns false if out of memory. */
bool wordlist_end(sampler_t *sampler);

/* The parts of a result: where each part of a fingerprint ends among the hashes, from 0 on; the number of the first part
 * of each text, and of all parts; code points of each text, -1 if it is not UTF-8; tokens of each; where the word list of
 * each text ends, from 0 on; all int64. The hashes, uint32, or uint64 if they are wide; the word lists. */
enum {
    SAMPLES_BOUNDS,
    SAMPLES_FIRSTS,
    SAMPLES_CHARS,
    SAMPLES_TOKENS,
    SAMPLES_WORD_BOUNDS,
    SAMPLES_HASHES,
    SAMPLES_WORDS,
    N_SAMPLES_COLUMNS
};

/* Samples end to end, and what makes them. A new one is all zero but for `samples_begin`. */
typedef struct {
    sampler_t sampler;
    array_t columns[N_SAMPLES_COLUMNS];
} samples_t;

/* Begins the columns. Returns false if out of memory. */
bool samples_begin(samples_t *samples);
/* Adds the sample of a text. Returns TEXT_OK; TEXT_NOT_UTF8, and adds nothing; or TEXT_NO_MEMORY. */
int samples_add(samples_t *samples, const table_t *table, const uint8_t *text, size_t size, const options_t *options);
/* Moves the columns to a result if all is well, and frees the rest. */
void samples_end(samples_t *samples, bool is_well, result_t *result);

/* Texts in a buffer: text i is bytes[starts[i]..stops[i]). */
typedef struct {
    const uint8_t *bytes;
    const int64_t *starts, *stops;
    size_t n;
} texts_t;

/* Fills `result` and returns TEXT_OK; or TEXT_NO_MEMORY, with nothing to free. */
int text_samples(const table_t *table, const texts_t *texts, const options_t *options, result_t *result);
