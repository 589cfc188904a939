/* A query and a text compared: the doors to the judging. */

#include "explore.h"
#include "judge.h"

/* Arguments of pmbf_align_judge, with two texts and what was found in them. */
typedef struct {
    const bars_t *bars;
    const spelled_t *texts[2];
    const arguments_t *pair;
    const block_t *blocks;
    const int64_t *bounds;
    int64_t n_chains;
    const int64_t *boxes; /* six numbers each */
    int64_t n_boxes;
} given_t;

/* Judges chains and alignments of two texts. Returns the number of passages, which are in malloc's memory, or
 * ALIGN_NO_MEMORY. Without a passage there is nothing to free. */
EXPORT int64_t pmbf_align_judge(const given_t *given, line_t **lines) {
    pair_t pair = pair_of(given->pair);
    judged_t judged = {given->bars, {*given->texts[QUERY], *given->texts[SOURCE]}, &pair, false, NULL};
    box_t *boxes = malloc((size_t)(given->n_boxes + 1) * sizeof *boxes);
    for (int64_t at = 0; boxes && at < given->n_boxes; at++) {
        const int64_t *box = given->boxes + 6 * at;
        boxes[at] = (box_t){{(int32_t)box[0], (int32_t)box[2]}, {(int32_t)box[1], (int32_t)box[3]}, box[4], box[5]};
    }
    found_t found = {given->blocks, given->bounds, given->n_chains, boxes, given->n_boxes, NULL};
    *lines = NULL;
    int64_t n = boxes && pair_set_up(&pair) ? judge(&judged, &found, lines) : ALIGN_NO_MEMORY;
    pair_free(&pair);
    free(boxes);
    return n;
}

/* Returns a text that was made ready as one that can be judged. What that takes is `judged->rooms`. */
static bool spell(judged_t *judged, const ready_t *ready, spelled_t *text) {
    int64_t n = ready->head.n;
    int64_t *offsets = room_take(judged, 8 * (n + 1));
    uint64_t *keys = room_take(judged, 8 * n);
    if (judged->failed) return false;
    ready_spelled(ready, offsets, keys);
    uint32_t *letters = room_take(judged, 4 * offsets[n]);
    if (judged->failed) return false;
    ready_letters(ready, offsets[n], letters);
    *text = (spelled_t){{ready->hashes, ready->singles, n}, ready->starts, ready->stops, keys, letters, offsets};
    return true;
}

static int64_t compare(const asked_t *asked, const ready_t *source, line_t **lines) {
    explored_t explored = {.any = false};
    int64_t n = ALIGN_NO_MEMORY;
    if (explore(asked, source, &explored)) {
        judged_t judged = {asked->bars, {asked->text}, &explored.matched.pair, false, NULL};
        const chains_t *chains = &explored.chains;
        found_t found = {chains->blocks, chains->bounds, chains->n_chains, explored.boxes.boxes, explored.boxes.n, explored.may};
        n = !explored.any ? 0 : spell(&judged, source, &judged.texts[SOURCE]) ? judge(&judged, &found, lines) : ALIGN_NO_MEMORY;
        rooms_free(&judged);
    }
    explored_free(&explored);
    return n;
}

EXPORT int64_t pmbf_align_compare(const asked_t *asked, const uint8_t *block, line_t **lines) {
    ready_t source;
    *lines = NULL;
    int64_t n = ready_open(block, &source) ? compare(asked, &source, lines) : ALIGN_NO_MEMORY;
    ready_close(&source);
    return n;
}
