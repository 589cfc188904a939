/* What the alignment kernels share. The rules are docs/alignment.md; the NumPy twin is reference_align.py.
 *
 *     words of two texts --classes--> equal words --density--> points --gaps--> boxes --sums--> alignments
 *
 * All scores are whole numbers in 1/1024 of a nat, so that both twins say the same to the bit. Words have one number
 * for both texts, their class; a text is what stands at each of its places. A box is a part of either text,
 * `[start, stop)` in words.
 */

#ifndef PMBF_ALIGN_H
#define PMBF_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../compiler.h"

enum { ALIGN_NO_MEMORY = -1 };
enum { QUERY, SOURCE };
enum { PLAIN, SENTENCE, SENTENCE_AND_LINE, PARAGRAPH, LINE }; /* borders before a word */
enum { N_SLIPS = 7 }; /* first letters of a word of which one is left out, each in turn */
enum { MATCH, MISS, SUMMARY_MATCH, SUMMARY_MISS, N_TABLES };

/* `Rules` of align_rules.py, in the same order. */
typedef struct {
    int64_t most_points, radius, near, density, gap, gap_rounds;
    int64_t margin, inward, rounds, prior_words;
    int64_t outward_bonus, line_bonus, step_price, least_snap, least_box, least_score;
    int64_t stretch, stretches, stretch_gain;
    int64_t summary_source, summary_words, summary_score, summary_evidence;
    int64_t summary_boxes, summary_one, summary_one_lines, summary_window, summary_dense, summary_dense_lines;
} rules_t;

typedef struct {
    int64_t n;
    const int32_t *classes; /* of each word */
    const uint8_t *borders; /* before each word, and at the end: n + 1 */
    int32_t *counts;        /* of each class */
} side_t;

typedef struct {
    const rules_t *rules;
    side_t sides[2];
    int64_t n_classes;
    const int32_t *rarities; /* of each class, in 1/1024 nat */
    const int32_t *priors;   /* of each class: what is expected in 500 words, in 1/65536 */
    const int32_t *tables;   /* N_TABLES lines of n_buckets scores */
    int64_t n_buckets;
    int32_t *bounds, *places; /* the source's places of class c: places[bounds[c] .. bounds[c + 1]) */
    int32_t *inside[2];       /* counts of each class in a part of either text; all zero between two uses */
    int32_t *scores;          /* of the words of a window */
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

typedef struct {
    uint64_t name;
    int64_t place;
} named_t;

/* grams.c: sorts names by number; equal ones stay in order. `names` has room for twice as many. */
void names_sort(named_t *names, int64_t n);

/* points.c: the points that have enough others near them. False when out of memory. */
bool points_find(const pair_t *pair, points_t *points);
void points_free(points_t *points);

/* clusters.c: a box around each group of points without wide gaps. False when out of memory. */
bool clusters_find(const rules_t *rules, const points_t *points, boxes_t *boxes);
/* Makes one of those that overlap on both sides; sorts them. */
void boxes_join(boxes_t *boxes);
bool boxes_add(boxes_t *boxes, box_t box);
void boxes_sort(boxes_t *boxes);

/* refine.c: moves the edges of a box to where its sums are greatest. False when nothing is left of it. */
bool box_refine(const pair_t *pair, box_t *box);
/* The part of scores[0 .. n) with the greatest sum, the first of several; returns the sum, 0 for an empty part. */
int64_t greatest_sum(const int32_t *scores, int64_t n, int64_t *start, int64_t *stop);
/* How much is won by moving an edge to a border near it; scores[0] is that of the word `low`. */
typedef struct {
    int side;
    int64_t low, high; /* the window */
    int64_t edge, other;
    int step; /* outwards: -1 where the edge is the start, 1 where it is the stop */
    unsigned borders;
} snap_t;
int64_t snapped(const pair_t *pair, const snap_t *snap, int64_t *sum);
/* Scores the words `[low, high)` of one text, given the other's part. */
void window_score(const pair_t *pair, int side, int64_t low, int64_t high, int64_t start, int64_t stop);
int64_t bucket(const pair_t *pair, uint64_t expected, uint64_t n_words, uint64_t n_others);

/* stretch.c: moves the ends of both texts' parts together. */
void box_stretch(const pair_t *pair, box_t *box);
/* The sum of the scores of a box's words on one side, given the other. */
int64_t part_sum(const pair_t *pair, int side, const box_t *box);
/* The same with each word counted once, and expected as often as in the rest of both texts: in their topic. */
int64_t topic_sum(const pair_t *pair, int side, const box_t *box);

/* summary.c: keeps the boxes of the least score, and puts a summary of the whole source in the place of those it
 * overlaps, if there is one. False when out of memory. */
bool summary_find(const pair_t *pair, boxes_t *boxes);

#endif
