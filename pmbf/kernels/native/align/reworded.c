/* Reworded passages and summaries: the alignments that say more than the equal runs inside them. */

#include "judged.h"

enum { VERBATIM_WORDS = 6, LONG_CHARS = 1000, EXACT_WORDS = 4096, COPIED_TIMES = 12 };
#define MOST_VERBATIM 0.7
#define MOST_COMMON_VERBATIM 0.9
#define MOST_SHUFFLED 0.5
#define LEAST_IN_ORDER 0.15
#define COPIED_EVIDENCE 3.0

static span_t side_of(const box_t *box, int side) { return (span_t){box->start[side], box->stop[side]}; }

static int compare_boxes(const void *one, const void *other) {
    const box_t *a = one, *b = other;
    if (a->kind != b->kind) return a->kind > b->kind ? -1 : 1;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    for (int side = 0; side < 2; side++) {
        if (a->start[side] != b->start[side]) return a->start[side] < b->start[side] ? -1 : 1;
        if (a->stop[side] != b->stop[side]) return a->stop[side] < b->stop[side] ? -1 : 1;
    }
    return 0;
}

/* Marks the tokens of an alignment that are in the chains of exact pieces which overlap it in both texts. Returns the
 * number of these pieces; `elsewhere` becomes the tokens in other pieces. */
static int64_t mark_chains(const pieces_t *exact, span_t near, const box_t *box, bool *marked, int64_t *elsewhere) {
    span_t here = side_of(box, QUERY), there = side_of(box, SOURCE);
    int64_t found = 0;
    for (int64_t at = near.start; at < near.stop; at++) {
        const piece_t *piece = &exact->pieces[at];
        span_t span = piece->sides[QUERY];
        if (in_both(piece->chain, here, there)) {
            found++;
            for (int64_t token = greatest(span.start, here.start); token < least(span.stop, here.stop); token++) marked[token - here.start] = true;
        } else {
            *elsewhere += overlap_of(span, here);
        }
    }
    return found;
}

/* Returns how many of the query's tokens are equal, or of a class that stands in the source's range, too. */
static int64_t n_common(const judged_t *judged, const box_t *box, const bool *equal) {
    const pair_t *pair = judged->pair;
    const int32_t *ours = pair->sides[QUERY].classes, *theirs = pair->sides[SOURCE].classes;
    int64_t n = 0;
    for (int64_t at = box->start[SOURCE]; at < box->stop[SOURCE]; at++) pair->is_listed[theirs[at]] = true;
    for (int64_t at = box->start[QUERY]; at < box->stop[QUERY]; at++) n += equal[at - box->start[QUERY]] || pair->is_listed[ours[at]];
    for (int64_t at = box->start[SOURCE]; at < box->stop[SOURCE]; at++) pair->is_listed[theirs[at]] = false;
    return n;
}

/* Returns whether an alignment says no more than the chains of equal runs it holds. */
static bool is_verbatim(judged_t *judged, const box_t *box, int64_t n_chains, const bool *marked, bool *equal) {
    int64_t n = box->stop[QUERY] - box->start[QUERY], n_equal = 0;
    in_runs(judged, side_of(box, QUERY), side_of(box, SOURCE), VERBATIM_WORDS, equal);
    for (int64_t at = 0; at < n; at++) n_equal += equal[at] = equal[at] && marked[at];
    if (n_chains == 1 && (double)n_equal >= MOST_VERBATIM * (double)n) return true;
    return (double)n_equal >= MOST_COMMON_VERBATIM * (double)n_common(judged, box, equal);
}

/* Returns whether the exact pieces leave an alignment, which is widened to hold the chains that overlap it. */
static bool hold_chains(judged_t *judged, const pieces_t *exact, const taken_t *spans, box_t *box) {
    int64_t n = box->stop[QUERY] - box->start[QUERY], elsewhere = 0;
    span_t near = spans_near(spans, side_of(box, QUERY));
    if (near.start >= near.stop) return true;
    bool *marked = calloc((size_t)(2 * n) + 1, sizeof *marked);
    judged->failed |= !marked;
    if (!marked) return false;
    int64_t n_chains = mark_chains(exact, near, box, marked, &elsewhere);
    bool is_left = !(n_chains && is_verbatim(judged, box, n_chains, marked, marked + n)) && 2 * elsewhere <= n;
    free(marked);
    const box_t narrow = *box;
    for (int64_t at = near.start; is_left && at < near.stop; at++) {
        const piece_t *piece = &exact->pieces[at];
        if (!in_both(piece->chain, side_of(&narrow, QUERY), side_of(&narrow, SOURCE))) continue;
        for (int side = 0; side < 2; side++) {
            box->start[side] = (int32_t)least(box->start[side], piece->sides[side].start);
            box->stop[side] = (int32_t)greatest(box->stop[side], piece->sides[side].stop);
        }
    }
    return is_left;
}

/* Returns whether both sides are long enough. The source of a summary may not be too long. */
static bool is_long(const judged_t *judged, const box_t *box) {
    const bars_t *bars = judged->bars;
    int64_t here = span_letters(judged, QUERY, side_of(box, QUERY)), there = span_letters(judged, SOURCE, side_of(box, SOURCE));
    if (box->kind && !(here >= bars->summary_letters && there <= bars->summed_letters)) return false;
    return here >= bars->reworded_letters && there >= bars->reworded_source_letters;
}

/* Returns whether one range is reworded from the other, given the similarity of their sorted words. */
static bool is_reworded(judged_t *judged, span_t here, span_t there, double similarity) {
    const bars_t *bars = judged->bars;
    int64_t letters = span_letters(judged, QUERY, here);
    if (letters >= LONG_CHARS && similarity < MOST_SHUFFLED) {
        double in_order = words_alike(judged, here, there);
        if (in_order != UNKNOWN && in_order < LEAST_IN_ORDER) return false;
    }
    if (!(bars->topical > 0)) return true;
    double rest = 1 - (double)letters / bars->sure_letters, doubt = bars->short_doubt * (rest > 0 ? rest : 0);
    double lacking = bars->threshold + doubt - similarity;
    return topic_evidence(judged, here, there) >= bars->topical * (1 + bars->lacking_times * (lacking > 0 ? lacking : 0));
}

/* Judges an alignment. Returns whether it becomes a piece. */
static bool box_judge(judged_t *judged, const box_t *box, piece_t *piece) {
    span_t here = side_of(box, QUERY), there = side_of(box, SOURCE);
    double similarity = box->kind ? found_share(judged, here, there) : sorted_alike(judged, here, there);
    if (similarity < judged->bars->threshold) return false;
    if (!box->kind && !is_reworded(judged, here, there, similarity)) return false;
    *piece = (piece_t){.sides = {here, there}, .kind = box->kind ? SUMMARISED : REWORDED, .similarity = similarity,
                       .characters = UNKNOWN, .word_evidence = box->kind ? (double)box->score / 1024 : 0.0};
    return true;
}

bool is_mostly_inside(chain_t chain, const piece_t *one) {
    span_t here = chain_span(chain, QUERY);
    return 2 * overlap_of(here, one->sides[QUERY]) > span_length(here) && in_both(chain, one->sides[QUERY], one->sides[SOURCE]);
}

/* Returns whether a summary is one copied passage among words of its topic that say less. */
static bool is_copy(judged_t *judged, const piece_t *one, const pieces_t *exact) {
    const piece_t *inside = NULL;
    if (one->kind != SUMMARISED || span_length(one->sides[SOURCE]) < COPIED_TIMES * span_length(one->sides[QUERY])) return false;
    for (const piece_t *piece = exact->pieces; piece < exact->pieces + exact->n; piece++) {
        if (!is_mostly_inside(piece->chain, one)) continue;
        if (inside) return false;
        inside = piece;
    }
    return inside && piece_evidence(judged, inside) > COPIED_EVIDENCE * one->word_evidence;
}

static bool is_taken(const taken_t *taken, span_t span) {
    span_t near = spans_near(taken, span);
    for (int64_t at = near.start; at < near.stop; at++)
        if (overlap_of(taken->spans[at], span)) return true;
    return false;
}

/* Puts the alignments in order, the best first. Those that are no passage alone may be widened beside an exact piece, but
 * go without one. */
static void put_in_order(found_t *found, bool beside_exact) {
    int64_t n = 0;
    for (int64_t at = 0; at < found->n_boxes; at++)
        if (beside_exact || !found->may || found->may[at]) found->boxes[n++] = found->boxes[at];
    found->n_boxes = n;
    if (n > 1) qsort(found->boxes, (size_t)n, sizeof *found->boxes, compare_boxes);
}

void reworded_find(judged_t *judged, const pieces_t *exact, found_t *found, pieces_t *loose) {
    taken_t taken = {NULL, 0, 0}, spans = {NULL, 0, 0};
    for (int64_t at = 0; at < exact->n; at++) judged->failed |= !span_take(&spans, exact->pieces[at].sides[QUERY]);
    put_in_order(found, exact->n > 0);
    for (box_t *box = found->boxes; box < found->boxes + found->n_boxes && !judged->failed; box++) {
        piece_t piece;
        if (!box->kind && !hold_chains(judged, exact, &spans, box)) continue;
        if (!is_long(judged, box) || is_taken(&taken, side_of(box, QUERY)) || !box_judge(judged, box, &piece)) continue;
        judged->failed |= !span_take(&taken, piece.sides[QUERY]);
        if (!is_copy(judged, &piece, exact)) judged->failed |= !piece_add(loose, piece);
    }
    free(taken.spans);
    free(spans.spans);
    pieces_sort(loose);
}
