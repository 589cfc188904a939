/* Pages of 64 bytes, which the vector kernels look up with the last six bits of a character in UTF-8, by byte shuffles.
 *
 *     two bytes     page by the first byte: 64 first folded bytes, 64 second folded bytes                  32 pages
 *     three bytes   page by the first two bytes: 64 first, 64 second, 64 third folded bytes, 64 kinds    1024 pages
 *
 * A folded byte of 0 is left out, so shorter letters stand at the end of their place. A first byte of 1 marks a
 * character for special.c.
 */

#pragma once

#include "text.h"

enum { PAGE_TWO = 128, PAGE_THREE = 256, PAGES_THREE = 32 * PAGE_TWO, PAGES_SIZE = PAGES_THREE + 1024 * PAGE_THREE };
enum { PAGE_LEFT_OUT = 0, PAGE_SPECIAL = 1 };
enum { KIND_SINGLE = 1, KIND_MARK = 2 };

INLINE const uint8_t *page_two(const uint8_t *pages, uint8_t lead) { return pages + (lead & 31) * PAGE_TWO; }
INLINE const uint8_t *page_three(const uint8_t *pages, uint8_t lead, uint8_t second) {
    return pages + PAGES_THREE + ((lead & 15) << 6 | (second & 63)) * PAGE_THREE;
}

/* Returns the pages of the ready entries, or NULL if out of memory. */
uint8_t *pages_build(const uint32_t *ready);
bool text_avx2_runs(void);
bool text_avx512_runs(void);
