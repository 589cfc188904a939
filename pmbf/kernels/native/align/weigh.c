/* Weights: a word that few pages of other texts hold says more. `weigh` of reference_weigh.py has the formulas, with the
 * same operations in the same order, so that the twins agree to the bit. */

#include "weigh.h"

#define UNIT 1024.0               /* of a rarity, in a nat */
#define PRIOR (65536.0 * 500.0)   /* of a prior: in 500 words, in 1/65536 */
#define ROUNDER 6755399441055744.0 /* 1.5 * 2^52: a sum with it has no fraction, halves go to the even number */

static double rounded(double number) {
    double sum = number + ROUNDER;
    return sum - ROUNDER;
}

/* Returns the counts of a key; none for an unknown key. */
static counted_t counts_of(const counts_t *counts, uint64_t key) {
    int64_t slot = (int64_t)(key & (uint64_t)(counts->n_slots - 1));
    for (; counts->slots[slot].n_holding >= 0; slot = (slot + 1) & (counts->n_slots - 1))
        if (counts->slots[slot].key == key) return counts->slots[slot];
    return (counted_t){key, 0, 0};
}

/* Returns how many pages hold the commonest words of a text: of its words by the pages that hold them, the one at the
 * place from which on one in `commonest` follows. All pages do if `commonest` is 0. */
static int64_t pages_like(const counts_t *counts, int64_t n_words, int64_t commonest, const int64_t *pages) {
    if (!commonest) return counts->n_pages;
    int64_t place = n_words - 1 - n_words / commonest, sum = 0, found = 0;
    if (!n_words) return 0;
    while (found < counts->n_pages && (sum += pages[found]) <= place) found++;
    return found;
}

int64_t weigh(const counts_t *counts, const types_of_t *text, int64_t commonest, int32_t *rarities, int32_t *priors, int64_t *pages) {
    for (int64_t type = 0; type < text->n; type++) { /* at first both arrays hold the counts */
        counted_t one = counts_of(counts, text->keys[type]);
        rarities[type] = one.n_holding;
        priors[type] = one.n_times;
        pages[one.n_holding] += text->times[type];
    }
    int64_t n_like = pages_like(counts, text->n_words, commonest, pages);
    double n_words = (double)(counts->n_words * n_like) / (double)greatest(1, counts->n_pages);
    if (n_words < (double)counts->page_words) n_words = (double)counts->page_words;
    for (int64_t type = 0; type < text->n; type++) {
        double rarity = rounded(UNIT * (counts->like_logs[n_like] - counts->logs[rarities[type]]));
        rarities[type] = rarity > 0 ? (int32_t)rarity : 0;
        priors[type] = (int32_t)rounded(PRIOR * ((double)priors[type] + 0.5) / (n_words + 1));
    }
    return n_like;
}

/* Fills the hash table of n keys with their counts. */
EXPORT void pmbf_align_counts(const uint64_t *keys, const int64_t *n_holding, const int64_t *n_times, int64_t n, counted_t *slots, int64_t n_slots) {
    for (int64_t slot = 0; slot < n_slots; slot++) slots[slot] = (counted_t){0, -1, 0};
    for (int64_t at = 0; at < n; at++) {
        int64_t slot = (int64_t)(keys[at] & (uint64_t)(n_slots - 1));
        while (slots[slot].n_holding >= 0) slot = (slot + 1) & (n_slots - 1);
        slots[slot] = (counted_t){keys[at], (int32_t)n_holding[at], (int32_t)n_times[at]};
    }
}

/* Counts the types of a text, and writes their weights. Returns the pages in its language, or ALIGN_NO_MEMORY. */
EXPORT int64_t pmbf_align_weigh(const counts_t *counts, const uint64_t *keys, const int32_t *types, int64_t n_types,
                                int64_t n_words, int64_t commonest, int32_t *rarities, int32_t *priors) {
    int32_t *times = calloc((size_t)n_types + 1, sizeof *times);
    int64_t *pages = calloc((size_t)counts->n_pages + 1, sizeof *pages), n_like = ALIGN_NO_MEMORY;
    if (times && pages) {
        for (int64_t word = 0; word < n_words; word++) times[types[word]]++;
        const types_of_t text = {keys, times, n_types, n_words};
        n_like = weigh(counts, &text, commonest, rarities, priors, pages);
    }
    free(times);
    free(pages);
    return n_like;
}
