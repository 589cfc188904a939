/* Spans, chains and pieces of a pair that is judged. */

#include "judged.h"

void *room_take(judged_t *judged, int64_t size) {
    room_t *room = malloc(sizeof *room + (size_t)size);
    if (!room) {
        judged->failed = true;
        return NULL;
    }
    room->next = judged->rooms;
    judged->rooms = room;
    return room + 1;
}

void rooms_free(judged_t *judged) {
    while (judged->rooms) {
        room_t *room = judged->rooms;
        judged->rooms = room->next;
        free(room);
    }
}

int64_t span_letters(const judged_t *judged, int side, span_t span) {
    const spelled_t *text = &judged->texts[side];
    int64_t n = (int64_t)text->stops[span.stop - 1] - (int64_t)text->starts[span.start];
    for (int64_t token = span.start; token < span.stop; token++) n += text->tokens.singles[token] * (judged->bars->single_letters - 1);
    return n;
}

bool in_both(chain_t chain, span_t query, span_t source) {
    for (const block_t *block = chain.blocks; block < chain.blocks + chain.n; block++)
        if (block->query < query.stop && query.start < block->query + block->length && block->source < source.stop &&
            source.start < block->source + block->length)
            return true;
    return false;
}

/* Returns the first of the spans from `low` on that starts at a place or behind it. */
static int64_t first_from(const taken_t *taken, int64_t low, int64_t place) {
    int64_t high = taken->n;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (taken->spans[middle].start < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

span_t spans_near(const taken_t *taken, span_t span) {
    int64_t first = first_from(taken, 0, span.start);
    return (span_t){greatest(0, first - 1), first_from(taken, first, span.stop)};
}

bool span_take(taken_t *taken, span_t span) {
    span_t *spans = grown(taken->spans, taken->n, &taken->capacity, sizeof *spans);
    if (!spans) return false;
    taken->spans = spans;
    int64_t place = first_from(taken, 0, span.start + 1);
    memmove(&taken->spans[place + 1], &taken->spans[place], (size_t)(taken->n++ - place) * sizeof span);
    taken->spans[place] = span;
    return true;
}

bool piece_add(pieces_t *pieces, piece_t piece) {
    piece_t *room = grown(pieces->pieces, pieces->n, &pieces->capacity, sizeof *room);
    if (!room) return false;
    pieces->pieces = room;
    pieces->pieces[pieces->n++] = piece;
    return true;
}

static int compare_pieces(const void *one, const void *other) {
    int64_t a = ((const piece_t *)one)->sides[QUERY].start, b = ((const piece_t *)other)->sides[QUERY].start;
    return (a > b) - (a < b);
}

void pieces_sort(pieces_t *pieces) {
    if (pieces->n > 1) qsort(pieces->pieces, (size_t)pieces->n, sizeof *pieces->pieces, compare_pieces);
}

piece_t exact_piece(chain_t chain, double similarity, double characters) {
    bool is_one = chain.n == 1;
    return (piece_t){.sides = {chain_span(chain, QUERY), chain_span(chain, SOURCE)}, .kind = is_one ? VERBATIM : EDITED,
                     .similarity = is_one ? 1.0 : similarity, .characters = characters, .chain = chain};
}

/* Returns the part of a block inside a range of the query. If there is none, its length is below 1. */
static block_t cut(block_t block, int64_t start, int64_t stop) {
    int64_t first = greatest(start, block.query);
    return (block_t){first, block.source + first - block.query, least(stop, block.query + block.length) - first};
}

/* Returns the blocks of a chain inside a range of the query. */
static chain_t between(judged_t *judged, chain_t chain, int64_t start, int64_t stop) {
    int64_t n = 0, at = 0;
    for (int64_t block = 0; block < chain.n; block++) n += cut(chain.blocks[block], start, stop).length > 0;
    block_t *blocks = n ? room_take(judged, n * (int64_t)sizeof *blocks) : NULL;
    for (int64_t block = 0; blocks && block < chain.n; block++) {
        block_t part = cut(chain.blocks[block], start, stop);
        if (part.length > 0) blocks[at++] = part;
    }
    return (chain_t){blocks, at};
}

int64_t free_parts(judged_t *judged, chain_t chain, const taken_t *taken, chain_t **parts) {
    span_t whole = chain_span(chain, QUERY), others = spans_near(taken, whole);
    int64_t n_others = others.stop - others.start, n = 0, start = whole.start;
    *parts = room_take(judged, (n_others + 1) * (int64_t)sizeof **parts);
    if (!*parts) return 0;
    if (n_others <= 0 || (n_others == 1 && taken->spans[others.start].stop <= whole.start)) {
        (*parts)[0] = chain;
        return 1;
    }
    for (int64_t other = others.start; other <= others.stop; other++) {
        span_t next = other < others.stop ? taken->spans[other] : (span_t){whole.stop, whole.stop};
        chain_t part = between(judged, chain, start, next.start);
        if (part.n) (*parts)[n++] = part;
        start = greatest(start, next.stop);
    }
    return n;
}
