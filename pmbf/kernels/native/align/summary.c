/* A summary: a short part of the query whose words stand all over the source, not in one part of it. */

#include "chance.h"

typedef struct {
    int64_t start, stop, score;
} part_t;

/* Returns the part of the query that the whole source explains best, between two borders; an empty part if its score is too
 * low for a summary. Borders only lower the score. */
static part_t best_part(const pair_t *pair) {
    const side_t *query = &pair->sides[QUERY], *source = &pair->sides[SOURCE];
    unsigned borders = 1u << SENTENCE | 1u << SENTENCE_AND_LINE | 1u << PARAGRAPH | 1u << LINE;
    const odds_t odds = odds_of(pair, source->n, pair->rules->prior_words);
    int32_t *known = pair->listed; /* scores of classes */
    part_t part = {0, 0, 0};
    for (int64_t c = 0; c < pair->n_classes; c++) known[c] = INT32_MIN;
    for (int64_t at = 0; at < query->n; at++) {
        int32_t c = query->classes[at];
        if (known[c] == INT32_MIN) {
            int64_t line = bucket(&odds, (uint64_t)pair->priors[c]);
            known[c] = pair->tables[(source->counts[c] ? SUMMARY_MATCH : SUMMARY_MISS) * pair->n_buckets + line];
        }
        pair->scores[at] = known[c];
    }
    part.score = greatest_sum(pair->scores, query->n, &part.start, &part.stop);
    if (part.score < greatest(1, pair->rules->summary_score)) return (part_t){0, 0, 0};
    part.start = snapped(pair, &(snap_t){QUERY, 0, query->n, part.start, part.stop, -1, borders}, &part.score);
    part.stop = snapped(pair, &(snap_t){QUERY, 0, query->n, part.stop, part.start, 1, borders}, &part.score);
    return part;
}

/* Returns the sum of rarities of the words `[start, stop)` of the query that stand in the source too. */
static int64_t mass(const pair_t *pair, int64_t start, int64_t stop) {
    int64_t sum = 0;
    for (int64_t at = start; at < stop; at++) {
        int32_t c = pair->sides[QUERY].classes[at];
        if (pair->sides[SOURCE].counts[c]) sum += pair->rarities[c];
    }
    return sum;
}

/* Returns the greatest sum of a part's shared rarities that one box with the least score explains. */
static int64_t explained_by_one(const pair_t *pair, const part_t *part, const boxes_t *boxes) {
    int64_t most = 0;
    for (const box_t *box = boxes->boxes; box < boxes->boxes + boxes->n; box++) {
        if (box->score < pair->rules->least_score) continue;
        int64_t start = box->start[QUERY] > part->start ? box->start[QUERY] : part->start;
        int64_t sum = mass(pair, start, least(box->stop[QUERY], part->stop));
        if (sum > most) most = sum;
    }
    return most;
}

/* Returns the sum that all boxes explain together. Boxes are in query order. */
static int64_t explained_by_all(const pair_t *pair, const part_t *part, const boxes_t *boxes) {
    int64_t sum = 0, reached = part->start;
    for (const box_t *box = boxes->boxes; box < boxes->boxes + boxes->n; box++) {
        int64_t start = box->start[QUERY] > reached ? box->start[QUERY] : reached;
        int64_t stop = least(box->stop[QUERY], part->stop);
        if (start >= stop) continue;
        sum += mass(pair, start, stop);
        reached = stop;
    }
    return sum;
}

/* Returns the greatest share of a part's shared words in one window of the source, per thousand. Each word counts once,
 * by rarity. */
static int64_t densest(const pair_t *pair, const part_t *part) {
    const side_t *query = &pair->sides[QUERY], *source = &pair->sides[SOURCE];
    int32_t *wanted = pair->inside[QUERY], *held = pair->inside[SOURCE];
    int64_t width = pair->rules->summary_window * (part->stop - part->start) / 100, all = 0, sum = 0, most = 0;
    for (int64_t at = part->start; at < part->stop; at++) {
        int32_t c = query->classes[at];
        if (!wanted[c]++ && source->counts[c]) all += pair->rarities[c];
    }
    for (int64_t at = 0; at < source->n; at++) {
        int32_t c = source->classes[at];
        if (wanted[c] && !held[c]++) sum += pair->rarities[c];
        if (at >= width) {
            c = source->classes[at - width];
            if (wanted[c] && !--held[c]) sum -= pair->rarities[c];
        }
        if (sum > most) most = sum;
    }
    for (int64_t at = part->start; at < part->stop; at++) wanted[query->classes[at]] = 0;
    for (int64_t at = 0; at < source->n; at++) held[source->classes[at]] = 0;
    return all ? 1000 * most / all : 1000;
}

static bool is_summary(const pair_t *pair, const part_t *part, const boxes_t *boxes) {
    const rules_t *rules = pair->rules;
    const uint8_t *borders = pair->sides[QUERY].borders;
    int64_t n = part->stop - part->start;
    if (part->score < rules->summary_score || n > least(rules->summary_words, pair->sides[SOURCE].n)) return false;
    bool lines = borders[part->start] >= SENTENCE_AND_LINE && borders[part->stop] >= SENTENCE_AND_LINE;
    int64_t shared = mass(pair, part->start, part->stop);
    if (100 * explained_by_all(pair, part, boxes) < rules->summary_boxes * shared) return false;
    if (100 * explained_by_one(pair, part, boxes) > (lines ? rules->summary_one_lines : rules->summary_one) * shared) return false;
    return densest(pair, part) <= 10 * (lines ? rules->summary_dense_lines : rules->summary_dense);
}

/* Returns whether the evidence of a summary is enough: the longer the source, the more of its topic's words it has. */
static bool says_enough(const pair_t *pair, const part_t *part) {
    int64_t n = part->stop - part->start, n_source = pair->sides[SOURCE].n;
    return part->score >= pair->rules->summary_evidence && part->score * n >= pair->rules->summary_times * n_source;
}

bool summary_find(const pair_t *pair, boxes_t *boxes) {
    const side_t *source = &pair->sides[SOURCE];
    part_t part = {0, 0, 0};
    bool found = false, explained = boxes->n || pair->rules->summary_boxes <= 0; /* most pairs have no box */
    if (explained && source->n >= pair->rules->summary_source) {
        part = best_part(pair);
        found = is_summary(pair, &part, boxes);
        box_t whole = {{(int32_t)part.start, 0}, {(int32_t)part.stop, (int32_t)source->n}, 0, 1};
        if (found) part.score = topic_sum(pair, QUERY, &whole);
        found = found && says_enough(pair, &part);
    }
    int64_t kept = 0;
    for (int64_t at = 0; at < boxes->n; at++) {
        const box_t *box = &boxes->boxes[at];
        bool overlaps = found && box->start[QUERY] < part.stop && box->stop[QUERY] > part.start;
        if (!overlaps && box->score >= pair->rules->least_score) boxes->boxes[kept++] = *box;
    }
    boxes->n = kept;
    if (!found) return true;
    return boxes_add(boxes, (box_t){{(int32_t)part.start, 0}, {(int32_t)part.stop, (int32_t)source->n}, part.score, 1});
}
