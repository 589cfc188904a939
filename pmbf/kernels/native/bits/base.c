/* The variant that every processor runs: plain C, compiled for the architecture. */

#include "bits.h"

#define VARIANT bits_base
#define MAJ(a, b, c) (((a) & (b)) | (((a) | (b)) & (c)))

#if defined(__x86_64__) && !defined(__POPCNT__)
/* Without the popcount instruction the compiler calls a function. It can vectorise this code instead. */
INLINE uint64_t popcount_word(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    x += x >> 8, x += x >> 16, x += x >> 32;
    return x & 0x7F;
}
#define POPCOUNT popcount_word
#else
#define POPCOUNT __builtin_popcountll
#endif

INLINE line_t load_some(const uint64_t *words, size_t n) {
    line_t line = {0};
    memcpy(&line, words, n * sizeof *words);
    return line;
}

#define LOAD_SOME load_some

#include "variant.h"
