/* Folds a chunk in plain C: 16 ASCII bytes at a time, else one ready entry per code point. */

#include "utf8.h"

#define VARIANT(name) name##_portable
enum { WIDTH = 16 };
#include "cyrillic.h"

/* 16 bytes as one of the compiler's vectors: SSE2, NEON, or plain words if there is neither. */
typedef uint8_t block_t __attribute__((vector_size(WIDTH)));
typedef uint64_t two_words_t __attribute__((vector_size(WIDTH)));

INLINE bool any_bit(block_t block) {
    two_words_t halves = (two_words_t)block;
    return (halves[0] | halves[1]) != 0;
}

/* Folds a block of ASCII: letters to lower case, digits to themselves, all else to a space. Returns false if the block
 * has a hyphen. */
INLINE bool fold_ascii(const uint8_t *in, uint8_t *out) {
    block_t bytes, lower, letters, digits;
    memcpy(&bytes, in, WIDTH);
    lower = bytes | 0x20;
    letters = (block_t)(lower - 'a' < 26);
    digits = (block_t)(bytes - '0' < 10);
    block_t folded = (lower & letters) | (bytes & digits) | (~(letters | digits) & ' ');
    memcpy(out, &folded, WIDTH);
    return !any_bit((block_t)((bytes == '-') | (bytes == 2)));
}

/* The state of a fold, kept in registers. In memory the compiler would have to read it again after each store to
 * `bytes`. */
typedef struct {
    const uint8_t *in;
    uint8_t *bytes;
    size_t n;
    uint32_t wide;
    bool after_single;
    size_t word;              /* word of the bitmaps that these bits belong to */
    uint64_t begins, singles;
} place_t;

INLINE place_t place_of(const fold_t *fold) {
    return (place_t){fold->in, fold->bytes, fold->n, 0, fold->after_single, 0, 0, 0};
}

INLINE void put_bits(fold_t *fold, const place_t *place) {
    if (!place->begins) return;
    fold->begins[place->word] |= place->begins;
    fold->singles[place->word] |= place->singles;
}

/* Notes that a token begins at the next folded byte. */
INLINE void note_begin(fold_t *fold, place_t *place, bool single) {
    if (place->n / 64 != place->word) {
        put_bits(fold, place);
        place->word = place->n / 64;
        place->begins = place->singles = 0;
    }
    place->begins |= (uint64_t)1 << (place->n % 64);
    place->singles |= (uint64_t)single << (place->n % 64);
}

INLINE void leave(fold_t *fold, const place_t *place) {
    put_bits(fold, place);
    fold->in = place->in;
    fold->n = place->n;
    fold->wide |= (place->wide & 0x80) != 0;
    fold->after_single = place->after_single;
}

/* Folds blocks of ASCII without hyphens until another block comes. */
INLINE void fold_blocks(fold_t *fold, place_t *place, const uint8_t *limit, bool mapped) {
    do {
        if (!fold_ascii(place->in, place->bytes + place->n)) return;
        if (RARE(place->after_single) && place->bytes[place->n] != ' ') set_bit(fold->begins, place->n);
        place->after_single = false;
        if (mapped)
            for (uint32_t i = 0; i < WIDTH; i++) fold->map[place->n + i] = (uint32_t)(place->in - fold->begin) + i;
        place->in += WIDTH;
        place->n += WIDTH;
    } while (limit - place->in >= WIDTH && is_ascii_16(place->in));
}

/* Writes the ready letter of the code point at `in`, which is `width` bytes long. */
INLINE void put_ready(fold_t *fold, place_t *place, uint32_t ready, size_t width, bool mapped) {
    size_t n = place->n;
    memcpy(place->bytes + n, &ready, 4);
    if (mapped)
        for (int i = 0; i < 3; i++) fold->map[n + i] = (uint32_t)(place->in - fold->begin);
    if (RARE(ready & READY_SINGLE)) {
        fold_first_single(fold);
        note_begin(fold, place, true);
        place->after_single = true;
    } else if (RARE(place->after_single) && ready & (READY_WORD | READY_GAP)) {
        if (ready & READY_WORD) note_begin(fold, place, false);
        place->after_single = false;
    }
    place->n = n + READY_LENGTH(ready);
    place->in += width;
    place->wide |= ready;
}

/* Copies a letter of Han, which folds to itself. */
INLINE void put_han(fold_t *fold, place_t *place, bool mapped) {
    memcpy(place->bytes + place->n, place->in, 3);
    if (mapped)
        for (int i = 0; i < 3; i++) fold->map[place->n + i] = (uint32_t)(place->in - fold->begin);
    fold_first_single(fold);
    note_begin(fold, place, true);
    place->after_single = true;
    place->n += 3;
    place->in += 3;
    place->wide = 0x80;
}

INLINE bool put_special(fold_t *fold, place_t *place) {
    leave(fold, place);
    if (!fold_special(fold)) return false;
    *place = place_of(fold);
    return true;
}

/* Folds one code point. Returns false if out of memory. There is a branch for each width, in which the width is a
 * constant: if the processor predicts the branch, then it begins the next code point before this one is done. */
INLINE bool fold_code(fold_t *fold, place_t *place, bool mapped) {
    const uint8_t *in = place->in;
    const uint32_t *table = fold->table->ready;
    uint32_t ready;
    if (in[0] < 0x80) {
        ready = table[in[0]];
        if (RARE(ready & READY_SPECIAL)) return put_special(fold, place);
        put_ready(fold, place, ready, 1, mapped);
    } else if (in[0] < 0xE0) {
        ready = table[(in[0] & 0x1F) << 6 | (in[1] & 0x3F)];
        if (RARE(ready & READY_SPECIAL)) return put_special(fold, place);
        put_ready(fold, place, ready, 2, mapped);
    } else if (in[0] >= 0xE5 && in[0] <= 0xE9) {
        put_han(fold, place, mapped);
    } else if (in[0] < 0xF0) {
        ready = table[(in[0] & 0x0F) << 12 | (in[1] & 0x3F) << 6 | (in[2] & 0x3F)];
        if (RARE(ready & READY_SPECIAL)) return put_special(fold, place);
        put_ready(fold, place, ready, 3, mapped);
    } else {
        return put_special(fold, place);
    }
    return true;
}

INLINE bool fold_until(fold_t *fold, const uint8_t *limit, bool mapped) {
    place_t place = place_of(fold);
    while (place.in < limit) {
        const uint8_t *in = place.in;
        if (*in < 0x80 && limit - in >= WIDTH && is_ascii_16(in)) {
            fold_blocks(fold, &place, limit, mapped);
            if (place.in != in) continue;
        }
        if (limit - in > WIDTH && may_be_cyrillic(in)) {
            leave(fold, &place);
            bool done = fold_cyrillic_portable(fold, limit);
            place = place_of(fold);
            if (done) continue;
        }
        /* A block with a hyphen, or not all ASCII, is folded code point by code point. */
        for (const uint8_t *stop = limit - in < WIDTH ? limit : in + WIDTH; place.in < stop;)
            if (!fold_code(fold, &place, mapped)) return false;
    }
    leave(fold, &place);
    return true;
}

bool fold_portable(fold_t *fold, const uint8_t *limit) {
    return fold->map ? fold_until(fold, limit, true) : fold_until(fold, limit, false);
}
