/* Builds the pages from the ready entries. */

#include "pages.h"

/* Writes a folded letter to the end of its place of `width` bytes. */
static void put(uint8_t *page, uint32_t slot, size_t width, uint32_t ready) {
    size_t length = READY_LENGTH(ready);
    for (size_t i = 0; i < width; i++) {
        size_t before = width - length; /* bytes of the place that are left out */
        uint8_t byte = i < before ? PAGE_LEFT_OUT : (uint8_t)(ready >> (8 * (i - before)));
        page[64 * i + slot] = ready & READY_SPECIAL ? PAGE_SPECIAL : byte;
    }
}

static bool is_mark(uint32_t ready) {
    return READY_LENGTH(ready) && !(ready & (READY_SINGLE | READY_WORD | READY_GAP));
}

static void put_two(uint8_t *pages, uint32_t code, uint32_t ready) {
    if (is_mark(ready) || ready & READY_SINGLE) ready = READY_SPECIAL;
    put(pages + (code >> 6) * PAGE_TWO, code & 63, 2, ready);
}

static void put_three(uint8_t *pages, uint32_t code, uint32_t ready) {
    uint8_t *page = pages + PAGES_THREE + (code >> 6) * PAGE_THREE;
    if (ready & READY_SINGLE && READY_LENGTH(ready) < 3) ready = READY_SPECIAL; /* the kernels expect three bytes */
    put(page, code & 63, 3, ready);
    page[64 * 3 + (code & 63)] = ready & READY_SINGLE ? KIND_SINGLE : is_mark(ready) ? KIND_MARK : 0;
}

uint8_t *pages_build(const uint32_t *ready) {
    uint8_t *pages = calloc(PAGES_SIZE, 1);
    if (!pages) return NULL;
    for (uint32_t code = 0x80; code < 0x800; code++) put_two(pages, code, ready[code]);
    for (uint32_t code = 0x800; code < 0x10000; code++) put_three(pages, code, ready[code]);
    return pages;
}
