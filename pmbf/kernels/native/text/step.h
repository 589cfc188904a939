/* Folds a vector of bytes at a time. The including file defines the vectors:
 *
 *     vec_t, WIDTH                         a vector of 32 or 64 bytes; bit i of a mask stands for byte i
 *     vec_load(at, size)                   the first `size` bytes, 1 to WIDTH, then zeros; no byte behind them is read
 *     bits_equal(v, byte)                  which bytes equal `byte`
 *     bits_within(v, low, high)            which bytes are in [low, high]
 *     bits_high(v), bits_kept(v)           which bytes are 0x80 or more; which are not 0
 *     bits_tails(v)                        which bytes are in [0x80, 0xBF]
 *     vec_fold_ascii(v)                    ASCII folded; bytes from 0x80 on unchanged
 *     vec_down(v, n)                       moved down by n bytes; the last n bytes may be anything
 *     vec_look_up(old, mask, index, page)  page[index % 64] for the bytes of the mask, else `old`
 *     vec_count_up(), vec_minus(v, m, n)   0, 1, 2, …; v less n for the bytes of the mask m
 *     vec_squeeze(out, v, keep)            writes the bytes of `keep` side by side; writes up to WIDTH + 8 bytes
 *     squeezed(bits, keep)                 the bits at the places of `keep`, side by side
 *     VARIANT(name)                        the name of a function in this variant
 *
 * Letters of two and three bytes are looked up in pages of 64 (pages.h), one page after another as they occur, and
 * written over their own places. Then the bytes that are left out are squeezed out. A step ends before a character of
 * special.c, which is folded alone.
 */

#include "cyrillic.h"
#include "pages.h"
#include "utf8.h"

/* A vector of text while it is folded. */
typedef struct {
    vec_t bytes, next, third; /* the bytes; the bytes moved down by one and by two */
    vec_t folded;
    uint64_t singles, marks;  /* a bit at the first byte of each */
    uint64_t seconds, thirds; /* second and third bytes of characters */
    uint64_t special;         /* first bytes of characters for special.c */
    uint64_t cut;             /* first byte of a character that is cut off */
} step_t;

/* Returns the hyphens that may break a word: a blank or a line end follows, or the next byte is unknown. */
INLINE uint64_t line_hyphens(vec_t bytes, uint64_t valid) {
    uint64_t hyphens = bits_equal(bytes, '-') | bits_equal(bytes, 2);
    if (!hyphens) return 0;
    uint64_t blanks = bits_equal(bytes, ' ') | bits_within(bytes, '\t', '\r');
    return hyphens & (blanks >> 1 | ~(valid >> 1));
}

/* Looks up the characters of `leads` that begin with byte `lead`, and returns the others. */
INLINE uint64_t look_up_page(step_t *step, const uint8_t *pages, uint8_t lead, uint64_t leads) {
    const uint8_t *page = page_two(pages, lead);
    uint64_t same = bits_equal(step->bytes, lead) & leads;
    step->folded = vec_look_up(step->folded, same, step->next, page);
    step->folded = vec_look_up(step->folded, same << 1, step->bytes, page + 64);
    return leads & ~same;
}

INLINE void look_up_two(step_t *step, const uint8_t *pages, const uint8_t *in, uint64_t leads) {
    if (bits_within(step->bytes, 0xD0, 0xD1)) { /* Cyrillic nearly always has both: no branch for each */
        leads = look_up_page(step, pages, 0xD0, leads);
        leads = look_up_page(step, pages, 0xD1, leads);
    }
    while (leads) leads = look_up_page(step, pages, in[__builtin_ctzll(leads)], leads);
}

INLINE void look_up_three(step_t *step, const uint8_t *pages, const uint8_t *in, uint64_t leads) {
    while (leads) {
        const uint8_t *at = in + __builtin_ctzll(leads);
        const uint8_t *page = page_three(pages, at[0], at[1]);
        uint64_t same = bits_equal(step->bytes, at[0]) & bits_equal(step->next, at[1]) & leads;
                vec_t kinds = vec_look_up((vec_t){0}, same, step->third, page + 192);
        step->folded = vec_look_up(step->folded, same, step->third, page);
        step->folded = vec_look_up(step->folded, same << 1, step->next, page + 64);
        step->folded = vec_look_up(step->folded, same << 2, step->bytes, page + 128);
        step->singles |= bits_equal(kinds, KIND_SINGLE);
        step->marks |= bits_equal(kinds, KIND_MARK);
        leads &= ~same;
    }
}

/* Folds the characters that are not ASCII. `folded` has the ASCII bytes. */
INLINE void fold_wide(step_t *step, const uint8_t *pages, const uint8_t *in, uint64_t valid) {
    uint64_t twos = bits_within(step->bytes, 0xC2, 0xDF), threes = bits_within(step->bytes, 0xE0, 0xEF);
    step->cut = (twos & ~(valid >> 1)) | (threes & ~(valid >> 2));
    step->special |= bits_within(step->bytes, 0xF0, 0xFF);
    step->seconds = (twos | threes) << 1;
    step->thirds = threes << 2;
    step->next = vec_down(step->bytes, 1);
    look_up_two(step, pages, in, twos & ~step->cut);
    threes &= ~step->cut;
    if (!threes) return;
    step->third = vec_down(step->bytes, 2);
    /* Han from U+4E00 on folds to itself, and so do Hangul syllables except those of the last page. */
    uint64_t han = bits_within(step->bytes, 0xE5, 0xE9) |
                   (bits_equal(step->bytes, 0xE4) & bits_within(step->next, 0xB8, 0xFF));
    uint64_t hangul = bits_within(step->bytes, 0xEB, 0xEC) |
                      (bits_equal(step->bytes, 0xEA) & bits_within(step->next, 0xB0, 0xFF));
    step->singles = han & threes;
    look_up_three(step, pages, in, threes & ~(han | hangul));
}

/* Sets bits from `at` on. */
INLINE void or_bits(uint64_t *words, size_t at, uint64_t bits) {
    words[at / 64] |= bits << (at % 64);
    if (at % 64) words[at / 64 + 1] |= bits >> (64 - at % 64);
}

/* Notes where single letters begin, and words after them. `keep` are the bytes that stay. */
INLINE void note_singles(fold_t *fold, const step_t *step, uint64_t taken, uint64_t keep) {
    uint64_t firsts = step->singles & taken, width = count_bits(keep);
    if (firsts) fold_first_single(fold);
    if (!width) return;
    uint64_t singles = squeezed(firsts | firsts << 1 | firsts << 2, keep);
    uint64_t gaps = squeezed(bits_equal(step->folded, ' '), keep);
    uint64_t after = singles << 1 | fold->after_single;
    uint64_t inside = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
    firsts = squeezed(firsts, keep);
    or_bits(fold->singles, fold->n, firsts);
    or_bits(fold->begins, fold->n, firsts | (after & ~gaps & ~singles & inside));
    fold->after_single = singles >> (width - 1) & 1;
}

/* Notes for each kept byte where its character begins. */
INLINE void note_origins(fold_t *fold, const step_t *step, uint64_t keep) {
    uint8_t offsets[WIDTH + 8];
    uint32_t *map = fold->map + fold->n, base = (uint32_t)(fold->in - fold->begin);
    vec_squeeze(offsets, vec_minus(vec_minus(vec_count_up(), step->seconds, 1), step->thirds, 2), keep);
    for (int i = 0; i < WIDTH; i++) map[i] = base + offsets[i];
}

/* Folds up to WIDTH bytes. Returns false if out of memory. */
INLINE bool fold_step(fold_t *fold, const uint8_t *limit) {
    const uint8_t *in = fold->in;
    size_t size = smaller((size_t)(limit - in), WIDTH);
    uint64_t valid = UINT64_MAX >> (64 - size);
    step_t step = {.bytes = vec_load(in, size)};
    step.special = line_hyphens(step.bytes, valid);
    step.folded = vec_fold_ascii(step.bytes);
    if (bits_high(step.bytes)) {
        fold_wide(&step, fold->table->pages, in, valid);
        step.special |= bits_equal(step.folded, PAGE_SPECIAL) & valid;
        if (RARE(step.marks) && (step.singles || fold->after_single)) step.special |= step.marks;
    }
    uint64_t stops = step.special | step.cut, stop = stops & (0 - stops), taken = stops ? stop - 1 : valid;
    uint64_t keep = bits_kept(step.folded) & taken;
    if (RARE(fold->after_single) || step.singles & taken) note_singles(fold, &step, taken, keep);
    if (fold->map) note_origins(fold, &step, keep);
    fold->wide |= (bits_high(step.folded) & keep) != 0;
    vec_squeeze(fold->bytes + fold->n, step.folded, keep);
    fold->n += count_bits(keep);
    fold->in += count_bits(taken);
    return !(stop & step.special) || fold_special(fold);
}

bool VARIANT(fold)(fold_t *fold, const uint8_t *limit) {
    while (fold->in < limit)
        if (!VARIANT(fold_cyrillic)(fold, limit) && !fold_step(fold, limit)) return false;
    return true;
}
