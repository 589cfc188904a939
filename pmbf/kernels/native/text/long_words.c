/* Long words on every processor. */

#include "shingles.h"
#include "murmur.h"
#include "tokens.h"

enum { GROUP = 8, FIRST_BYTES = 16 };

/* Returns how many of eight bytes are in [0x80, 0xBF]. */
INLINE uint64_t count_tails(uint64_t word) {
    const uint64_t ones = 0x0101010101010101u;
    return (word >> 7 & ~(word >> 6) & ones) * ones >> 56;
}

/* Returns whether a token has at least `least` code points. Nearly always its first 16 bytes tell, without a branch:
 * how long a word is, no processor foresees. Reads 16 bytes. */
INLINE uint8_t has_chars(const uint8_t *at, size_t size, size_t least) {
    size_t first = smaller(size, FIRST_BYTES);
    size_t n_chars = first - count_tails(load64(at) & murmur_keep_low[first]);
    n_chars -= count_tails(load64(at + 8) & murmur_keep_high[first]);
    if (RARE(size > FIRST_BYTES && n_chars < least)) return count_chars_portable(at, at + size) >= least;
    return n_chars >= least;
}

static bool are_all_singles(const uint8_t *singles) { return load64(singles) == 0x0101010101010101u; }

void longs_of(const fold_t *fold, const tokens_t *tokens, size_t begin, size_t n, size_t least, uint8_t *longs) {
    const uint32_t *starts = tokens->starts, *stops = tokens->stops;
    for (size_t end; begin < n; begin = end) {
        end = smaller(n, begin + GROUP);
        if (fold->has_singles && end - begin == GROUP && are_all_singles(tokens->singles + begin)) {
            memset(longs + begin, 0, GROUP);
            continue;
        }
        for (size_t i = begin; i < end; i++) {
            size_t size = stops[i] - starts[i];
            longs[i] = fold->wide ? has_chars(fold->bytes + starts[i], size, least) : size >= least;
        }
        if (fold->has_singles)
            for (size_t i = begin; i < end; i++) longs[i] &= !tokens->singles[i];
    }
}

void longs_portable(const fold_t *fold, const tokens_t *tokens, size_t n, size_t least, uint8_t *longs) {
    longs_of(fold, tokens, 0, n, least, longs);
}

/* The long words are listed first, block by block and without branches: which words are long is not predicted. */
void join_long_words_portable(const uint64_t *values, const long_words_t *words, size_t n, halves_t hashes) {
    size_t before = SIZE_MAX - words->reach; /* the long word before; out of reach if there is none */
    uint64_t value_before = 0;
    for (size_t begin = 0; begin < words->n_values; begin += SUMS) {
        size_t at[SUMS], n_long = 0, end = smaller(words->n_values, begin + SUMS);
        for (size_t i = begin; i < end; i++) {
            at[n_long] = i;
            n_long += words->are[i];
        }
        for (size_t k = 0; k < n_long; k++) {
            uint64_t value = words->mixed ? values[at[k]] : fmix64(values[at[k]]);
            if (before < n && at[k] - before <= words->reach) {
                uint64_t hash = joined_hash(value_before, value);
                hashes.upper[before] = (uint32_t)(hash >> 32);
                if (hashes.lower) hashes.lower[before] = (uint32_t)hash;
            }
            before = at[k], value_before = value;
        }
    }
}
