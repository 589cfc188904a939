/* Weights: a word that few pages of other texts hold says more. `weigh` of reference_words.py has the formulas, with the
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
static counted_t counts_of(const counted_t *slots, int64_t n_slots, uint64_t key) {
    int64_t slot = (int64_t)(key & (uint64_t)(n_slots - 1));
    for (; slots[slot].n_holding >= 0; slot = (slot + 1) & (n_slots - 1))
        if (slots[slot].key == key) return slots[slot];
    return (counted_t){key, 0, 0};
}

void counts_find(const counted_t *slots, int64_t n_slots, const uint64_t *keys, int64_t n, int32_t *n_holding, int32_t *n_times) {
    for (int64_t type = 0; type < n; type++) {
        counted_t one = counts_of(slots, n_slots, keys[type]);
        n_holding[type] = one.n_holding;
        n_times[type] = one.n_times;
    }
}

/* The commonest words of a text are those from the place on behind which one word in `commonest` follows, if the words go
 * by the pages that hold them. All pages are in its language if `commonest` is 0. */
int64_t counts_like(const counts_t *counts, int64_t commonest, const int32_t *n_holding, const int32_t *types, int64_t n) {
    if (!commonest) return counts->n_pages;
    if (!n) return 0;
    int32_t *words = calloc((size_t)counts->n_pages + 1, sizeof *words); /* that so many pages hold */
    if (!words) return ALIGN_NO_MEMORY;
    for (int64_t word = 0; word < n; word++) words[n_holding[types[word]]]++;
    int64_t found = counts->n_pages, rest = n / commonest; /* behind the place */
    while (found > 0 && (rest -= words[found]) >= 0) found--;
    free(words);
    return found;
}

void counts_weigh(const counts_t *counts, int64_t n_like, int64_t n, int32_t *n_holding, int32_t *n_times) {
    double n_words = (double)(counts->n_words * n_like) / (double)greatest(1, counts->n_pages), like = counts->like_logs[n_like];
    if (n_words < (double)counts->page_words) n_words = (double)counts->page_words;
    for (int64_t type = 0; type < n; type++) {
        double rarity = rounded(UNIT * (like - counts->logs[n_holding[type]]));
        n_holding[type] = rarity > 0 ? (int32_t)rarity : 0;
        n_times[type] = (int32_t)rounded(PRIOR * ((double)n_times[type] + 0.5) / (n_words + 1));
    }
}

int64_t counts_pages(const int32_t *types, int64_t n, int64_t n_types, int64_t page_words, int32_t *n_holding, int32_t *n_times) {
    int64_t n_pages = greatest(1, (int64_t)rounded((double)n / (double)page_words));
    int32_t *last = malloc(((size_t)n_types + 1) * sizeof *last); /* the page that held each type last */
    if (!last) return ALIGN_NO_MEMORY;
    for (int64_t type = 0; type < n_types; type++) {
        n_holding[type] = n_times[type] = 0;
        last[type] = -1;
    }
    for (int64_t word = 0; word < n; word++) {
        int32_t type = types[word], page = (int32_t)(word * n_pages / n);
        n_times[type]++;
        if (last[type] != page) n_holding[type]++;
        last[type] = page;
    }
    free(last);
    return n_pages;
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
