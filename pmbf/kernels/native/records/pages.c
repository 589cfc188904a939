/* Checksums of a file's pages, compared when a page is first used. */

#include "pages.h"
#include "records.h"

static uint32_t page_sum(const pages_t *pages, size_t page) {
    const size_t start = page * pages->page_bytes;
    return checksum(pages->file + start, smaller(pages->page_bytes, pages->n_file_bytes - start));
}

int64_t pages_check(const pages_t *pages, size_t first, size_t last) {
    for (size_t page = first; page <= last; page++) {
        if (pages->checked[page]) continue;
        if (page_sum(pages, page) != pages->sums[page]) return (int64_t)page;
        pages->checked[page] = 1;
    }
    return -1;
}

EXPORT void pmbf_page_checksums(const uint8_t *bytes, size_t n_bytes, size_t page_bytes, uint32_t *sums) {
    const pages_t pages = {bytes, n_bytes, page_bytes, NULL, NULL};
    for (size_t page = 0; page * page_bytes < n_bytes; page++) sums[page] = page_sum(&pages, page);
}

/* Checks the pages of n places of `size` bytes each, except pages checked before. Returns the first damaged page, -1 if
 * there is none, or PMBF_REFUSED for a place outside the bytes. */
EXPORT int64_t pmbf_check_pages(const uint8_t *bytes, size_t n_bytes, size_t page_bytes, const uint32_t *sums,
                                uint8_t *checked, const int64_t *offsets, size_t n, size_t size) {
    const pages_t pages = {bytes, n_bytes, page_bytes, sums, checked};
    int64_t damaged = -1;
    for (size_t i = 0; i < n; i++)
        if (offsets[i] < 0 || size > n_bytes || (uint64_t)offsets[i] > n_bytes - size) return PMBF_REFUSED;
    for (size_t i = 0; i < n && size && damaged < 0; i++)
        damaged = pages_check(&pages, (size_t)offsets[i] / page_bytes, ((size_t)offsets[i] + size - 1) / page_bytes);
    return damaged;
}
