/* All pairs of lists whose Jaccard index is at least a threshold t.
 *
 * Features get ranks, the rarest first; one that a single list has gets none. Two lists of a and b features that are so
 * alike share at least t a features, and t (a + b) / (1 + t). So a list may leave its s = ceil(t a) - 1 most common
 * features uncounted: of the features that both share, the rarest is counted by both. Postings are of counted features
 * alone. The features that one of the two counts up to the least of their last ranks are known by then:
 *
 *     one      2 5 9 │ 30 31 40      counted │ left out
 *     other    5 8 9 12 │ 31 40      both count 5 and 9; behind 9 there may be 3 more
 *
 * If that may be enough, then the ranks of the other that lie behind are looked up among those of the one.
 *
 * Source: Chaudhuri, Ganti & Kaushik 2006, A Primitive Operator for Similarity Joins in Data Cleaning (the prefix
 * filter); Xiao, Wang, Lin & Yu 2008, Efficient Similarity Joins for Near Duplicate Detection (what may be behind). */

#include <math.h>

#include "counters.h"

#define ALMOST (1 - 1e-9) /* of a bound, so that rounding leaves no pair out */

typedef struct {
    const lists_t *lists;
    const telling_t *telling;
    uint32_t *features, *starts, *documents; /* the index of what two have; then `features` are its numbers by rank */
    size_t n_ranks;
    uint32_t *firsts, *n_counted; /* of each list: where its ranks begin, and how many it counts */
    uint32_t *ranks;              /* of each list, ascending; none of a list that counts none */
    uint32_t *stops, *having;     /* the lists that count each rank, ascending, and where they end */
    uint32_t *counts, *met;       /* of the list that probes: counts of other lists, and which are above zero */
    uint8_t *is_own;              /* of each rank: whether the list that probes has it */
} join_t;

/* Gives back what an array has not used. */
static uint32_t *cut(uint32_t *numbers, size_t n) {
    uint32_t *less = realloc(numbers, (n + 1) * sizeof *numbers);
    return less ? less : numbers;
}

/* Inverts what two lists or more have. Returns 0, PMBF_NO_MEMORY or PMBF_UNSORTED. */
static int64_t invert(join_t *join) {
    const size_t n = join->lists->offsets[join->lists->n];
    join->features = malloc((n + 1) * sizeof *join->features);
    join->starts = malloc((n + 1) * sizeof *join->starts);
    join->documents = malloc((n + 1) * sizeof *join->documents);
    if (!join->features || !join->starts || !join->documents) return PMBF_NO_MEMORY;
    const int64_t found = pmbf_invert(join->lists, NULL, 2, join->features, join->starts, join->documents);
    if (found < 0) return found;
    join->n_ranks = (size_t)found;
    join->features = cut(join->features, join->n_ranks);
    join->starts = cut(join->starts, join->n_ranks);
    join->documents = cut(join->documents, join->starts[join->n_ranks]);
    return 0;
}

/* Writes the numbers of the features by rank, over the features. Returns 0 or PMBF_NO_MEMORY. */
static int64_t rank_features(join_t *join) {
    const uint32_t *starts = join->starts;
    uint32_t *places = calloc(join->lists->n + 2, sizeof *places); /* by frequency */
    if (!places) return PMBF_NO_MEMORY;
    for (size_t i = 0; i < join->n_ranks; i++) places[starts[i + 1] - starts[i] + 1]++;
    for (size_t i = 0; i < join->lists->n; i++) places[i + 1] += places[i];
    for (size_t i = 0; i < join->n_ranks; i++) join->features[places[starts[i + 1] - starts[i]]++] = (uint32_t)i;
    free(places);
    return 0;
}

/* Finds out how many features each list counts, and where its ranks begin. */
static void plan_lists(join_t *join) {
    const lists_t *lists = join->lists;
    for (size_t at = 0; at < join->starts[join->n_ranks]; at++) join->firsts[join->documents[at] + 1]++;
    for (size_t i = 0; i < lists->n; i++) {
        const double own = ceil(join->telling->threshold * (double)(lists->offsets[i + 1] - lists->offsets[i]) * ALMOST);
        const uint32_t n_shared = join->firsts[i + 1], n_left_out = own > 1 ? (uint32_t)own - 1 : 0;
        join->n_counted[i] = n_shared > n_left_out ? n_shared - n_left_out : 0;
        join->firsts[i + 1] = join->firsts[i] + (join->n_counted[i] ? n_shared : 0);
    }
}

/* Writes the ranks of each list, and the lists that count each rank. `n_filled` are zeros. */
static void fill_lists(join_t *join, uint32_t *n_filled) {
    uint32_t n = 0;
    for (size_t rank = 0; rank < join->n_ranks; rank++) {
        const uint32_t feature = join->features[rank];
        for (uint32_t at = join->starts[feature]; at < join->starts[feature + 1]; at++) {
            const uint32_t list = join->documents[at];
            if (!join->n_counted[list]) continue;
            const uint32_t place = n_filled[list]++;
            join->ranks[join->firsts[list] + place] = (uint32_t)rank;
            if (place < join->n_counted[list]) join->having[n++] = list;
        }
        join->stops[rank] = n;
    }
}

static void free_index(join_t *join) {
    free(join->features), free(join->starts), free(join->documents);
    join->features = join->starts = join->documents = NULL;
}

/* Returns 0, PMBF_NO_MEMORY or PMBF_UNSORTED. */
static int64_t prepare(join_t *join) {
    const size_t n = join->lists->n;
    size_t n_having = 0;
    int64_t status = invert(join);
    if (!status) status = rank_features(join);
    join->firsts = calloc(n + 1, sizeof *join->firsts), join->n_counted = calloc(n + 1, sizeof *join->n_counted);
    join->counts = calloc(n + 1, sizeof *join->counts), join->met = calloc(n + 1, sizeof *join->met);
    if (!join->firsts || !join->n_counted || !join->counts || !join->met) status = PMBF_NO_MEMORY;
    if (status) return status;
    plan_lists(join);
    for (size_t i = 0; i < n; i++) n_having += join->n_counted[i];
    join->ranks = malloc((join->firsts[n] + 1) * sizeof *join->ranks);
    join->having = malloc((n_having + 1) * sizeof *join->having);
    join->stops = malloc((join->n_ranks + 1) * sizeof *join->stops), join->is_own = calloc(join->n_ranks + 1, 1);
    if (!join->ranks || !join->having || !join->stops || !join->is_own) return PMBF_NO_MEMORY;
    fill_lists(join, join->met);
    free_index(join);
    return 0;
}

/* Counts what later lists share of the counted ranks of one. Returns how many lists share some. */
static size_t meet(const join_t *join, uint32_t list) {
    const uint32_t *own = join->ranks + join->firsts[list];
    size_t n = 0;
    for (size_t i = 0; i < join->n_counted[list]; i++)
        for (size_t at = join->stops[own[i]] - 1; join->having[at] != list; at--) {
            const uint32_t other = join->having[at];
            join->met[n] = other, n += !join->counts[other]++;
        }
    return n;
}

/* Returns the last rank that a list counts. */
static uint32_t last_counted(const join_t *join, uint32_t list) {
    return join->ranks[join->firsts[list] + join->n_counted[list] - 1];
}

/* Keeps of `n` met lists those that may be alike, and returns how many. The counts of the others are zero again. */
static size_t keep_possible(const join_t *join, uint32_t list, size_t n) {
    const uint32_t *firsts = join->firsts, *sizes = join->telling->sizes;
    const double threshold = join->telling->threshold, least_share = threshold / (1 + threshold) * ALMOST;
    const uint32_t n_ranks = firsts[list + 1] - firsts[list], last = last_counted(join, list);
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t other = join->met[i], its_ranks = firsts[other + 1] - firsts[other];
        const bool ends_first = last <= last_counted(join, other);
        const uint32_t n_behind = ends_first ? n_ranks - join->n_counted[list] : its_ranks - join->n_counted[other];
        const size_t most = smaller(join->counts[other] + n_behind, smaller(n_ranks, its_ranks));
        const bool is_kept = (double)most >= least_share * ((double)sizes[list] + sizes[other]);
        join->met[n_kept] = other, n_kept += is_kept;
        if (!is_kept) join->counts[other] = 0;
    }
    return n_kept;
}

/* Returns how many ranks of another list, behind those that are counted already, the list that probes has. */
static uint32_t count_behind(const join_t *join, uint32_t last, uint32_t other) {
    const uint32_t *ranks = join->ranks + join->firsts[other];
    const size_t n = join->firsts[other + 1] - join->firsts[other];
    size_t begin = 0, end = join->n_counted[other];
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (ranks[middle] <= last) begin = middle + 1;
        else end = middle;
    }
    uint32_t found = 0;
    for (size_t i = begin; i < n; i++) found += join->is_own[ranks[i]];
    return found;
}

static int compare_numbers(const void *one, const void *other) {
    const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

/* Appends the later lists that are like one. Returns 0 or PMBF_NO_MEMORY. */
static int64_t join_list(join_t *join, uint32_t list, pairs_t *pairs) {
    if (!join->n_counted[list]) return 0;
    const size_t n = keep_possible(join, list, meet(join, list));
    if (!n) return 0;
    if (pairs_reserve(pairs, n)) return PMBF_NO_MEMORY;
    qsort(join->met, n, sizeof *join->met, compare_numbers);
    const uint32_t last = last_counted(join, list);
    for (size_t i = join->firsts[list]; i < join->firsts[list + 1]; i++) join->is_own[join->ranks[i]] = 1;
    for (size_t i = 0; i < n; i++) {
        const uint32_t other = join->met[i], shared = join->counts[other] + count_behind(join, last, other);
        join->counts[other] = 0;
        pairs->documents[pairs->n] = other, pairs->counts[pairs->n] = shared;
        pairs->n += is_told(shared, other, list, join->telling);
    }
    for (size_t i = join->firsts[list]; i < join->firsts[list + 1]; i++) join->is_own[join->ranks[i]] = 0;
    return 0;
}

/* Tells for each list the later lists that are as similar as `telling` says. Returns 0, PMBF_NO_MEMORY or
 * PMBF_UNSORTED. */
EXPORT int64_t pmbf_jaccard_join(const lists_t *lists, const telling_t *telling, pairs_t *pairs) {
    join_t join = {.lists = lists, .telling = telling};
    int64_t status = prepare(&join);
    pairs->offsets[0] = 0;
    for (size_t i = 0; i < lists->n && !status; i++) {
        status = join_list(&join, (uint32_t)i, pairs);
        pairs->offsets[i + 1] = pairs->n;
    }
    free_index(&join);
    free(join.firsts), free(join.n_counted), free(join.ranks), free(join.stops), free(join.having);
    free(join.counts), free(join.met), free(join.is_own);
    return status;
}
