/* Stretching: refinement finds the part of each text given the part of the other, and so misses a sentence outside
 * both. Here one end of a part, or of both parts at once, moves to the next border, outwards or inwards, while the sum
 * of both grows. */

#include "chance.h"

enum { STAY = 2, N_ENDS = 2 };

/* Returns the next border from an edge in a direction, or -1 if there is none near. */
static int64_t next_border(const pair_t *pair, int side, int64_t edge, int step) {
    const side_t *text = &pair->sides[side];
    for (int64_t distance = 1; distance <= pair->rules->stretch; distance++) {
        int64_t place = edge + step * distance;
        if (place < 0 || place > text->n) return -1;
        uint8_t border = text->borders[place];
        if (border != PLAIN && (border != LINE || side == SOURCE)) return place;
    }
    return -1;
}

int64_t part_sum(const pair_t *pair, int side, const box_t *box) {
    int64_t sum = 0, n = box->stop[side] - box->start[side];
    window_score(pair, side, box->start[side], box->stop[side], box->start[!side], box->stop[!side]);
    for (int64_t at = 0; at < n; at++) sum += pair->scores[at];
    return sum;
}

int64_t topic_sum(const pair_t *pair, int side, const box_t *box) {
    const side_t *ours = &pair->sides[side], *theirs = &pair->sides[!side];
    int32_t *here = pair->inside[side], *there = pair->inside[!side];
    int64_t n_ours = box->stop[side] - box->start[side], n_theirs = box->stop[!side] - box->start[!side];
    int64_t n_others = ours->n - n_ours + theirs->n - n_theirs + pair->rules->prior_words, sum = 0;
    const odds_t odds = odds_of(pair, n_theirs, n_others);
    const int32_t *tables = pair->tables + (box->kind ? SUMMARY_MATCH : MATCH) * pair->n_buckets;
    for (int64_t at = box->start[side]; at < box->stop[side]; at++) here[ours->classes[at]]++;
    for (int64_t at = box->start[!side]; at < box->stop[!side]; at++) there[theirs->classes[at]]++;
    for (int64_t at = box->start[side]; at < box->stop[side]; at++) {
        int32_t c = ours->classes[at];
        if (!here[c]) continue;
        int64_t outside = (int64_t)ours->counts[c] - here[c] + theirs->counts[c] - there[c];
        uint64_t expected = (uint64_t)least(outside, (int64_t)1 << 20) * 65536 + (uint64_t)pair->priors[c];
        sum += tables[(there[c] ? 0 : pair->n_buckets) + bucket(&odds, expected)];
        here[c] = 0;
    }
    for (int64_t at = box->start[!side]; at < box->stop[!side]; at++) there[theirs->classes[at]] = 0;
    return sum;
}

/* Moves one end of a part, 0 the start or 1 the stop, outwards or inwards. Returns false if there is no border. */
static bool move_end(const pair_t *pair, int side, int end, bool outwards, box_t *box) {
    int32_t *edge = end ? &box->stop[side] : &box->start[side];
    int64_t place = next_border(pair, side, *edge, (end != 0) == outwards ? 1 : -1);
    if (place < 0) return false;
    *edge = (int32_t)place;
    return box->start[side] < box->stop[side];
}

/* Tries a move of one end of the query's part and one end of the source's. `STAY` leaves a part unchanged. */
static bool moved(const pair_t *pair, const box_t *box, int query_end, int source_end, bool outwards, box_t *out) {
    *out = *box;
    if (query_end != STAY && !move_end(pair, QUERY, query_end, outwards, out)) return false;
    return source_end == STAY || move_end(pair, SOURCE, source_end, outwards, out);
}

void box_stretch(const pair_t *pair, box_t *box) {
    int64_t sums[2] = {part_sum(pair, QUERY, box), part_sum(pair, SOURCE, box)};
    for (int64_t round = 0; round < pair->rules->stretches; round++) {
        box_t best = *box;
        int64_t most = sums[0] + sums[1] + pair->rules->stretch_gain, best_sums[2] = {0, 0};
        for (int move = 0; move < 2 * 3 * 3; move++) {
            box_t other;
            int query_end = move / 2 % 3, source_end = move / 6;
            if (query_end == STAY && source_end == STAY) continue;
            if (!moved(pair, box, query_end, source_end, move % 2, &other)) continue;
            int64_t here = part_sum(pair, QUERY, &other), there = part_sum(pair, SOURCE, &other);
            if (here + there <= most) continue;
            best = other;
            most = here + there;
            best_sums[0] = here;
            best_sums[1] = there;
        }
        if (!memcmp(best.start, box->start, sizeof best.start) && !memcmp(best.stop, box->stop, sizeof best.stop)) break;
        *box = best;
        sums[0] = best_sums[0];
        sums[1] = best_sums[1];
    }
    box->score = sums[0] < sums[1] ? sums[0] : sums[1];
}
