/* The equal runs of a query and a text. Only those grams of the text are listed that the query has, too. */

#include "asked.h"

typedef struct {
    int32_t name, gram; /* number of the name in the query, and the gram of the text */
} held_t;

enum { USUAL_WORDS = 4 }; /* of a gram; the compiler unrolls the loop for them */

int64_t gram_stop(const ready_t *source, int64_t start, int64_t n_words, int64_t *stop, int64_t *half_words) {
    int64_t n = source->head.n;
    if (start) *half_words -= 2 - source->singles[start - 1];
    bool lone = n == 1; /* a letter that is the whole text is a word */
    for (; *half_words < 2 * n_words && *stop < n; (*stop)++) *half_words += lone ? 2 : 2 - source->singles[*stop];
    return *half_words < 2 * n_words ? -1 : *stop;
}

/* Adds a gram to the list if the query has its name, too. Most grams are told by the sieve. */
INLINE int64_t add_held(const asked_t *asked, const ready_t *source, int64_t start, int64_t stop, held_t *held, int64_t n) {
    uint64_t name = run_name(source->hashes + start, stop - start);
    if (!sieve_has(asked->name_sieve, name)) return n;
    int64_t found = slots_find(&asked->names, name);
    if (found >= 0) held[n++] = (held_t){(int32_t)found, (int32_t)start};
    return n;
}

/* Lists the grams that the query has, too. Returns their number. */
static int64_t list_held(const asked_t *asked, const ready_t *source, held_t *held) {
    int64_t n = 0, stop = 0, half_words = 0, n_words = asked->bars->seed_tokens;
    if (n_words == USUAL_WORDS && source->head.n > 1 && !memchr(source->singles, 1, (size_t)source->head.n)) {
        for (int64_t start = 0; start + USUAL_WORDS <= source->head.n; start++)
            n = add_held(asked, source, start, start + USUAL_WORDS, held, n);
        return n;
    }
    for (int64_t start = 0; start < source->head.n; start++) {
        if (gram_stop(source, start, n_words, &stop, &half_words) < 0) break;
        n = add_held(asked, source, start, stop, held, n);
    }
    return n;
}

/* Groups the grams by name, names in the order of their first grams. `groups` has a zero for each name of the query. Returns
 * the number of names. */
static int64_t group(const held_t *held, int64_t n, int32_t *groups, int32_t *numbers, int64_t *order, int64_t *bounds) {
    int64_t n_names = 0, sum = 0;
    for (int64_t at = 0; at < n; at++) {
        int32_t *group = &groups[held[at].name];
        if (!*group) {
            numbers[n_names++] = held[at].name;
            *group = (int32_t)n_names;
            bounds[n_names] = 0;
        }
        bounds[*group]++;
    }
    for (int64_t name = 1; name <= n_names; name++) { /* each bound is where the name before begins, and moves to its end */
        int64_t count = bounds[name];
        bounds[name] = sum;
        sum += count;
    }
    for (int64_t at = 0; at < n; at++) order[bounds[groups[held[at].name]]++] = held[at].gram;
    bounds[0] = 0;
    return n_names;
}

bool seeds_find(const asked_t *asked, const ready_t *source, runs_t *found) {
    size_t n = (size_t)source->head.n;
    held_t *held = malloc((n + 1) * sizeof *held);
    *found = (runs_t){NULL, 0};
    if (!held) return false;
    int64_t n_held = list_held(asked, source, held);
    size_t n_runs = n_held ? n : 0, n_order = (size_t)n_held;
    uint64_t *sums = malloc((2 * n_runs + 1) * sizeof *sums + (2 * n_order + 1) * sizeof(int64_t) + n_order * sizeof(int32_t));
    int32_t *groups = n_held ? calloc((size_t)asked->grams.n_names, sizeof *groups) : NULL;
    bool done = sums && (groups || !n_held);
    if (done && n_held) {
        uint64_t *back = sums + n + 1;
        int64_t *order = (int64_t *)(back + n), *bounds = order + n_held;
        int32_t *numbers = (int32_t *)(bounds + n_held + 1);
        runs_name(source->hashes, source->head.n, sums, back);
        int64_t n_names = group(held, n_held, groups, numbers, order, bounds);
        const grams_t texts[2] = {asked->grams, {sums, back, NULL, NULL, numbers, order, bounds, source->head.n, n_held, n_names}};
        done = runs_find(texts, found);
    }
    free(held);
    free(groups);
    free(sums);
    return done;
}
