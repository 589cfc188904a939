/* Points: equal words of both texts with enough others near them on both sides.
 *
 * A word that stands a times here and b times there makes a·b points, each worth its rarity over the root of a·b. The
 * density at a point is its own worth and that of the points of other words within a square around it, those very
 * near half as much again. */

#include "align.h"

/* 4096 / sqrt(n), for n from 1 to the most points a word may make. */
static int32_t inverse_root(int64_t n) {
    int64_t root = 0; /* of 4096² · 4096² / n, whole */
    uint64_t square = ((uint64_t)1 << 48) / (uint64_t)n;
    for (int64_t bit = (int64_t)1 << 24; bit; bit >>= 1)
        if ((uint64_t)(root + bit) * (uint64_t)(root + bit) <= square) root += bit;
    return (int32_t)(root >> 12);
}

/* Writes what a point of each class is worth, 0 where it makes none or too many. */
static void weigh(const pair_t *pair, int32_t *worths) {
    for (int64_t c = 0; c < pair->n_classes; c++) {
        int64_t n = (int64_t)pair->sides[QUERY].counts[c] * pair->sides[SOURCE].counts[c];
        worths[c] = n && n <= pair->rules->most_points ? (int32_t)((int64_t)pair->rarities[c] * inverse_root(n) >> 12) : 0;
    }
}

static bool add_point(points_t *points, int64_t query, int64_t source) {
    if (points->n == points->capacity) {
        int64_t capacity = points->capacity ? 2 * points->capacity : 256;
        for (int side = 0; side < 2; side++) {
            int32_t *places = realloc(points->places[side], (size_t)capacity * sizeof *places);
            if (!places) return false;
            points->places[side] = places;
        }
        points->capacity = capacity;
    }
    points->places[QUERY][points->n] = (int32_t)query;
    points->places[SOURCE][points->n++] = (int32_t)source;
    return true;
}

void points_free(points_t *points) {
    free(points->places[QUERY]);
    free(points->places[SOURCE]);
}

/* Twice what the query's words near the one at hand are worth at each place of the source, those of its own class too.
 * When a word comes near, its worth is added around each of its places; when it goes, it is taken off again. */
typedef struct {
    const pair_t *pair;
    const int32_t *worths;
    int64_t *sums;
} field_t;

/* Adds to the sums around each place of a query's word, if there is one at `word`; counts how often its class is near. */
static void spread(field_t *field, int64_t word, int64_t radius, int64_t times, int32_t *counts, int sign) {
    const pair_t *pair = field->pair;
    if (word < 0 || word >= pair->sides[QUERY].n) return;
    int32_t c = pair->sides[QUERY].classes[word];
    int64_t worth = sign * times * field->worths[c];
    if (!worth) return;
    counts[c] += sign;
    for (int32_t at = pair->bounds[c]; at < pair->bounds[c + 1]; at++) {
        int64_t start = greatest(0, pair->places[at] - radius);
        int64_t stop = least(pair->sides[SOURCE].n, pair->places[at] + radius + 1);
        for (int64_t place = start; place < stop; place++) field->sums[place] += worth;
    }
}

/* Lets the words come and go that the step to a word brings near or leaves behind. */
static void step_to(field_t *field, int64_t word) {
    const pair_t *pair = field->pair;
    int64_t radius = pair->rules->radius, near = least(pair->rules->near, radius);
    spread(field, word - radius - 1, radius, 2, pair->inside[QUERY], -1);
    spread(field, word - near - 1, near, 1, pair->inside[SOURCE], -1);
    spread(field, word + radius, radius, 2, pair->inside[QUERY], 1);
    spread(field, word + near, near, 1, pair->inside[SOURCE], 1);
}

/* What the words of its own class add to the sum at one of its places, which is `places[at]`. */
static int64_t own(const field_t *field, int32_t c, int32_t at) {
    const pair_t *pair = field->pair;
    const int32_t *places = pair->places;
    int64_t radius = pair->rules->radius, near = least(pair->rules->near, radius), n_around = 0, n_near = 0;
    for (int32_t other = at; other >= pair->bounds[c] && places[at] - places[other] <= radius; other--) {
        n_around++;
        n_near += places[at] - places[other] <= near;
    }
    for (int32_t other = at + 1; other < pair->bounds[c + 1] && places[other] - places[at] <= radius; other++) {
        n_around++;
        n_near += places[other] - places[at] <= near;
    }
    return field->worths[c] * (2 * n_around * pair->inside[QUERY][c] + n_near * pair->inside[SOURCE][c]);
}

bool points_find(const pair_t *pair, points_t *points) {
    const side_t *query = &pair->sides[QUERY];
    int32_t *worths = malloc((size_t)(pair->n_classes + 1) * sizeof *worths);
    field_t field = {pair, worths, calloc((size_t)pair->sides[SOURCE].n + 1, sizeof *field.sums)};
    bool done = worths && field.sums;
    if (done) weigh(pair, worths);
    for (int64_t word = -pair->rules->radius; done && word < 0; word++) step_to(&field, word);
    for (int64_t word = 0; done && word < query->n; word++) {
        int32_t c = query->classes[word];
        step_to(&field, word);
        for (int32_t at = pair->bounds[c]; done && worths[c] && at < pair->bounds[c + 1]; at++) {
            int64_t sum = 2 * (int64_t)worths[c] + field.sums[pair->places[at]] - own(&field, c, at);
            if (sum >= 2 * pair->rules->density) done = add_point(points, word, pair->places[at]);
        }
    }
    for (int64_t word = 0; done && word < query->n; word++)
        pair->inside[QUERY][query->classes[word]] = pair->inside[SOURCE][query->classes[word]] = 0;
    free(worths);
    free(field.sums);
    return done;
}
