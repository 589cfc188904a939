/* The words of a query that documents have, by their word lists: docs/text.md, section 6. reference_evident.py says
 * the same. */

#include <stdlib.h>

#include "../text/wordlist.h"
#include "postings.h"

enum { MOST_WORDS = 1 << 24, N_SIZES = 64, NO_WORD = 255 };

/* A query and what its words say, `_WORDS` of native_evident.py. The tables have N_SIZES numbers for each class. */
typedef struct {
    const uint32_t *keys;              /* of each token */
    const int64_t *before;             /* the token before that has the same key, or -1 */
    const uint8_t *classes;            /* of each token: how rare its word is, or NO_WORD */
    const int32_t *present, *expected; /* what a word says that a part has, and what it says on average */
} query_words_t;

/* A list, its place in it, and a bit for each number that a part has. */
typedef struct {
    const uint8_t *at, *stop;
    uint64_t *bits;
    size_t n_room; /* words of the bits */
} list_reader_t;

INLINE uint32_t read_u32(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* Returns the class of a part by its words: four for each doubling. */
INLINE size_t size_class(uint32_t n_words) {
    if (!n_words) return 0;
    const uint32_t octave = 31 - (uint32_t)__builtin_clz(n_words);
    const size_t found = 4 * octave + ((octave < 2 ? n_words << (2 - octave) : n_words >> (octave - 2)) & 3);
    return found < N_SIZES ? found : N_SIZES - 1;
}

/* Reads the numbers of the next part into bits. Returns 0, PMBF_NO_MEMORY, or PMBF_REFUSED for a damaged list. */
static int read_part(list_reader_t *reader, uint32_t *n_words) {
    if (reader->stop - reader->at < LIST_HEAD_BYTES) return PMBF_REFUSED;
    const uint32_t n = read_u32(reader->at), n_distinct = read_u32(reader->at + 4);
    const size_t n_bits = (size_t)NUMBERS_PER_WORD * n, n_room = n_bits / 64 + 1;
    if (n > MOST_WORDS || n_distinct > n) return PMBF_REFUSED;
    if (n_room > reader->n_room) {
        uint64_t *bits = realloc(reader->bits, n_room * sizeof *bits);
        if (!bits) return PMBF_NO_MEMORY;
        reader->bits = bits, reader->n_room = n_room;
    }
    memset(reader->bits, 0, n_room * sizeof *reader->bits);
    reader->at += LIST_HEAD_BYTES;
    for (size_t i = 0, number = 0; i < n_distinct; i++) {
        while (reader->at < reader->stop && *reader->at == FULL_GAP) number += FULL_GAP, reader->at++;
        if (reader->at == reader->stop) return PMBF_REFUSED;
        number += *reader->at++;
        if (number >= n_bits) return PMBF_REFUSED;
        reader->bits[number / 64] |= 1ull << number % 64;
    }
    *n_words = n;
    return 0;
}

/* Returns what the words of some tokens say for a part. */
static int64_t said_for(const query_words_t *query, int64_t start, int64_t stop, const uint64_t *bits, uint32_t n_words) {
    const size_t size = size_class(n_words);
    const uint64_t range = (uint64_t)NUMBERS_PER_WORD * n_words;
    int64_t sum = 0;
    for (int64_t token = start; token < stop; token++) {
        if (query->classes[token] == NO_WORD || query->before[token] >= start) continue;
        const size_t place = query->classes[token] * (size_t)N_SIZES + size;
        const uint64_t number = query->keys[token] * range >> 32;
        sum -= query->expected[place];
        if (bits[number / 64] >> number % 64 & 1) sum += query->present[place];
    }
    return sum;
}

/* Writes what the words in a window of tokens say for each of n documents: the most that they say for one of its parts,
 * INT64_MIN for a document without a list. Returns 0, PMBF_NO_MEMORY, or PMBF_REFUSED for a damaged list. */
EXPORT int64_t pmbf_words_said(const query_words_t *query, const uint8_t *content, const int64_t *bounds,
                               const int64_t *windows, size_t n, int64_t *said) {
    list_reader_t reader = {.bits = NULL};
    int status = 0;
    for (size_t i = 0; !status && i < n; i++) {
        said[i] = INT64_MIN;
        reader.at = content + bounds[i], reader.stop = content + bounds[i + 1];
        while (!status && reader.at < reader.stop) {
            uint32_t n_words = 0;
            if ((status = read_part(&reader, &n_words))) break;
            const int64_t sum = said_for(query, windows[2 * i], windows[2 * i + 1], reader.bits, n_words);
            if (sum > said[i]) said[i] = sum;
        }
    }
    free(reader.bits);
    return status;
}

/* Writes the key of each of n tokens, whether it is a word, and the token before it with the same key, or -1. `table` has
 * room for `n_slots` numbers, a power of 2 above n. */
EXPORT void pmbf_word_keys(const uint64_t *hashes, const uint32_t *starts, const uint32_t *stops, const uint8_t *singles, size_t n,
                           uint32_t *keys, uint8_t *is_word, int64_t *before, int32_t *table, size_t n_slots) {
    memset(table, 0xFF, n_slots * sizeof *table);
    for (size_t i = 0; i < n; i++) {
        const int is_pair = singles[i] && i + 1 < n && singles[i + 1];
        const uint64_t mixed = fmix64(hashes[i]);
        keys[i] = is_pair ? pair_key(mixed, fmix64(hashes[i + 1])) : (uint32_t)(mixed >> 32);
        is_word[i] = is_pair || (!singles[i] && stops[i] - starts[i] >= WORD_LETTERS);
        before[i] = -1;
        if (!is_word[i]) continue;
        size_t slot = keys[i] * 2654435769u & (n_slots - 1);
        while (table[slot] >= 0 && keys[table[slot]] != keys[i]) slot = (slot + 1) & (n_slots - 1);
        before[i] = table[slot];
        table[slot] = (int32_t)i;
    }
}
