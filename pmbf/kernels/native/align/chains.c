/* Chains: equal runs that follow each other in both texts with small gaps between them. A chain is worth its equal
 * tokens, less a price for each token of its gaps; reference_runs.py says why. */

#include "runs.h"

enum { LOOK_BACK = 32 };
#define GAP_PRICE 0.25

typedef struct {
    double worth;
    int64_t run;
} link_t;

static int compare_links(const void *one, const void *other) {
    const link_t *a = one, *b = other;
    if (a->worth != b->worth) return a->worth > b->worth ? -1 : 1;
    return (a->run > b->run) - (a->run < b->run);
}

/* Writes the worth of the best chain that ends in each run, and the run before it in that chain, or -1. */
static void link_runs(const runs_t *runs, int64_t max_gap, link_t *links, int64_t *before, int64_t *furthest) {
    for (int64_t at = 0; at < runs->n; at++) {
        run_t run = runs->runs[at];
        double best = 0;
        before[at] = -1;
        furthest[at] = at ? greatest(furthest[at - 1], run.stop) : run.stop;
        for (int64_t earlier = at - 1; earlier >= 0 && earlier >= at - LOOK_BACK; earlier--) {
            run_t other = runs->runs[earlier];
            if (run.start - furthest[earlier] > max_gap) break; /* all earlier runs end too far away */
            int64_t gap = run.start - other.stop, gap_there = run.partner - other.partner - (other.stop - other.start);
            int64_t overlap = greatest(0, -least(gap, gap_there)), widest = greatest(gap, gap_there) + overlap;
            if (overlap >= run.stop - run.start || widest > max_gap) continue;
            double brings = links[earlier].worth - (double)overlap - GAP_PRICE * (double)widest;
            if (brings > best) {
                best = brings;
                before[at] = earlier;
            }
        }
        links[at] = (link_t){best + (double)(run.stop - run.start), at};
    }
}

/* Lists the runs of the chains. A chain that reaches a run of an earlier chain begins behind that run. */
static int64_t list_chains(const link_t *links, const int64_t *before, int64_t n, bool *used, int64_t *order, int64_t *bounds) {
    int64_t n_chains = 0, n_listed = 0;
    bounds[0] = 0;
    for (int64_t at = 0; at < n; at++) {
        int64_t first = n_listed;
        for (int64_t run = links[at].run; run >= 0 && !used[run]; run = before[run]) {
            used[run] = true;
            order[n_listed++] = run;
        }
        if (n_listed == first) continue;
        for (int64_t low = first, high = n_listed - 1; low < high; low++, high--) {
            int64_t run = order[low];
            order[low] = order[high];
            order[high] = run;
        }
        bounds[++n_chains] = n_listed;
    }
    return n_chains;
}

int64_t chains_find(const runs_t *runs, int64_t max_gap, int64_t *order, int64_t *bounds) {
    size_t n = (size_t)runs->n;
    link_t *links = malloc((n + 1) * sizeof *links);
    int64_t *before = malloc((2 * n + 1) * sizeof *before), n_chains = ALIGN_NO_MEMORY;
    bool *used = calloc(n + 1, sizeof *used);
    if (links && before && used) {
        link_runs(runs, max_gap, links, before, before + n);
        qsort(links, n, sizeof *links, compare_links);
        n_chains = list_chains(links, before, runs->n, used, order, bounds);
    }
    free(links);
    free(before);
    free(used);
    return n_chains;
}
