/* A query and a text compared: explored, then judged. */

#include "explore.h"
#include "judge.h"

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

static int64_t compare_ready(const asked_t *asked, const ready_t *source, line_t **lines) {
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

int64_t compare(const asked_t *asked, const uint8_t *block, line_t **lines) {
    ready_t source;
    *lines = NULL;
    int64_t n = ready_open(block, &source) ? compare_ready(asked, &source, lines) : ALIGN_NO_MEMORY;
    ready_close(&source);
    return n;
}
