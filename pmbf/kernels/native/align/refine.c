/* Refinement: scores each word near a box, and finds where the sums of scores are greatest.
 *
 * A word of one text that stands in the part of the other speaks for copying: the less it was expected there by chance,
 * the more. A word that does not stand there speaks against. The part of each text is found in turn, given the part of
 * the other. */

#include "chance.h"

static void count(int32_t *counts, const side_t *side, int64_t start, int64_t stop) {
    for (int64_t at = start; at < stop; at++) counts[side->classes[at]]++;
}

static void uncount(int32_t *counts, const side_t *side, int64_t start, int64_t stop) {
    for (int64_t at = start; at < stop; at++) counts[side->classes[at]] = 0;
}

void window_score(const pair_t *pair, int side, int64_t low, int64_t high, int64_t start, int64_t stop) {
    const side_t *ours = &pair->sides[side], *theirs = &pair->sides[!side];
    int32_t *here = pair->inside[side], *there = pair->inside[!side];
    const odds_t odds = odds_of_part(pair, side, stop - start);
    count(here, ours, low, high);
    count(there, theirs, start, stop);
    for (int64_t at = low; at < high; at++) {
        int32_t c = ours->classes[at];
        pair->scores[at - low] = (int32_t)class_score(pair, &odds, side, c, here[c], there[c]);
    }
    uncount(here, ours, low, high);
    uncount(there, theirs, start, stop);
}

int64_t greatest_sum(const int32_t *scores, int64_t n, int64_t *start, int64_t *stop) {
    int64_t best = 0, sum = 0, from = 0;
    *start = *stop = 0;
    for (int64_t at = 0; at < n; at++) {
        if (sum <= 0) {
            sum = 0;
            from = at;
        }
        sum += scores[at];
        if (sum > best) {
            best = sum;
            *start = from;
            *stop = at + 1;
        }
    }
    return best;
}

static bool is_border(const pair_t *pair, const snap_t *snap, int64_t edge) {
    return snap->borders >> pair->sides[snap->side].borders[edge] & 1;
}

int64_t snapped(const pair_t *pair, const snap_t *snap, int64_t *sum) {
    const rules_t *rules = pair->rules;
    const uint8_t *borders = pair->sides[snap->side].borders;
    const int32_t *scores = pair->scores;
    int64_t best = INT64_MIN, best_edge = snap->edge, best_change = 0, change = 0;
    const int64_t most = rules->outward_bonus + greatest(0, rules->line_bonus); /* outwards no change is above 0 */
    for (int64_t edge = snap->edge, distance = 0; edge >= snap->low && edge <= snap->high; edge += snap->step, distance++) {
        if (most - rules->step_price * distance < greatest(best, rules->least_snap)) break;
        if (edge != snap->edge) change += scores[(snap->step < 0 ? edge : edge - 1) - snap->low];
        if (!is_border(pair, snap, edge)) continue;
        int64_t value = change - rules->step_price * distance + rules->outward_bonus;
        if (borders[edge] >= SENTENCE_AND_LINE) value += rules->line_bonus;
        if (value > best) best = value, best_edge = edge, best_change = change;
    }
    change = 0;
    for (int64_t distance = 1; distance <= rules->inward; distance++) {
        int64_t edge = snap->edge - snap->step * distance;
        if (snap->step < 0 ? edge >= snap->other : edge <= snap->other) break;
        change -= scores[(snap->step < 0 ? edge - 1 : edge) - snap->low];
        if (!is_border(pair, snap, edge)) continue;
        int64_t value = change - rules->step_price * distance;
        if (borders[edge] >= SENTENCE_AND_LINE) value += rules->line_bonus;
        if (value > best) best = value, best_edge = edge, best_change = change;
    }
    if (best < rules->least_snap) return snap->edge;
    *sum += best_change;
    return best_edge;
}

/* Finds the part of one text again. Returns false if no word there speaks for copying. */
static bool refine_side(const pair_t *pair, int side, box_t *box, int64_t *sum) {
    unsigned borders = 1u << SENTENCE | 1u << SENTENCE_AND_LINE | 1u << PARAGRAPH | (side == SOURCE ? 1u << LINE : 0);
    int64_t low = box->start[side] - pair->rules->margin, high = box->stop[side] + pair->rules->margin, start, stop;
    if (low < 0) low = 0;
    if (high > pair->sides[side].n) high = pair->sides[side].n;
    window_score(pair, side, low, high, box->start[!side], box->stop[!side]);
    *sum = greatest_sum(pair->scores, high - low, &start, &stop);
    if (*sum <= 0) return false;
    start += low;
    stop += low;
    start = snapped(pair, &(snap_t){side, low, high, start, stop, -1, borders}, sum);
    stop = snapped(pair, &(snap_t){side, low, high, stop, start, 1, borders}, sum);
    box->start[side] = (int32_t)start;
    box->stop[side] = (int32_t)stop;
    return start < stop;
}

bool box_refine(const pair_t *pair, box_t *box) {
    int64_t sums[2] = {0, 0};
    for (int64_t round = 0; round < pair->rules->rounds; round++) {
        box_t before = *box;
        for (int side = 0; side < 2; side++)
            if (!refine_side(pair, side, box, &sums[side])) return false;
        if (!memcmp(before.start, box->start, sizeof box->start) && !memcmp(before.stop, box->stop, sizeof box->stop)) break;
    }
    box->score = sums[QUERY] < sums[SOURCE] ? sums[QUERY] : sums[SOURCE];
    return true;
}
