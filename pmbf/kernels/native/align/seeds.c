/* The equal runs of a query and a text. Only those grams of the text are listed that the query has, too. */

#include "asked.h"

typedef struct {
    int32_t name, gram; /* number of the name in the query, and the gram of the text */
} held_t;

static int compare_held(const void *one, const void *other) {
    const held_t *a = one, *b = other;
    if (a->name != b->name) return a->name < b->name ? -1 : 1;
    return (a->gram > b->gram) - (a->gram < b->gram);
}

/* Returns the stop of the gram of `n_words` words that begins at a token, or -1 if the text ends before. Starts ascend
 * from call to call: `reach` has the stop and the half words of the gram before. */
static int64_t gram_stop(const text_t *text, int64_t start, int64_t n_words, int64_t *stop, int64_t *half_words) {
    if (start) *half_words -= 2 - text->singles[start - 1];
    bool lone = text->n == 1; /* a letter that is the whole text is a word */
    for (; *half_words < 2 * n_words && *stop < text->n; (*stop)++) *half_words += lone ? 2 : 2 - text->singles[*stop];
    return *half_words < 2 * n_words ? -1 : *stop;
}

/* Lists the grams that the query has, too. Returns their number. */
static int64_t list_held(const asked_t *asked, const ready_t *source, const uint64_t *sums, const uint64_t *back, held_t *held) {
    int64_t n = 0, stop = 0, half_words = 0;
    for (int64_t start = 0; start < source->text.n; start++) {
        if (gram_stop(&source->text, start, asked->bars->seed_tokens, &stop, &half_words) < 0) break;
        uint64_t name = (sums[stop] - sums[start]) * back[start];
        if (!sieve_has(asked->name_sieve, name)) continue;
        int64_t found = slots_find(&asked->names, name);
        if (found >= 0) held[n++] = (held_t){(int32_t)found, (int32_t)start};
    }
    return n;
}

/* Groups the grams by name. Returns the number of names. */
static int64_t group(const asked_t *asked, const held_t *held, int64_t n, uint64_t *names, int64_t *order, int64_t *bounds) {
    int64_t n_names = 0;
    for (int64_t at = 0; at < n; at++) {
        order[at] = held[at].gram;
        if (at && held[at].name == held[at - 1].name) continue;
        names[n_names] = asked->names.names[held[at].name];
        bounds[n_names++] = at;
    }
    bounds[n_names] = n;
    return n_names;
}

bool seeds_find(const asked_t *asked, const ready_t *source, runs_t *found, void **memory) {
    size_t n = (size_t)source->text.n;
    uint64_t *sums = *memory = malloc((6 * n + 2) * sizeof *sums), *back = sums + n + 1, *names = back + n;
    *found = (runs_t){NULL, 0};
    if (!sums) return false;
    int64_t *order = (int64_t *)(names + n), *bounds = order + n;
    held_t *held = (held_t *)(void *)(bounds + n + 1);
    runs_name(source->parts.parts[0], source->text.n, sums, back);
    int64_t n_held = list_held(asked, source, sums, back, held);
    if (!n_held) return true;
    qsort(held, (size_t)n_held, sizeof *held, compare_held);
    int64_t n_names = group(asked, held, n_held, names, order, bounds);
    const grams_t texts[2] = {asked->grams, {sums, back, NULL, names, order, bounds, source->text.n, n_held, n_names}};
    return runs_find(texts, found);
}
