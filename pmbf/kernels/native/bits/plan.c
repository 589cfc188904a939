#include "plan.h"

static size_t size_at(const plan_t *plan, size_t w) { return (size_t)(plan->windows[w][1] - plan->windows[w][0]); }

static int inside(const int64_t window[2], size_t n_hashes) {
    return window[0] >= 0 && window[0] <= window[1] && window[1] <= (int64_t)n_hashes;
}

/* Finds where the walk begins and ends. If all windows are empty, then both are equal. Returns 0 or PMBF_REFUSED. */
static int find_span(plan_t *plan, size_t n_hashes) {
    plan->first = SIZE_MAX, plan->last = 0;
    for (size_t w = 0; w < plan->n_windows; w++) {
        if (!inside(plan->windows[w], n_hashes)) return PMBF_REFUSED;
        if (!size_at(plan, w)) continue;
        plan->first = smaller(plan->first, (size_t)plan->windows[w][0]);
        if ((size_t)plan->windows[w][1] > plan->last) plan->last = (size_t)plan->windows[w][1];
    }
    if (plan->first > plan->last) plan->first = plan->last = 0;
    plan->n_planes = planes_for(plan->last - plan->first);
    return 0;
}

/* Chains the windows that stop at each place, and numbers the counters to be saved. Returns the number of counters. */
static int32_t mark_ends(plan_t *plan) {
    int32_t n_saved = 0;
    size_t largest = 0;
    memset(plan->stopping, 0xFF, (plan->last + 1) * sizeof *plan->stopping);
    memset(plan->saving, 0xFF, (plan->last + 1) * sizeof *plan->saving);
    for (size_t w = 0; w < plan->n_windows; w++) {
        if (!size_at(plan, w)) continue;
        size_t start = (size_t)plan->windows[w][0], stop = (size_t)plan->windows[w][1];
        plan->next[w] = plan->stopping[stop];
        plan->stopping[stop] = (int32_t)w;
        if (start == plan->first) continue;
        if (plan->saving[start] == NONE) plan->saving[start] = n_saved++;
        if (stop - start > largest) largest = stop - start;
    }
    plan->n_saved_planes = planes_for(largest);
    return n_saved;
}

int plan_windows(plan_t *plan, size_t n_hashes, const int64_t *windows, size_t n_windows) {
    *plan = (plan_t){.windows = (const int64_t (*)[2])windows, .n_windows = n_windows};
    if (find_span(plan, n_hashes)) return PMBF_REFUSED;
    plan->stopping = malloc((plan->last + 1) * sizeof *plan->stopping);
    plan->saving = malloc((plan->last + 1) * sizeof *plan->saving);
    plan->next = malloc((n_windows + 1) * sizeof *plan->next);
    if (!plan->stopping || !plan->saving || !plan->next) return PMBF_NO_MEMORY;
    plan->saved = new_lines((size_t)mark_ends(plan) * plan->n_saved_planes);
    return plan->saved ? 0 : PMBF_NO_MEMORY;
}

void plan_free(plan_t *plan) {
    free(plan->stopping), free(plan->saving), free(plan->next);
    free(plan->saved);
}
