/* Folds Russian by arithmetic, a vector of bytes at a time. Russian letters and ASCII keep their places, so no byte is
 * looked up or squeezed out. All other characters, hyphens too, are left to other functions. The including file defines
 * WIDTH, the bytes of one of the compiler's vectors, and VARIANT(name).
 *
 *     А–П  D0 90–9F  becomes  D0 B0–BF       а–п  D0 B0–BF  stays, but й becomes и
 *     Р–Я  D0 A0–AF  becomes  D1 80–8F       р–я  D1 80–8F  stays
 *     ё    D1 91     becomes  D0 B5
 *
 * test_text_kernels.py makes sure that the fold table says the same.
 */

#include "text.h"

typedef uint8_t cyrillic_t __attribute__((vector_size(WIDTH)));
typedef uint64_t cyrillic_words_t __attribute__((vector_size(WIDTH)));

/* All ones in the bytes that equal `byte`, or are in [low, high]. */
#define is(v, byte) ((cyrillic_t)((v) == (byte)))
#define within(v, low, high) ((cyrillic_t)((cyrillic_t)((v) - (low)) <= (high) - (low)))

/* Returns whether a Cyrillic letter begins at one of the next two bytes. This test is cheap. */
INLINE bool may_be_cyrillic(const uint8_t *in) { return (in[0] & 0xFE) == 0xD0 || (in[1] & 0xFE) == 0xD0; }

INLINE bool VARIANT(are_all)(cyrillic_t v) {
    cyrillic_words_t words = (cyrillic_words_t)v;
    uint64_t all = UINT64_MAX;
    for (int i = 0; i < WIDTH / 8; i++) all &= words[i];
    return all == UINT64_MAX;
}

/* Folds WIDTH bytes at `in` to `out`. The bytes before and behind them may be read. Returns how many bytes count:
 * WIDTH, one less if the last byte is half a letter, 0 if another character is among them. */
INLINE size_t VARIANT(put_cyrillic)(const uint8_t *in, uint8_t *out) {
    cyrillic_t bytes, before, next;
    memcpy(&bytes, in, WIDTH);
    memcpy(&before, in - 1, WIDTH);
    memcpy(&next, in + 1, WIDTH);
    cyrillic_t d0 = is(bytes, 0xD0), d1 = is(bytes, 0xD1), of_d0 = is(before, 0xD0), of_d1 = is(before, 0xD1);
    cyrillic_t io = of_d1 & is(bytes, 0x91), ascii = within(bytes, 0, 0x7F) & ~is(bytes, '-') & ~is(bytes, 2);
    cyrillic_t letters = (of_d0 & within(bytes, 0x90, 0xBF)) | (of_d1 & within(bytes, 0x80, 0x8F)) | io;
    if (!VARIANT(are_all)(d0 | d1 | letters | ascii)) return 0;

    cyrillic_t turned = (d0 & within(next, 0xA0, 0xAF)) | (d1 & is(next, 0x91)); /* D0 to D1, or back */
    cyrillic_t second = bytes + (of_d0 & within(bytes, 0x90, 0x9F) & 0x20) - (of_d0 & within(bytes, 0xA0, 0xAF) & 0x20);
    second -= of_d0 & is(second, 0xB9) & 1;
    second = (second & ~io) | (io & 0xB5);
    cyrillic_t lower = bytes | 0x20, latin = within(lower, 'a', 'z'), digits = within(bytes, '0', '9');
    cyrillic_t plain = (lower & latin) | (bytes & digits) | (~(latin | digits) & ' ');
    cyrillic_t folded = (ascii & plain) | ((d0 | d1) & (bytes ^ (turned & 1))) | (letters & second);
    memcpy(out, &folded, WIDTH);
    return in[WIDTH - 1] >= 0xC0 ? WIDTH - 1 : WIDTH;
}

#undef is
#undef within

/* Folds a vector of Russian. Returns false if nothing was done: the text is not Russian, or the end or a single letter
 * is near. */
INLINE bool VARIANT(fold_cyrillic)(fold_t *fold, const uint8_t *limit) {
    const uint8_t *in = fold->in;
    if (limit - in <= WIDTH || in == fold->begin || fold->after_single) return false;
    if (!may_be_cyrillic(in)) return false;
    size_t taken = VARIANT(put_cyrillic)(in, fold->bytes + fold->n);
    if (!taken) return false;
    if (fold->map) {
        uint32_t *map = fold->map + fold->n, base = (uint32_t)(in - fold->begin);
        for (uint32_t i = 0; i < WIDTH; i++) map[i] = base + i - ((in[i] & 0xC0) == 0x80);
    }
    fold->wide = true;
    fold->in = in + taken;
    fold->n += taken;
    return true;
}
