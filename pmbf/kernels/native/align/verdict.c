/* The verdict on chains of equal runs: how similar both sides are, and whether their words say enough. */

#include "judged.h"

enum { EXACT_CHARS = 4096 };
#define SHORT_MARGIN 0.15
#define FORM_MARGIN 0.22

/* Letters of a text. */
typedef struct {
    const uint32_t *letters;
    int64_t n;
} spelling_t;

static spelling_t spelling_of(const spelled_t *text, int64_t start, int64_t stop) {
    int64_t first = text->offsets[start];
    return (spelling_t){text->letters + first, greatest(0, text->offsets[stop] - first)};
}

static spelling_t without_space(spelling_t spelling) {
    while (spelling.n && spelling.letters[spelling.n - 1] == ' ') spelling.n--;
    return spelling;
}

static int64_t distance_of(judged_t *judged, const spelling_t *sides) {
    uint64_t symbols[2][EXACT_CHARS];
    for (int side = 0; side < 2; side++)
        for (int64_t at = 0; at < sides[side].n; at++) symbols[side][at] = sides[side].letters[at];
    int64_t found = edit_distance((list_t){symbols[0], sides[0].n}, (list_t){symbols[1], sides[1].n});
    judged->failed |= found < 0;
    return found;
}

/* Returns the distance of what stands between two blocks; of a very long gap the longer side. */
static int64_t gap_distance(judged_t *judged, const block_t *before, const block_t *after) {
    spelling_t sides[2] = {spelling_of(&judged->texts[QUERY], before->query + before->length, after->query),
                           spelling_of(&judged->texts[SOURCE], before->source + before->length, after->source)};
    int64_t longer = greatest(sides[0].n, sides[1].n);
    return longer > EXACT_CHARS ? longer : distance_of(judged, sides);
}

static int64_t both_sides(const judged_t *judged, span_t here, span_t there, spelling_t *sides) {
    sides[0] = without_space(spelling_of(&judged->texts[QUERY], here.start, here.stop));
    sides[1] = without_space(spelling_of(&judged->texts[SOURCE], there.start, there.stop));
    return greatest(sides[0].n, sides[1].n);
}

double letters_alike(judged_t *judged, span_t here, span_t there) {
    spelling_t sides[2];
    int64_t longer = both_sides(judged, here, there, sides);
    if (longer > EXACT_CHARS) return UNKNOWN;
    return longer ? 1.0 - (double)distance_of(judged, sides) / (double)longer : 1.0;
}

/* Returns a part of a chain as a piece. The sum of the gaps, `distance`, bounds the whole distance from above. */
static piece_t measured(judged_t *judged, chain_t chain, int64_t distance) {
    if (chain.n == 1) return exact_piece(chain, 1.0, 1.0);
    spelling_t sides[2];
    int64_t longer = both_sides(judged, chain_span(chain, QUERY), chain_span(chain, SOURCE), sides);
    double characters = UNKNOWN;
    if (longer <= EXACT_CHARS) {
        int64_t exact = distance_of(judged, sides);
        characters = 1.0 - (double)exact / (double)longer;
        distance = least(distance, exact);
    }
    return exact_piece(chain, 1.0 - (double)distance / (double)longer, characters);
}

/* Returns the index of the widest of n gaps; of several, the nearest to the middle. */
static int64_t widest_of(const int64_t *widths, int64_t n) {
    int64_t found = 0;
    for (int64_t at = 1; at < n; at++) {
        bool is_nearer = llabs(2 * at + 1 - n) < llabs(2 * found + 1 - n);
        if (widths[at] > widths[found] || (widths[at] == widths[found] && is_nearer)) found = at;
    }
    return found;
}

/* Returns the tokens that touch a chain's characters. One character such as ½ can be several tokens. */
static span_t owned(const judged_t *judged, chain_t chain) {
    const spelled_t *query = &judged->texts[QUERY];
    span_t span = chain_span(chain, QUERY);
    uint32_t begin = query->starts[span.start], end = query->stops[span.stop - 1];
    while (span.start && query->starts[span.start - 1] == begin) span.start--;
    while (span.stop < query->tokens.n && query->starts[span.stop] < end) span.stop++;
    return span;
}

/* Adds a chain if it is similar; or splits it at its widest gaps, and adds the parts that are. */
static void accept(judged_t *judged, chain_t chain, taken_t *taken, pieces_t *exact) {
    int64_t *distances = room_take(judged, 4 * chain.n * (int64_t)sizeof *distances);
    if (!distances) return;
    int64_t *widths = distances + chain.n, n_waiting = 1;
    span_t *waiting = (span_t *)(void *)(widths + chain.n); /* fewer parts than blocks wait */
    for (int64_t at = 0; at + 1 < chain.n; at++) {
        const block_t *before = &chain.blocks[at], *after = before + 1;
        distances[at] = gap_distance(judged, before, after);
        widths[at] = greatest(after->query - before->query - before->length, after->source - before->source - before->length);
    }
    for (waiting[0] = (span_t){0, chain.n}; n_waiting && !judged->failed;) {
        span_t part = waiting[--n_waiting];
        int64_t sum = 0;
        for (int64_t at = part.start; at + 1 < part.stop; at++) sum += distances[at];
        piece_t piece = measured(judged, (chain_t){chain.blocks + part.start, part.stop - part.start}, sum);
        if (piece.similarity < judged->bars->edited) {
            int64_t middle = widest_of(widths + part.start, span_length(part) - 1) + part.start + 1;
            waiting[n_waiting++] = (span_t){middle, part.stop};
            waiting[n_waiting++] = (span_t){part.start, middle};
        } else if (span_letters(judged, QUERY, piece.sides[QUERY]) >= judged->bars->letters) {
            judged->failed |= !span_take(taken, owned(judged, piece.chain)) || !piece_add(exact, piece);
        }
    }
}

static bool has_sure_run(const judged_t *judged, chain_t chain) {
    for (const block_t *block = chain.blocks; block < chain.blocks + chain.n; block++) {
        int64_t half_words = 2 * block->length;
        for (int64_t i = 0; i < block->length; i++) half_words -= judged->texts[QUERY].tokens.singles[block->query + i];
        if (half_words >= 2 * judged->bars->sure_words) return true;
    }
    return false;
}

/* Returns whether the words of a piece are words that any two texts of their kind may share. */
static bool is_usual(judged_t *judged, const piece_t *piece) {
    if (has_sure_run(judged, piece->chain)) return false;
    double nats = words_evidence(judged, piece->sides[QUERY], piece->sides[SOURCE]), bar = judged->bars->evidence;
    if (nats < bar) return true;
    if (!(nats < 2 * bar)) return false;
    return piece->similarity < judged->bars->edited + SHORT_MARGIN || rare_likeness(judged, piece) < judged->bars->edited + FORM_MARGIN;
}

void exact_find(judged_t *judged, const found_t *found, pieces_t *exact) {
    taken_t taken = {NULL, 0, 0};
    for (int64_t chain = 0; chain < found->n_chains && !judged->failed; chain++) {
        int64_t first = found->bounds[chain];
        chain_t *parts, whole = {found->blocks + first, found->bounds[chain + 1] - first};
        int64_t n = free_parts(judged, whole, &taken, &parts);
        for (int64_t part = 0; part < n && !judged->failed; part++) accept(judged, parts[part], &taken, exact);
    }
    free(taken.spans);
    pieces_sort(exact);
    int64_t kept = 0;
    for (int64_t at = 0; at < exact->n && !judged->failed; at++)
        if (!is_usual(judged, &exact->pieces[at])) exact->pieces[kept++] = exact->pieces[at];
    exact->n = kept;
}
