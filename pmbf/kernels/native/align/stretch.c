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

/* The parts of a box, counted: how often each class stands in each is `inside`. Scores depend on the length of a part, so
 * all change with an edge, but words of a class have one score. */
typedef struct {
    const pair_t *pair;
    box_t box;
    int64_t n_listed; /* classes that stood in a part at some time */
} counted_box_t;

/* Counts the words `[start, stop)` of one text once more, or once less if `start` is behind `stop`. */
static void count_words(counted_box_t *counted, int side, int64_t start, int64_t stop) {
    const pair_t *pair = counted->pair;
    const int32_t *classes = pair->sides[side].classes;
    for (int64_t at = stop; at < start; at++) pair->inside[side][classes[at]]--;
    for (int64_t at = start; at < stop; at++) {
        int32_t c = classes[at];
        pair->inside[side][c]++;
        if (!pair->is_listed[c]) pair->listed[counted->n_listed++] = c;
        pair->is_listed[c] = true;
    }
}

static void count_moved(counted_box_t *counted, const box_t *to) {
    for (int side = 0; side < 2; side++) {
        count_words(counted, side, to->start[side], counted->box.start[side]);
        count_words(counted, side, counted->box.stop[side], to->stop[side]);
    }
    counted->box = *to;
}

/* Writes `part_sum` of both texts. */
static void sum_parts(const counted_box_t *counted, int64_t *sums) {
    const pair_t *pair = counted->pair;
    const box_t *box = &counted->box;
    const odds_t odds[2] = {odds_of_part(pair, QUERY, box->stop[SOURCE] - box->start[SOURCE]),
                            odds_of_part(pair, SOURCE, box->stop[QUERY] - box->start[QUERY])};
    sums[QUERY] = sums[SOURCE] = 0;
    for (int64_t at = 0; at < counted->n_listed; at++) {
        int32_t c = pair->listed[at];
        int64_t here = pair->inside[QUERY][c], there = pair->inside[SOURCE][c];
        if (here) sums[QUERY] += here * class_score(pair, &odds[QUERY], QUERY, c, here, there);
        if (there) sums[SOURCE] += there * class_score(pair, &odds[SOURCE], SOURCE, c, there, here);
    }
}

static void uncount_all(const counted_box_t *counted) {
    const pair_t *pair = counted->pair;
    for (int64_t at = 0; at < counted->n_listed; at++) {
        int32_t c = pair->listed[at];
        pair->inside[QUERY][c] = pair->inside[SOURCE][c] = 0;
        pair->is_listed[c] = false;
    }
}

/* Finds the best move of a box, and the sums after it. Returns false if none is good enough. */
static bool best_move(counted_box_t *counted, const box_t *box, box_t *best, int64_t *best_sums) {
    int64_t most = best_sums[QUERY] + best_sums[SOURCE] + counted->pair->rules->stretch_gain, sums[2];
    bool found = false;
    for (int move = 0; move < 2 * 3 * 3; move++) {
        box_t other;
        int query_end = move / 2 % 3, source_end = move / 6;
        if (query_end == STAY && source_end == STAY) continue;
        if (!moved(counted->pair, box, query_end, source_end, move % 2, &other)) continue;
        count_moved(counted, &other);
        sum_parts(counted, sums);
        if (sums[QUERY] + sums[SOURCE] <= most) continue;
        found = true;
        *best = other;
        most = sums[QUERY] + sums[SOURCE];
        memcpy(best_sums, sums, sizeof sums);
    }
    return found;
}

void box_stretch(const pair_t *pair, box_t *box) {
    counted_box_t counted = {.pair = pair, .box = {{box->start[QUERY], box->start[SOURCE]}, {box->start[QUERY], box->start[SOURCE]}, 0, 0}};
    int64_t sums[2];
    count_moved(&counted, box);
    sum_parts(&counted, sums);
    for (int64_t round = 0; round < pair->rules->stretches; round++) {
        box_t best;
        if (!best_move(&counted, box, &best, sums)) break;
        *box = best;
    }
    uncount_all(&counted);
    box->score = least(sums[QUERY], sums[SOURCE]);
}
