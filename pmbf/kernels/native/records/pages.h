/* A file's bytes, cut into pages that are checked when they are first used. */

#pragma once

#include "../bits/bits.h"

/* `checked` says for each page whether it was found intact. */
typedef struct {
    const uint8_t *file; /* or NULL: nothing is left to check */
    uint64_t n_file_bytes, page_bytes;
    const uint32_t *sums;
    uint8_t *checked;
} pages_t;

/* Checks those of some pages that are not checked. Returns the first damaged page, or -1. Two threads may check one. */
int64_t pages_check(const pages_t *pages, size_t first, size_t last);

/* Checks the pages of n bytes at a place, n > 0. Returns 0 or PMBF_REFUSED. */
INLINE int check_pages(const pages_t *pages, const void *at, size_t n) {
    if (!pages->file) return 0;
    const size_t start = (size_t)((const uint8_t *)at - pages->file);
    const size_t first = start / pages->page_bytes, last = (start + n - 1) / pages->page_bytes;
    if (pages->checked[first] && pages->checked[last] && last - first < 2) return 0;
    return pages_check(pages, first, last) < 0 ? 0 : PMBF_REFUSED;
}
