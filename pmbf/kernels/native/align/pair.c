/* The alignments of two texts. */

#include "align.h"

void pair_free(pair_t *pair) { free(pair->memory); }

/* Lists the places of each class in the source, ascending. */
static void list_places(pair_t *pair) {
    const side_t *source = &pair->sides[SOURCE];
    int32_t *bounds = pair->bounds, sum = 0;
    for (int64_t c = 0; c < pair->n_classes; c++) {
        bounds[c] = sum;
        sum += source->counts[c];
    }
    for (int64_t at = 0; at < source->n; at++) pair->places[bounds[source->classes[at]]++] = (int32_t)at;
    for (int64_t c = pair->n_classes; c > 0; c--) bounds[c] = bounds[c - 1];
    bounds[0] = 0;
}

bool pair_set_up(pair_t *pair) {
    size_t n_classes = (size_t)pair->n_classes + 1, n_source = (size_t)pair->sides[SOURCE].n + 1;
    size_t longest = (size_t)greatest(pair->sides[QUERY].n, pair->sides[SOURCE].n) + 1;
    int32_t *at = pair->memory = calloc(6 * n_classes + n_source + longest + n_classes / sizeof *at + 1, sizeof *at);
    if (!at) return false;
    for (int side = 0; side < 2; side++, at += 2 * n_classes) {
        pair->sides[side].counts = at;
        pair->inside[side] = at + n_classes;
    }
    pair->bounds = at;
    pair->listed = at + n_classes;
    pair->places = at + 2 * n_classes;
    pair->scores = pair->places + n_source;
    pair->is_listed = (bool *)(pair->scores + longest);
    for (int side = 0; side < 2; side++)
        for (int64_t at = 0; at < pair->sides[side].n; at++) pair->sides[side].counts[pair->sides[side].classes[at]]++;
    list_places(pair);
    return true;
}

static bool refine_all(const pair_t *pair, boxes_t *boxes) {
    int64_t kept = 0;
    for (int64_t at = 0; at < boxes->n; at++) {
        box_t box = boxes->boxes[at];
        if (!box_refine(pair, &box) || box.score < pair->rules->least_box) continue;
        box_stretch(pair, &box);
        boxes->boxes[kept++] = box;
    }
    boxes->n = kept;
    boxes_join(boxes);
    return summary_find(pair, boxes);
}

bool pair_align(const pair_t *pair, boxes_t *boxes) {
    points_t points = {0};
    bool done = points_find(pair, &points) && clusters_find(pair->rules, &points, boxes) && refine_all(pair, boxes);
    points_free(&points);
    return done;
}

/* Copies n elements of `size` bytes, which a kernel found, to `out`, and frees them. */
EXPORT void pmbf_align_take(void *found, int64_t n, int64_t size, void *out) {
    if (n > 0) memcpy(out, found, (size_t)(n * size));
    free(found);
}
