/* What the text kernels share. The rules are docs/text.md, bit for bit; the NumPy twin is reference_text.py.
 *
 *     UTF-8 --chunk--> folded bytes --tokens--> [start, stop) --murmur--> hashes --shingles--> smallest of each segment
 *
 * A chunk is some 16 KiB of the text. It ends before a separator that no rule reaches across. So the data between two
 * arrows stays in the cache, and no stage needs the chunk before. Folded bytes of a chunk:
 *
 *     bytes    folded UTF-8; a separator, and nothing else, is one byte 0x20
 *     begins   bit i: a token begins at byte i although no separator stands before it  } all zero until the first
 *     singles  bit i: the token that begins at byte i is a single letter               } single letter of a chunk
 *     map      for each byte the offset in the chunk of the code point it comes from; only if offsets are asked for
 *
 * Text is checked to be UTF-8 first; all functions that read code points rely on that. No function keeps state: results
 * depend on the table (built once, then constant) and on the memory of one call.
 */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../arithmetic.h"
#include "../compiler.h"

enum {
    TEXT_OK = 0,
    TEXT_NO_MEMORY = -1,
    TEXT_NOT_UTF8 = -2,
    CHUNK_BYTES = 1 << 14,
    SLACK = 80, /* bytes that may be read and written after the last folded byte */
};

/* An entry of the fold table: docs/text.md, section 1. */
enum { NOTHING, SEPARATOR, WORD, SINGLE, MARK };
#define ENTRY_CODE 0x1FFFFFu
#define ENTRY_EXPANSION (1u << 27)
#define ENTRY_LOWER (1u << 28)
#define ENTRY_LETTER (1u << 29)
#define ENTRY_INVISIBLE (1u << 30)
#define ENTRY_HYPHEN (1u << 31)

INLINE uint32_t entry_class(uint32_t entry) { return (entry >> 21) & 7; }
INLINE uint32_t entry_script(uint32_t entry) { return (entry >> 24) & 7; }

/* A ready entry, for each of the first 65,536 code points: the folded letter in UTF-8, at most 3 bytes, then a byte of
 * flags. The lowest two bits of the flags are the letter's length. */
#define READY_LENGTH(ready) (((ready) >> 24) & 3)
#define READY_SINGLE (4u << 24)
#define READY_WORD (8u << 24)
#define READY_GAP (16u << 24)
#define READY_SPECIAL (32u << 24) /* depends on its neighbours, folds to several, or gets longer: special.c */

typedef struct ops ops_t;
typedef struct pages pages_t;

typedef struct {
    const uint32_t *entries;    /* by code point, 0x110000 entries */
    const uint32_t *expansions; /* folded code points of code points that fold to several */
    const uint8_t *shape;       /* [lower][folded letter up to 0x590]: number of its look-alike group, 0 for none */
    const uint32_t *letters;    /* [group][script 0..4]: the group's letter in a script, 0 for none */
    const uint8_t *scripts;     /* [group]: bit s is set if the group has a letter of script s */
    uint32_t *ready;            /* by code point, 0x10000 entries */
    uint64_t *single_hashes;    /* by folded code point, 0x10000: hashes of single letters of three bytes, else 0 */
    uint8_t *pages;             /* pages of the vector kernels: pages.h; NULL if these are not used */
    const ops_t *ops;
} table_t;

/* The fold of one chunk. `in` moves from `begin` to `end`; the folded bytes are `bytes[0..n)`. */
typedef struct {
    const table_t *table;
    const uint8_t *begin, *end, *in;
    uint8_t *bytes;
    uint64_t *begins, *singles;
    uint32_t *map;           /* NULL if no offsets are asked for */
    size_t n, capacity;      /* capacity - n >= end - in + SLACK, always */
    const uint8_t *consumed; /* end of the last jamo that was joined to a syllable */
    size_t n_invisible;
    bool has_singles, after_single; /* the chunk has single letters; the last folded character, marks aside, is one */
    bool wide;                      /* folded bytes are not all ASCII */
} fold_t;

/* Tokens in folded bytes, `[starts[i], stops[i])`. */
typedef struct {
    uint32_t *starts, *stops;
    uint8_t *singles; /* whether each is a single letter; written only if the chunk has single letters */
} tokens_t;

/* Kinds of letters by their first bytes. Four scripts are told apart; test_text_kernels.py checks that their folded
 * letters have no other first bytes. */
enum { LATIN_LETTERS = 1, CYRILLIC_LETTERS = 2, GREEK_LETTERS = 4, MANY_SCRIPTS = 8, ALL_LETTERS = 15, HAS_GAP = 16 };

/* What the shingles of a text are. */
typedef struct {
    size_t tokens; /* tokens of a shingle; twice as many if it begins at a single letter */
    uint64_t step; /* in an ordered shingle each token counts this factor more than the token before; else 1 */
    bool thin;     /* whether shingles at words are sampled as rarely as those at single letters */
} shape_t;

/* The long words of some values. */
typedef struct {
    const uint8_t *are; /* whether each value is a long word, n_values of them */
    size_t n_values;
    size_t reach; /* two long words are a shingle if they are at most this many tokens apart */
    bool mixed;   /* whether the values are mixed already */
} long_words_t;

/* The hashes of shingles by place. A sample is chosen by the upper halves. */
typedef struct {
    uint32_t *upper, *lower; /* `lower` is NULL if the hashes have 32 bits */
} halves_t;

/* The functions that each instruction set has a variant of. */
struct ops {
    /* Returns whether the bytes are valid UTF-8, and writes the number of code points. */
    bool (*count_utf8)(const uint8_t *text, size_t size, size_t *n_chars);
    /* Folds up to `limit`, or a little past it if a rule reaches further. Returns false if out of memory. */
    bool (*fold)(fold_t *fold, const uint8_t *limit);
    /* Returns the number of code points of `[begin, end)`, which begins and ends between two code points. */
    size_t (*count_chars)(const uint8_t *begin, const uint8_t *end);
    /* Finds the tokens of a folded chunk. Each array has room for n + SLACK tokens. Returns their number. */
    size_t (*tokens)(const fold_t *fold, tokens_t *tokens);
    /* Writes the kinds of letters in each 64 folded bytes. `kinds` has room for n / 64 + 1. */
    void (*kinds)(const uint8_t *bytes, size_t n, uint8_t *kinds);
    void (*murmur)(const uint8_t *bytes, const uint32_t *starts, const uint32_t *stops, size_t n, uint64_t *hashes);
    /* Writes the sampled hashes of the shingles at values[0..n). 2 * shape->tokens - 1 more values follow. */
    void (*shingles)(const uint64_t *values, const uint8_t *singles, size_t n, const shape_t *shape, uint32_t *hashes);
    /* Writes whether each of the n tokens of a chunk is a long word: one of at least `least` folded code points, 1 or
     * more, and no single letter. */
    void (*longs)(const fold_t *fold, const tokens_t *tokens, size_t n, size_t least, uint8_t *longs);
    /* Puts the shingle of two long words at each of the first n values that is a long word with another one in reach.
     * There are less than 2^31 values. */
    void (*join_long_words)(const uint64_t *values, const long_words_t *words, size_t n, halves_t hashes);
    /* Writes (hash << 32 | index) for each hash in [low, high]. `keys` has room for n + 16. Returns their number. */
    size_t (*collect)(const uint32_t *hashes, size_t n, uint32_t low, uint32_t high, uint64_t *keys);
};

extern const ops_t text_portable;
#if defined(__x86_64__)
extern const ops_t text_avx2, text_avx512;
#endif

/* special.c */
bool fold_special(fold_t *fold);

/* fold.c */
bool fold_portable(fold_t *fold, const uint8_t *limit);

/* room.c */
/* Makes room for `capacity` folded bytes, with bitmaps and map. Returns false if out of memory. */
bool fold_reserve(fold_t *fold, size_t capacity);
void fold_free(fold_t *fold);
/* Clears the bitmaps at the first single letter of a chunk. Most texts have no single letters, and never use them. */
void fold_first_single(fold_t *fold);
/* Sets up for the chunk `[begin, end)`. Returns false if out of memory. */
bool fold_open(fold_t *fold, const uint8_t *begin, const uint8_t *end);

INLINE void set_bit(uint64_t *bits, size_t at) { bits[at / 64] |= (uint64_t)1 << (at % 64); }
INLINE bool has_bit(const uint64_t *bits, size_t at) { return (bits[at / 64] >> (at % 64)) & 1; }
INLINE size_t count_bits(uint64_t bits) {
#if defined(__x86_64__) && !defined(__POPCNT__) /* without the instruction the compiler would call a function */
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (bits * 0x0101010101010101u) >> 56;
#else
    return (size_t)__builtin_popcountll(bits);
#endif
}

INLINE uint64_t load64(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word;
}
