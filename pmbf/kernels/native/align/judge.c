/* A query and a text compared: from chains of equal runs and alignments, which are explored, to passages. */

#include "explore.h"

#include <math.h>

enum { MAX_GAP = 80, SMALL_GAP = 8 };
#define MAX_RATIO 1.5

static bool are_equal(chain_t one, chain_t other) {
    return one.n == other.n && !memcmp(one.blocks, other.blocks, (size_t)one.n * sizeof *one.blocks);
}

/* Returns a part of a chain as a piece with its own similarity. */
static piece_t measured(judged_t *judged, chain_t chain) {
    if (chain.n == 1) return exact_piece(chain, 1.0, 1.0);
    span_t here = chain_span(chain, QUERY), there = chain_span(chain, SOURCE);
    double characters = letters_alike(judged, here, there);
    if (characters != UNKNOWN) return exact_piece(chain, characters, characters);
    double words = words_alike(judged, here, there);
    return exact_piece(chain, words == UNKNOWN ? 0.0 : words, UNKNOWN);
}

/* Adds what the loose pieces leave of the exact ones. An exact piece mostly inside a loose one is part of that one. */
static void add_left(judged_t *judged, const pieces_t *exact, const pieces_t *loose, const taken_t *taken, pieces_t *pieces) {
    for (const piece_t *piece = exact->pieces; piece < exact->pieces + exact->n && !judged->failed; piece++) {
        span_t near = spans_near(taken, piece->sides[QUERY]);
        bool is_part = false;
        for (int64_t at = near.start; at < near.stop && !is_part; at++) is_part = is_mostly_inside(piece->chain, &loose->pieces[at]);
        chain_t *parts;
        int64_t n = is_part ? 0 : free_parts(judged, piece->chain, taken, &parts);
        for (int64_t part = 0; part < n; part++) {
            piece_t left = are_equal(parts[part], piece->chain) ? *piece : measured(judged, parts[part]);
            if (left.similarity >= judged->bars->edited && span_letters(judged, QUERY, left.sides[QUERY]) >= judged->bars->letters)
                judged->failed |= !piece_add(pieces, left);
        }
    }
}

/* Returns whether the gap between two pieces is about equally wide in both texts, or nearly empty in the query. */
static bool go_on_alike(const piece_t *one, const piece_t *other) {
    int64_t gap = other->sides[QUERY].start - one->sides[QUERY].stop, gap_there = other->sides[SOURCE].start - one->sides[SOURCE].stop;
    int64_t narrow = least(gap, gap_there), wide = greatest(gap, gap_there);
    return narrow >= 0 && wide <= MAX_GAP && (gap <= SMALL_GAP || (double)wide <= MAX_RATIO * (double)narrow);
}

/* Makes a reworded piece and its neighbour one if both texts continue alike. Returns false if they stay two. */
static bool join(judged_t *judged, piece_t *one, const piece_t *other) {
    if ((one->kind != REWORDED && other->kind != REWORDED) || one->kind == SUMMARISED || other->kind == SUMMARISED) return false;
    if (!go_on_alike(one, other)) return false;
    span_t here = {one->sides[QUERY].start, other->sides[QUERY].stop}, there = {one->sides[SOURCE].start, other->sides[SOURCE].stop};
    double similarity = sorted_alike(judged, here, there);
    if (similarity < judged->bars->threshold) return false;
    *one = (piece_t){.sides = {here, there}, .kind = REWORDED, .similarity = similarity, .characters = UNKNOWN};
    return true;
}

static void join_all(judged_t *judged, pieces_t *pieces) {
    int64_t n = 0;
    for (int64_t at = 0; at < pieces->n; at++)
        if (!n || !join(judged, &pieces->pieces[n - 1], &pieces->pieces[at])) pieces->pieces[n++] = pieces->pieces[at];
    pieces->n = n;
}

static double known(double score) { return score == UNKNOWN ? (double)NAN : score; }

/* Returns a piece with its scores. */
static line_t described(judged_t *judged, const piece_t *piece) {
    span_t here = piece->sides[QUERY], there = piece->sides[SOURCE];
    line_t line = {{here.start, here.stop, there.start, there.stop}, piece->kind, piece->similarity, 1.0, 1.0, 1.0, piece_evidence(judged, piece), 1.0};
    if (piece->kind == VERBATIM) return line;
    line.characters = known(piece->characters == UNKNOWN ? letters_alike(judged, here, there) : piece->characters);
    line.words = known(words_alike(judged, here, there));
    line.sorted_words = piece->kind == REWORDED ? piece->similarity : sorted_alike(judged, here, there);
    line.in_order = ordered_share(judged, here, there);
    return line;
}

static void find_pieces(judged_t *judged, found_t *found, pieces_t *pieces) {
    pieces_t exact = {NULL, 0, 0}, loose = {NULL, 0, 0};
    taken_t taken = {NULL, 0, 0};
    exact_find(judged, found, &exact);
    reworded_find(judged, &exact, found, &loose);
    for (int64_t at = 0; at < loose.n; at++)
        judged->failed |= !piece_add(pieces, loose.pieces[at]) || !span_take(&taken, loose.pieces[at].sides[QUERY]);
    if (!judged->failed) add_left(judged, &exact, &loose, &taken, pieces);
    pieces_sort(pieces);
    if (!judged->failed) join_all(judged, pieces);
    free(loose.pieces);
    free(exact.pieces);
    free(taken.spans);
}

/* Writes the passages into a block of malloc's memory. The alignments are put in order. Returns the number of passages, or
 * ALIGN_NO_MEMORY. */
static int64_t judge(judged_t *judged, found_t *found, line_t **lines) {
    pieces_t pieces = {NULL, 0, 0};
    find_pieces(judged, found, &pieces);
    *lines = pieces.n && !judged->failed ? malloc((size_t)pieces.n * sizeof **lines) : NULL;
    judged->failed |= pieces.n && !*lines;
    for (int64_t at = 0; at < pieces.n && *lines; at++) (*lines)[at] = described(judged, &pieces.pieces[at]);
    free(pieces.pieces);
    rooms_free(judged);
    if (!judged->failed) return pieces.n;
    free(*lines);
    *lines = NULL;
    return ALIGN_NO_MEMORY;
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
