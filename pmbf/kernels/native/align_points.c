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

/* The words of a query near one of them that make points, and how far each one's places are passed by. */
typedef struct {
    const int32_t *at, *end;
    int32_t worth;
    bool near;
} lane_t;

static int64_t open_lanes(const pair_t *pair, const int32_t *worths, int64_t word, lane_t *lanes) {
    const side_t *query = &pair->sides[QUERY];
    int64_t radius = pair->rules->radius, n = 0;
    int64_t low = word > radius ? word - radius : 0, high = word + radius < query->n ? word + radius + 1 : query->n;
    for (int64_t at = low; at < high; at++) {
        int32_t c = query->classes[at];
        if (!worths[c] || c == query->classes[word]) continue;
        int64_t distance = at > word ? at - word : word - at;
        lanes[n++] = (lane_t){pair->places + pair->bounds[c], pair->places + pair->bounds[c + 1], worths[c],
                              distance <= pair->rules->near};
    }
    return n;
}

/* Twice the worth of what stands near a place of the source; places are asked for in ascending order. */
static int64_t around(const rules_t *rules, lane_t *lanes, int64_t n_lanes, int32_t place) {
    int64_t sum = 0;
    for (lane_t *lane = lanes; lane < lanes + n_lanes; lane++) {
        while (lane->at < lane->end && *lane->at < place - rules->radius) lane->at++;
        for (const int32_t *at = lane->at; at < lane->end && *at <= place + rules->radius; at++) {
            int32_t distance = *at > place ? *at - place : place - *at;
            sum += (int64_t)lane->worth * (lane->near && distance <= rules->near ? 3 : 2);
        }
    }
    return sum;
}

bool points_find(const pair_t *pair, points_t *points) {
    const side_t *query = &pair->sides[QUERY];
    int32_t *worths = malloc((size_t)(pair->n_classes + 1) * sizeof *worths);
    lane_t *lanes = malloc((size_t)(2 * pair->rules->radius + 1) * sizeof *lanes);
    bool done = worths && lanes;
    if (done) weigh(pair, worths);
    for (int64_t word = 0; done && word < query->n; word++) {
        int32_t c = query->classes[word];
        if (!worths[c]) continue;
        int64_t n_lanes = open_lanes(pair, worths, word, lanes);
        for (int32_t at = pair->bounds[c]; done && at < pair->bounds[c + 1]; at++) {
            int64_t sum = 2 * (int64_t)worths[c] + around(pair->rules, lanes, n_lanes, pair->places[at]);
            if (sum >= 2 * pair->rules->density) done = add_point(points, word, pair->places[at]);
        }
    }
    free(worths);
    free(lanes);
    return done;
}
