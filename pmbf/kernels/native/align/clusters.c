/* Clusters: points are split at wide gaps in the query, the parts at wide gaps in the source, and so on in turn until
 * no part has a wide gap. */

#include "align.h"

typedef struct {
    int64_t start, stop; /* range of points in `order` of `work_t` */
    int32_t side, depth;
    int32_t whole; /* how often in a row no gap was found */
} part_t;

typedef struct {
    const rules_t *rules;
    const points_t *points;
    uint64_t *keys;   /* place << 32 | point, for each point of a part */
    uint32_t *order;  /* points; those of a part stand together */
    part_t *parts;    /* yet to be split */
    int64_t n_parts;
} work_t;

static int compare_keys(const void *one, const void *other) {
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

static bool add_box(const work_t *work, const part_t *part, boxes_t *boxes) {
    box_t box = {{INT32_MAX, INT32_MAX}, {0, 0}, 0, 0};
    if (part->stop - part->start < 2) return true; /* one point is no passage */
    for (int64_t at = part->start; at < part->stop; at++)
        for (int side = 0; side < 2; side++) {
            int32_t place = work->points->places[side][work->order[at]];
            if (place < box.start[side]) box.start[side] = place;
            if (place >= box.stop[side]) box.stop[side] = place + 1;
        }
    return boxes_add(boxes, box);
}

/* Sorts the points of a part by their places in the text of its turn. */
static void sort_part(work_t *work, const part_t *part) {
    int64_t n = part->stop - part->start;
    uint32_t *order = work->order + part->start;
    for (int64_t at = 0; at < n; at++)
        work->keys[at] = (uint64_t)(uint32_t)work->points->places[part->side][order[at]] << 32 | order[at];
    bool sorted = true; /* often true: points come sorted by query, and copied words keep their order */
    for (int64_t at = 1; at < n; at++) sorted &= work->keys[at - 1] < work->keys[at];
    if (sorted) return;
    qsort(work->keys, (size_t)n, sizeof *work->keys, compare_keys);
    for (int64_t at = 0; at < n; at++) order[at] = (uint32_t)work->keys[at];
}

/* Splits a part. A part without a gap in either text, or split often enough, becomes a box. */
static bool split(work_t *work, part_t part, boxes_t *boxes) {
    int64_t n = part.stop - part.start, start = 0;
    sort_part(work, &part);
    for (int64_t at = 1; at <= n; at++) {
        if (at < n && (int64_t)(work->keys[at] >> 32) - (int64_t)(work->keys[at - 1] >> 32) <= work->rules->gap) continue;
        bool is_whole = start == 0 && at == n;
        part_t piece = {part.start + start, part.start + at, !part.side, part.depth + 1, is_whole ? part.whole + 1 : 0};
        if (piece.whole < 2 && piece.depth <= work->rules->gap_rounds) work->parts[work->n_parts++] = piece;
        else if (!add_box(work, &piece, boxes)) return false;
        start = at;
    }
    return true;
}

bool clusters_find(const rules_t *rules, const points_t *points, boxes_t *boxes) {
    size_t n = (size_t)points->n;
    work_t work = {rules, points, malloc((n + 1) * sizeof *work.keys), malloc((n + 1) * sizeof *work.order),
                   malloc((n + 1) * sizeof *work.parts), 0}; /* parts are disjoint: never more than points */
    bool done = work.keys && work.order && work.parts;
    for (size_t point = 0; done && point < n; point++) work.order[point] = (uint32_t)point;
    if (done && n) work.parts[work.n_parts++] = (part_t){0, points->n, QUERY, 0, 0};
    while (done && work.n_parts) done = split(&work, work.parts[--work.n_parts], boxes);
    free(work.keys);
    free(work.order);
    free(work.parts);
    if (done) boxes_sort(boxes);
    return done;
}

bool boxes_add(boxes_t *boxes, box_t box) {
    box_t *more = grown(boxes->boxes, boxes->n, &boxes->capacity, sizeof *more);
    if (!more) return false;
    boxes->boxes = more;
    boxes->boxes[boxes->n++] = box;
    return true;
}

static int compare_boxes(const void *one, const void *other) {
    const box_t *a = one, *b = other;
    for (int side = 0; side < 2; side++) {
        if (a->start[side] != b->start[side]) return a->start[side] < b->start[side] ? -1 : 1;
        if (a->stop[side] != b->stop[side]) return a->stop[side] < b->stop[side] ? -1 : 1;
    }
    return (a->score > b->score) - (a->score < b->score);
}

void boxes_sort(boxes_t *boxes) {
    if (boxes->n) qsort(boxes->boxes, (size_t)boxes->n, sizeof *boxes->boxes, compare_boxes);
}

static bool overlap(const box_t *one, const box_t *other, int side) {
    return one->start[side] < other->stop[side] && other->start[side] < one->stop[side];
}

static void unite(box_t *box, const box_t *other) {
    for (int side = 0; side < 2; side++) {
        if (other->start[side] < box->start[side]) box->start[side] = other->start[side];
        if (other->stop[side] > box->stop[side]) box->stop[side] = other->stop[side];
    }
    if (other->score > box->score) box->score = other->score;
}

enum { MOST_JOINS = 8, DEAD = -1 };

static void bury(boxes_t *boxes) {
    int64_t kept = 0;
    for (int64_t at = 0; at < boxes->n; at++)
        if (boxes->boxes[at].kind != DEAD) boxes->boxes[kept++] = boxes->boxes[at];
    boxes->n = kept;
    boxes_sort(boxes);
}

void boxes_join(boxes_t *boxes) {
    bool changed = true;
    boxes_sort(boxes);
    for (int round = 0; changed && round < MOST_JOINS; round++) {
        changed = false;
        for (int64_t at = 0; at < boxes->n; at++) {
            box_t *box = &boxes->boxes[at];
            if (box->kind == DEAD) continue;
            for (int64_t next = at + 1; next < boxes->n && boxes->boxes[next].start[QUERY] < box->stop[QUERY]; next++) {
                box_t *other = &boxes->boxes[next];
                if (other->kind == DEAD || !overlap(box, other, QUERY) || !overlap(box, other, SOURCE)) continue;
                unite(box, other);
                other->kind = DEAD;
                changed = true;
            }
        }
        bury(boxes);
    }
}
