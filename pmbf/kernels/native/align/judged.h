/* A pair that is judged, and what its judging is made of: spans, pieces, likeness, evidence. reference_judge.py has the
 * rules. */

#pragma once

#include "asked.h"

/* `Block` of reference_runs.py: a row of equal runs. */
typedef struct {
    int64_t query, source, length;
} block_t;

/* Blocks that follow each other in both texts. */
typedef struct {
    const block_t *blocks;
    int64_t n;
} chain_t;

typedef struct {
    int64_t start, stop;
} span_t;

enum { VERBATIM, EDITED, REWORDED, SUMMARISED }; /* kinds, `KINDS` of types.py */
#define UNKNOWN (-1.0)

typedef struct {
    span_t sides[2];
    int64_t kind;
    double similarity, characters; /* the similarity of the letters, or UNKNOWN */
    double word_evidence;          /* of a summary, in nats */
    chain_t chain;                 /* of a verbatim or edited piece */
} piece_t;

typedef struct {
    piece_t *pieces;
    int64_t n, capacity;
} pieces_t;

/* Disjoint spans of the query, ascending. */
typedef struct {
    span_t *spans;
    int64_t n, capacity;
} taken_t;

typedef struct room_t {
    struct room_t *next;
} room_t;

/* A pair that is judged. */
typedef struct {
    const bars_t *bars;
    spelled_t texts[2];
    const pair_t *pair;
    bool failed;   /* out of memory: what was found is of no use */
    room_t *rooms; /* memory until the end */
} judged_t;

/* What was found in a pair: chains of equal runs, the worthiest first, and alignments. Chain c is `blocks[bounds[c]]` …
 * `blocks[bounds[c + 1] - 1]`. */
typedef struct {
    const block_t *blocks;
    const int64_t *bounds;
    int64_t n_chains;
    box_t *boxes;
    int64_t n_boxes;
    const bool *may; /* of each alignment, whether it may be a passage alone; NULL if that is not known */
} found_t;

/* spans.c */
void *room_take(judged_t *judged, int64_t size); /* NULL if out of memory */
void rooms_free(judged_t *judged);
static inline int64_t span_length(span_t span) { return span.stop - span.start; }
static inline int64_t overlap_of(span_t one, span_t other) {
    return greatest(0, least(one.stop, other.stop) - greatest(one.start, other.start));
}
static inline span_t chain_span(chain_t chain, int side) {
    const block_t *first = chain.blocks, *last = chain.blocks + chain.n - 1;
    if (side == QUERY) return (span_t){first->query, last->query + last->length};
    return (span_t){first->source, last->source + last->length};
}
int64_t span_letters(const judged_t *judged, int side, span_t span);
bool in_both(chain_t chain, span_t query, span_t source);
/* The indices of the spans that meet a span, and perhaps of one before. */
span_t spans_near(const taken_t *taken, span_t span);
bool span_take(taken_t *taken, span_t span);
bool piece_add(pieces_t *pieces, piece_t piece);
void pieces_sort(pieces_t *pieces); /* by their place in the query */
piece_t exact_piece(chain_t chain, double similarity, double characters);
/* Finds the parts of a chain between taken spans. Returns their number. */
int64_t free_parts(judged_t *judged, chain_t chain, const taken_t *taken, chain_t **parts);

/* verdict.c: adds the pieces of chains of equal runs whose words are rare enough. */
void exact_find(judged_t *judged, const found_t *found, pieces_t *exact);
/* Returns the similarity of the letters of two ranges, or UNKNOWN if one is too long. */
double letters_alike(judged_t *judged, span_t here, span_t there);

/* likeness.c */
double sorted_alike(judged_t *judged, span_t here, span_t there);
double found_share(judged_t *judged, span_t here, span_t there);
double words_alike(judged_t *judged, span_t here, span_t there); /* UNKNOWN if one is too long */
double ordered_share(judged_t *judged, span_t here, span_t there);

/* evidence.c */
double words_evidence(const judged_t *judged, span_t here, span_t there);
double topic_evidence(const judged_t *judged, span_t here, span_t there);
double piece_evidence(judged_t *judged, const piece_t *piece);
double rare_likeness(judged_t *judged, const piece_t *piece);
/* Writes which tokens of a range of the query are in runs of n words that a range of the source has. */
void in_runs(judged_t *judged, span_t here, span_t there, int64_t n_words, bool *equal);

/* reworded.c: adds the reworded pieces and summaries, disjoint, in query order. */
void reworded_find(judged_t *judged, const pieces_t *exact, found_t *found, pieces_t *loose);
bool is_mostly_inside(chain_t chain, const piece_t *one);

/* A passage as it is handed out: `JudgedPassages` of types.py. */
typedef struct {
    int64_t edges[4], kind;
    double similarity, characters, words, sorted_words, evidence, in_order;
} line_t;

/* distance.c: how far two lists of symbols are apart. A symbol is a letter or the key of a word. */
typedef struct {
    const uint64_t *symbols;
    int64_t n;
} list_t;

/* Returns the Levenshtein distance of two lists, or ALIGN_NO_MEMORY. */
int64_t edit_distance(list_t one, list_t other);
/* Returns the length of the longest common subsequence of two lists, or ALIGN_NO_MEMORY. */
int64_t common_length(list_t one, list_t other);
