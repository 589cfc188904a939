/* How rare words are, guessed from two texts alone. `guessed` of reference_words.py has the rule. */

#include "asked.h"

bool guess_classes(const asked_t *asked, const ready_t *source, const int32_t *equals, int32_t *rarities, int32_t *priors) {
    const guess_t *guess = asked->guess;
    int64_t n_ours = asked->n_types, n_theirs = source->head.n_types, class = n_ours;
    int32_t *n_holding = malloc((2 * (size_t)n_theirs + 1) * sizeof *n_holding), *n_times = n_holding + n_theirs;
    if (!n_holding) return false;
    int64_t n_pages = counts_pages(source->types, source->head.n, n_theirs, guess->guess_page_words, n_holding, n_times);
    for (int64_t type = 0; type < n_ours; type++) {
        rarities[type] = asked->own_holding[type];
        priors[type] = guess->n_times[type];
    }
    for (int64_t type = 0; n_pages >= 0 && type < n_theirs; type++) {
        if (equals[type] >= 0) { /* where one text is a copy of the other, one of them says nothing */
            rarities[equals[type]] += n_holding[type] - 1;
            priors[equals[type]] += n_times[type];
            continue;
        }
        rarities[class] = n_holding[type];
        priors[class++] = n_times[type];
    }
    free(n_holding);
    if (n_pages < 0) return false;
    const counts_t counts = {.logs = guess->logs,
                             .like_logs = guess->like_logs,
                             .n_pages = n_pages + guess->n_pages,
                             .n_words = source->head.n + guess->n_words,
                             .page_words = guess->page_words};
    counts_weigh(&counts, counts.n_pages, class, rarities, priors);
    return true;
}
