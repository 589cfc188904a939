/* The list of a text's words, part by part: docs/text.md, section 6. A bitmap of the part's range makes the numbers
 * distinct and sorts them. */

#include "samples.h"
#include "wordlist.h"

#define MOST_RANGE ((uint64_t)1 << 32)

enum { AT_ONCE = 4 };

/* Returns the mixed hash of a value, of which the sampler holds the mixed hash itself if shingles have no order. */
INLINE uint64_t mixed_value(const sampler_t *s, size_t at) {
    uint64_t value = ((const uint64_t *)s->values.bytes)[at];
    return s->options->ordered ? fmix64(value) : value;
}

/* Adds the keys of the words of the values [begin, end) to `keys`. Which tokens are words, no processor foresees: no
 * branch. Returns the number of keys. */
static size_t put_words(const sampler_t *s, size_t begin, size_t end, uint32_t *keys) {
    const uint64_t *values = (const uint64_t *)s->values.bytes;
    const uint8_t *are_words = s->are_words.bytes;
    size_t n = 0;
    if (s->options->ordered)
        for (size_t i = begin; i < end; n += are_words[i++]) keys[n] = (uint32_t)(fmix64(values[i]) >> 32);
    else
        for (size_t i = begin; i < end; n += are_words[i++]) keys[n] = (uint32_t)(values[i] >> 32);
    return n;
}

/* Adds the keys of the pairs of single letters whose first is among the values [begin, end). */
static size_t put_pairs(const sampler_t *s, size_t begin, size_t end, uint32_t *keys) {
    const uint8_t *singles = s->singles.bytes;
    const size_t last = s->singles.size - 1;
    size_t n = 0;
    for (size_t i = begin; i < smaller(end, last); i++)
        if (singles[i] && singles[i + 1])
            keys[n++] = pair_key(mixed_value(s, i), mixed_value(s, i + 1));
    return n;
}

static bool put_keys(sampler_t *s, size_t begin, size_t end) {
    if (begin == end) return true;
    uint32_t *keys = array_room(&s->keys, (end - begin + AT_ONCE) * sizeof *keys); /* for `put_numbers` */
    if (!keys) return false;
    size_t n = put_words(s, begin, end, keys);
    if (memchr(s->singles.bytes + begin, 1, end - begin)) n += put_pairs(s, begin, end, keys + n);
    s->keys.size += n * sizeof *keys;
    return true;
}

/* Writes which bits of a bitmap are set, ascending, four at a time: a branch for each would be mispredicted. Writes up
 * to three numbers more. Returns how many bits are set. */
static size_t put_numbers(const uint64_t *bits, size_t n_words, uint32_t *numbers) {
    uint32_t *out = numbers;
    for (size_t word = 0; word < n_words; word++) {
        uint64_t left = bits[word];
        for (uint32_t *end = out + count_bits(left); out < end;) {
            const size_t n = smaller((size_t)(end - out), AT_ONCE);
            for (size_t i = 0; i < AT_ONCE; i++, left &= left - 1)
                out[i] = (uint32_t)(64 * word) + (uint32_t)__builtin_ctzll(left | (uint64_t)1 << 63);
            out += n;
        }
    }
    return (size_t)(out - numbers);
}

/* Writes the gaps between n numbers. Returns their end. */
static uint8_t *put_gaps(const uint32_t *numbers, size_t n, uint8_t *out) {
    for (size_t i = 0; i < n; i++) {
        uint32_t gap = numbers[i] - (i ? numbers[i - 1] : 0);
        for (; RARE(gap >= FULL_GAP); gap -= FULL_GAP) *out++ = FULL_GAP;
        *out++ = (uint8_t)gap;
    }
    return out;
}

/* Closes a part, which has the keys gathered. */
static bool close_part(sampler_t *s) {
    uint32_t *keys = (uint32_t *)(void *)s->keys.bytes;
    const size_t n = s->keys.size / sizeof *keys;
    const uint64_t wanted = (uint64_t)n * NUMBERS_PER_WORD, range = wanted < MOST_RANGE ? wanted : MOST_RANGE;
    const size_t n_words = range / 64 + 1;
    uint64_t *bits = array_room(&s->bits, n_words * sizeof *bits);
    uint8_t *list = array_room(&s->words, LIST_HEAD_BYTES + n + range / FULL_GAP + 1);
    if (!bits || !list) return false;
    memset(bits, 0, n_words * sizeof *bits);
    for (size_t i = 0; i < n; i++) set_bit(bits, keys[i] * range >> 32);
    const uint32_t head[2] = {(uint32_t)n, (uint32_t)put_numbers(bits, n_words, keys)};
    memcpy(list, head, LIST_HEAD_BYTES);
    s->words.size += (size_t)(put_gaps(keys, head[1], list + LIST_HEAD_BYTES) - list);
    s->keys.size = 0;
    s->part++;
    return true;
}

bool wordlist_take(sampler_t *s, size_t n) {
    size_t begin = 0;
    while (s->part + 1 < s->cuts.next && s->cuts.cut_tokens[s->part + 1] <= s->first_token + n) {
        size_t end = s->cuts.cut_tokens[s->part + 1] - s->first_token;
        if (!put_keys(s, begin, end) || !close_part(s)) return false;
        begin = end;
    }
    if (!put_keys(s, begin, n)) return false;
    array_drop(&s->are_words, n);
    return true;
}

bool wordlist_end(sampler_t *s) {
    while (s->part < s->cuts.n_segments)
        if (!close_part(s)) return false;
    return true;
}
