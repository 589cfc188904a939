/* The alignments of two texts. */

#include "align.h"

void pair_free(pair_t *pair) {
    for (int side = 0; side < 2; side++) {
        free(pair->sides[side].counts);
        free(pair->inside[side]);
    }
    free(pair->bounds);
    free(pair->places);
    free(pair->scores);
    free(pair->listed);
    free(pair->is_listed);
}

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
    size_t n_classes = (size_t)pair->n_classes;
    int64_t longest = pair->sides[QUERY].n > pair->sides[SOURCE].n ? pair->sides[QUERY].n : pair->sides[SOURCE].n;
    for (int side = 0; side < 2; side++) {
        pair->sides[side].counts = calloc(n_classes + 1, sizeof(int32_t));
        pair->inside[side] = calloc(n_classes + 1, sizeof(int32_t));
    }
    pair->bounds = malloc((n_classes + 1) * sizeof(int32_t));
    pair->places = malloc((size_t)(pair->sides[SOURCE].n + 1) * sizeof(int32_t));
    pair->scores = malloc((size_t)(longest + 1) * sizeof(int32_t));
    if (!pair->sides[QUERY].counts || !pair->sides[SOURCE].counts || !pair->inside[QUERY] || !pair->inside[SOURCE])
        return false;
    pair->listed = malloc((n_classes + 1) * sizeof(int32_t));
    pair->is_listed = calloc(n_classes + 1, sizeof(bool));
    if (!pair->bounds || !pair->places || !pair->scores || !pair->listed || !pair->is_listed) return false;
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
