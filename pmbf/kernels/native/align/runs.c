/* Equal runs of two texts: grams that both texts have are paired, and each pair grows as far as tokens are equal.
 *
 * The name of a run is (sums[stop] - sums[start]) * back[start] modulo 2^64; equal runs have equal names. See
 * passages/prepared.py. docs/alignment.md, section 8, says which grams are paired. */

#include "runs.h"

typedef struct {
    const grams_t *texts;
    int64_t *partners; /* the source's gram paired with each gram of the query, -1 for none */
    int32_t *groups;   /* number of each gram's name in the source, -1 for none */
    int32_t *shared;   /* the grams of the query that the source has, too, ascending */
    int64_t n_shared;
    run_t *runs;
    int64_t n, capacity;
} work_t;

static uint64_t name(const grams_t *text, int64_t start, int64_t length) {
    return (text->sums[start + length] - text->sums[start]) * text->back[start];
}

/* Returns how many tokens are equal after two borders, or before them. Steps double while all tokens are equal, then
 * halve. */
static int64_t reach(const grams_t *texts, int64_t i, int64_t j, bool forward) {
    int64_t room = forward ? least(texts[QUERY].n_tokens - i, texts[SOURCE].n_tokens - j) : least(i, j);
    int64_t found = 0, step = 1;
    for (bool grows = true; step; step = grows ? 2 * step : step / 2) {
        bool fits = found + step <= room;
        int64_t near = forward ? found : -found - step;
        if (fits && name(&texts[QUERY], i + near, step) == name(&texts[SOURCE], j + near, step)) found += step;
        else grows = false;
    }
    return found;
}

static bool add_run(work_t *work, int64_t start, int64_t stop, int64_t partner) {
    run_t *more = grown(work->runs, work->n, &work->capacity, sizeof *more);
    if (!more) return false;
    work->runs = more;
    int64_t before = reach(work->texts, start, partner, false);
    int64_t after = reach(work->texts, stop, partner + stop - start, true);
    work->runs[work->n++] = (run_t){start - before, stop + after, partner - before};
    return true;
}

/* Adds the runs of pairs that are neighbours in both texts. */
static bool add_runs(work_t *work) {
    const int32_t *shared = work->shared;
    for (int64_t at = 0, next; at < work->n_shared; at = next) {
        next = at + 1;
        int64_t partner = work->partners[shared[at]];
        if (partner < 0) continue;
        while (next < work->n_shared && shared[next] == shared[next - 1] + 1 &&
               work->partners[shared[next]] == work->partners[shared[next - 1]] + 1)
            next++;
        if (!add_run(work, shared[at], work->texts[QUERY].stops[shared[next - 1]], partner)) return false;
    }
    return true;
}

/* Pairs the k-th gram of a name in the query with the k-th in the source; after the source's last gram comes its first
 * again. Counts the grams of the query that stand once in the source, and those that stand there more often. */
static void pair_by_turn(work_t *work, int64_t *n_anchors, int64_t *n_others) {
    const grams_t *query = &work->texts[QUERY], *source = &work->texts[SOURCE];
    *n_anchors = *n_others = 0;
    memset(work->groups, -1, (size_t)query->n_grams * sizeof *work->groups);
    for (int64_t there = 0; there < source->n_names; there++) {
        const int32_t here = source->numbers[there];
        int64_t first = source->bounds[there], size = source->bounds[there + 1] - first;
        for (int64_t at = query->bounds[here], turn = 0; at < query->bounds[here + 1]; at++, turn = turn + 1 < size ? turn + 1 : 0) {
            work->partners[query->order[at]] = source->order[first + turn];
            work->groups[query->order[at]] = (int32_t)there;
            ++*(size == 1 ? n_anchors : n_others);
        }
    }
}

/* Returns the gram of the source with the name `group` that is nearest to a place; of two equally near, the earlier. */
static int64_t nearest(const grams_t *source, int32_t group, int64_t wanted) {
    int64_t low = source->bounds[group], high = source->bounds[group + 1] - 1, first = low;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (source->order[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    int64_t above = source->order[low], below = source->order[greatest(first, low - 1)];
    return llabs(above - wanted) < llabs(below - wanted) ? above : below;
}

static bool is_anchor(const work_t *work, int64_t gram) {
    const int64_t *bounds = work->texts[SOURCE].bounds;
    return work->groups[gram] >= 0 && bounds[work->groups[gram] + 1] - bounds[work->groups[gram]] == 1;
}

/* Pairs each gram that stands more than once in the source with the occurrence nearest to where an anchor leads. The
 * anchor is the last before the gram, or the next behind it; if there is none, then the first or the last of all. */
static void pair_by_anchor(work_t *work, const int64_t *by_turn, bool behind) {
    const int32_t *shared = work->shared;
    int64_t n = work->n_shared, first = 0, last = n - 1;
    while (!is_anchor(work, shared[first])) first++;
    while (!is_anchor(work, shared[last])) last--;
    int64_t anchor = shared[behind ? last : first];
    for (int64_t at = 0; at < n; at++) {
        int64_t gram = shared[behind ? n - 1 - at : at];
        work->partners[gram] = -1;
        if (is_anchor(work, gram)) anchor = gram;
        else work->partners[gram] = nearest(&work->texts[SOURCE], work->groups[gram], by_turn[anchor] + gram - anchor);
    }
}

int runs_compare(const void *one, const void *other) {
    const run_t *a = one, *b = other;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    if (a->stop != b->stop) return a->stop > b->stop ? -1 : 1;
    return (a->partner > b->partner) - (a->partner < b->partner);
}

/* Drops repeated runs, and runs less than half as long as a run that holds them. */
static void keep_leading(work_t *work) {
    int64_t kept = 0;
    run_t leader = {0, 0, 0}, before = {-1, 0, 0};
    if (work->n) qsort(work->runs, (size_t)work->n, sizeof *work->runs, runs_compare);
    for (int64_t at = 0; at < work->n; at++) {
        run_t run = work->runs[at];
        if (run.stop >= leader.stop) leader = run;
        if (runs_compare(&run, &before) && 2 * (run.stop - run.start) >= leader.stop - leader.start) work->runs[kept++] = run;
        before = run;
    }
    work->n = kept;
}

static bool find_runs(work_t *work) {
    size_t n = (size_t)work->texts[QUERY].n_grams;
    int64_t *by_turn = malloc((n + 1) * sizeof *by_turn);
    work->partners = by_turn;
    work->groups = malloc((n + 1) * sizeof *work->groups);
    work->shared = malloc((n + 1) * sizeof *work->shared);
    bool done = work->partners && work->groups && work->shared;
    int64_t n_anchors = 0, n_others = 0;
    if (done) pair_by_turn(work, &n_anchors, &n_others);
    for (size_t gram = 0; done && gram < n; gram++)
        if (work->groups[gram] >= 0) work->shared[work->n_shared++] = (int32_t)gram;
    done = done && add_runs(work);
    if (done && n_anchors && n_others) { /* the anchors are paired already */
        work->partners = malloc((n + 1) * sizeof *work->partners);
        done = work->partners != NULL;
        for (int behind = 0; done && behind < 2; behind++) {
            pair_by_anchor(work, by_turn, behind);
            done = add_runs(work);
        }
        free(work->partners);
    }
    free(by_turn);
    free(work->groups);
    free(work->shared);
    return done;
}

bool runs_find(const grams_t *texts, runs_t *found) {
    work_t work = {.texts = texts};
    bool done = find_runs(&work);
    if (done) keep_leading(&work);
    if (!done || !work.n) {
        free(work.runs);
        work.runs = NULL;
    }
    *found = (runs_t){work.runs, done ? work.n : 0};
    return done;
}
