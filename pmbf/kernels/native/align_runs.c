/* Runs: how far equal tokens go on from two borders, in few steps whatever their number.
 *
 * The name of a run is (sums[stop] - sums[start]) * back[start] modulo 2^64; equal runs have equal names. See
 * verify/prepared.py. */

#include "align.h"

/* What names the runs of a text of n tokens: sums has n + 1 places, back has n. `Runs` of align_rules.py. */
typedef struct {
    const uint64_t *sums, *back;
    int64_t n;
} runs_t;

static uint64_t name(const runs_t *text, int64_t start, int64_t length) {
    return (text->sums[start + length] - text->sums[start]) * text->back[start];
}

/* Writes for each pair of borders how many tokens are equal after them, or before them. */
ALIGN_EXPORT void pmbf_align_reach(const runs_t *texts, const int64_t *here, const int64_t *there, int64_t n, int forward, int64_t *reach) {
    for (int64_t at = 0; at < n; at++) {
        int64_t i = here[at], j = there[at], found = 0, step = 1;
        int64_t room = forward ? least(texts[QUERY].n - i, texts[SOURCE].n - j) : least(i, j);
        while (step <= room / 2) step *= 2;
        for (; step; step /= 2) {
            if (found + step > room) continue;
            int64_t start = forward ? i + found : i - found - step, start_there = forward ? j + found : j - found - step;
            if (name(&texts[QUERY], start, step) == name(&texts[SOURCE], start_there, step)) found += step;
        }
        reach[at] = found;
    }
}
