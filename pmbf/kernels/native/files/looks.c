/* What bytes look like before they are decoded. It takes one pass over the bytes of each file that is checked. */

#include "files.h"
#include "../text/utf8.h"

enum { BLOCK = 64, SPACE = 0x20 };

bool is_clean(const uint8_t *bytes, size_t size) {
    if (size >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3)) return false;
    uint8_t unclean = 0;
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = bytes[i];
        unclean |= (uint8_t)((byte < SPACE) & ((uint8_t)(byte - 9) > 4)) | (uint8_t)(byte == 0x7F);
    }
    return !unclean;
}

/* Returns which of up to 64 bytes are spaces or controls. */
static uint64_t spaces_of(const uint8_t *bytes, size_t size) {
    uint8_t block[BLOCK];
    if (size >= BLOCK) return mask_within(bytes, 0, SPACE);
    memset(block, 0xFF, sizeof block);
    memcpy(block, bytes, size);
    return mask_within(block, 0, SPACE);
}

looks_t looks_of(const uint8_t *bytes, size_t size) {
    size_t n_chars, start = 0;
    looks_t looks = {.is_clean = is_clean(bytes, size) && count_utf8_portable(bytes, size, &n_chars)};
    uint64_t before = 0; /* the spaces of the block before */
    for (size_t at = 0; at < size; at += BLOCK) {
        uint64_t spaces = spaces_of(bytes + at, size - at);
        looks.n_apart += count_bits(spaces & (spaces << 2 | before >> 62) & ~(spaces << 1 | before >> 63));
        before = spaces;
        for (; spaces; spaces &= spaces - 1) {
            size_t stop = at + (size_t)__builtin_ctzll(spaces);
            if (stop - start > looks.longest) looks.longest = stop - start;
            start = stop + 1;
        }
    }
    if (size > start && size - start > looks.longest) looks.longest = size - start;
    return looks;
}
