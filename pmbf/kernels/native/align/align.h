/* The types and functions that the alignment kernels share. docs/alignment.md has the rules; reference_align.py is the
 * NumPy twin.
 *
 *     words of two texts --classes--> equal words --density--> points --gaps--> boxes --sums--> alignments
 *
 * All scores are whole numbers in 1/1024 nat, so that both twins agree to the bit. The class of a word is its number in
 * both texts; a text is a class at each of its places. A box is a range of words of each text, `[start, stop)`.
 */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../compiler.h"

enum { ALIGN_NO_MEMORY = -1 };
enum { QUERY, SOURCE };
enum { PLAIN, SENTENCE, SENTENCE_AND_LINE, PARAGRAPH, LINE }; /* borders before a word */
enum { N_SLIPS = 7 }; /* a slip is the first 7 letters of a word with one left out */
enum { MATCH, MISS, SUMMARY_MATCH, SUMMARY_MISS, N_TABLES };

/* `Rules` of align_rules.py, in the same order. */
typedef struct {
    int64_t most_points, radius, near, density, gap, gap_rounds;
    int64_t margin, inward, rounds, prior_words;
    int64_t outward_bonus, line_bonus, step_price, least_snap, least_box, least_score;
    int64_t stretch, stretches, stretch_gain;
    int64_t summary_source, summary_words, summary_score, summary_evidence, summary_times;
    int64_t summary_boxes, summary_one, summary_one_lines, summary_window, summary_dense, summary_dense_lines;
} rules_t;

typedef struct {
    int64_t n;
    const int32_t *classes; /* class of each word */
    const uint8_t *borders; /* before each word and at the end, n + 1 */
    int32_t *counts;        /* how often each class stands in the text */
} side_t;

typedef struct {
    const rules_t *rules;
    side_t sides[2];
    int64_t n_classes;
    const int32_t *rarities; /* of each class, in 1/1024 nat */
    const int32_t *priors;   /* of each class: expected number in 500 words, in 1/65536 */
    const int32_t *tables;   /* N_TABLES lines of n_buckets scores */
    int64_t n_buckets;
    int32_t *bounds, *places; /* the source's places of class c: places[bounds[c] .. bounds[c + 1]) */
    int32_t *inside[2];       /* how often each class stands in a part of each text; all zero between two uses */
    int32_t *scores;          /* scores of the words of a window */
    int32_t *listed;          /* classes in a list */
    bool *is_listed;          /* of each class; all false between two uses */
    void *memory;             /* of the arrays from `bounds` on, and of the counts of both sides */
} pair_t;

typedef struct {
    int32_t start[2], stop[2];
    int64_t score;
    int64_t kind; /* 0 a passage, 1 a summary */
} box_t;

typedef struct {
    box_t *boxes;
    int64_t n, capacity;
} boxes_t;

typedef struct {
    int32_t *places[2];
    int64_t n, capacity;
} points_t;

static inline int64_t least(int64_t one, int64_t other) { return one < other ? one : other; }
static inline int64_t greatest(int64_t one, int64_t other) { return one > other ? one : other; }

/* Returns a list in malloc's memory that has room behind its n items, or NULL if out of memory. */
static inline void *grown(void *items, int64_t n, int64_t *capacity, size_t size) {
    if (n < *capacity) return items;
    void *more = realloc(items, (size_t)(2 * n + 64) * size);
    if (more) *capacity = 2 * n + 64;
    return more;
}

typedef struct {
    uint64_t name;
    int64_t place;
} named_t;

/* grams.c: sorts names by number. Equal names stay in order. `names` has room for 2 n. */
void names_sort(named_t *names, int64_t n);

/* points.c: finds the points with enough other points near them. Returns false if out of memory. */
bool points_find(const pair_t *pair, points_t *points);
void points_free(points_t *points);

/* clusters.c: finds a box around each group of points without wide gaps. Returns false if out of memory. */
bool clusters_find(const rules_t *rules, const points_t *points, boxes_t *boxes);
/* Sorts boxes, and joins those that overlap in both texts. */
void boxes_join(boxes_t *boxes);
bool boxes_add(boxes_t *boxes, box_t box);
void boxes_sort(boxes_t *boxes);

/* refine.c: moves the edges of a box to where its sums are greatest. Returns false if nothing is left of the box. */
bool box_refine(const pair_t *pair, box_t *box);
/* Finds the part of scores[0 .. n) with the greatest sum, the first of several. Returns the sum, 0 for an empty
 * part. */
int64_t greatest_sum(const int32_t *scores, int64_t n, int64_t *start, int64_t *stop);
/* An edge that may move to a border near it, and the scores around it. scores[0] is the score of word `low`. */
typedef struct {
    int side;
    int64_t low, high; /* the window */
    int64_t edge, other;
    int step; /* outwards: -1 if the edge is the start, 1 if it is the stop */
    unsigned borders;
} snap_t;
int64_t snapped(const pair_t *pair, const snap_t *snap, int64_t *sum);
/* Scores the words `[low, high)` of one text, given the part of the other. */
void window_score(const pair_t *pair, int side, int64_t low, int64_t high, int64_t start, int64_t stop);

/* stretch.c: moves the ends of a box to next borders, in one text or in both at once. */
void box_stretch(const pair_t *pair, box_t *box);
/* Returns the sum of the scores of a box's words in one text, given the box's part of the other. */
int64_t part_sum(const pair_t *pair, int side, const box_t *box);
/* The same with each word counted once, and expected as often as in the rest of both texts, which have its topic. */
int64_t topic_sum(const pair_t *pair, int side, const box_t *box);

/* summary.c: keeps the boxes with at least the least score. If there is a summary of the whole source, then it replaces
 * the boxes it overlaps. Returns false if out of memory. */
bool summary_find(const pair_t *pair, boxes_t *boxes);

/* pair.c: counts the classes of a pair, lists their places, and gets its memory. Returns false if out of memory. */
bool pair_set_up(pair_t *pair);
void pair_free(pair_t *pair);
/* Finds the alignments of a pair that is set up. Returns false if out of memory. */
bool pair_align(const pair_t *pair, boxes_t *boxes);
