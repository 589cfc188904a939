/* Points: equal words of both texts with enough other equal words near them in both texts.
 *
 * A word that stands a times in the query and b times in the source makes a·b points. The worth of each is the word's
 * rarity over the root of a·b. The density at a point is its own worth and the worth of other words' points in a square
 * around it. Points very near count half as much again. */

#include "align.h"

/* Returns 4096 / sqrt(n), for n from 1 to the most points that a word may make. */
static int32_t inverse_root(int64_t n) {
    int64_t root = 0; /* whole root of 4096² · 4096² / n */
    uint64_t square = ((uint64_t)1 << 48) / (uint64_t)n;
    for (int64_t bit = (int64_t)1 << 24; bit; bit >>= 1)
        if ((uint64_t)(root + bit) * (uint64_t)(root + bit) <= square) root += bit;
    return (int32_t)(root >> 12);
}

/* Writes the worth of a point of each class; 0 if the class makes no points or too many. The sum of all points within
 * the radius fits 32 bits. */
static void weigh(const pair_t *pair, int32_t *worths) {
    int64_t width = 2 * pair->rules->radius + 1, most = INT32_MAX / (width * width);
    for (int64_t c = 0; c < pair->n_classes; c++) {
        int64_t n = (int64_t)pair->sides[QUERY].counts[c] * pair->sides[SOURCE].counts[c];
        bool makes = n && n <= pair->rules->most_points;
        worths[c] = makes ? (int32_t)least(most, (int64_t)pair->rarities[c] * inverse_root(n) >> 12) : 0;
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

/* Adds a worth to the sums around n places. The compiler unrolls the loop for the usual radius. */
INLINE void add_to_all(int32_t *sums, const int32_t *places, int64_t n, int64_t width, int32_t worth) {
    for (int64_t at = 0; at < n; at++) {
        int32_t *around = sums + places[at];
        for (int64_t place = 0; place < width; place++) around[place] += worth;
    }
}

enum { USUAL_WIDTH = 25 };
#define ADD_AROUND                                                        \
    if (width == USUAL_WIDTH) add_to_all(sums, places, n, USUAL_WIDTH, worth); \
    else add_to_all(sums, places, n, width, worth);

typedef void add_around_t(int32_t *sums, const int32_t *places, int64_t n, int64_t width, int32_t worth);

static void add_around(int32_t *sums, const int32_t *places, int64_t n, int64_t width, int32_t worth) { ADD_AROUND }

#if defined(__x86_64__)
TARGET_BEGIN("avx2")
static void add_around_avx2(int32_t *sums, const int32_t *places, int64_t n, int64_t width, int32_t worth) { ADD_AROUND }
TARGET_END
#endif

static add_around_t *best_add_around(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return add_around_avx2;
#endif
    return add_around;
}

/* The worth of the query's words within the radius, at each place of the source. When a word comes within the radius,
 * its worth is added around each of its places; when the word leaves, the worth is taken off. */
typedef struct {
    const pair_t *pair;
    const int32_t *worths;
    int32_t *sums; /* from a radius before the first place to a radius behind the last */
    int32_t *counts; /* how often each class is within the radius */
    int64_t radius, near;
    add_around_t *add;
} field_t;

/* Adds the query's word at `word`, if there is one, to the sums around each of its places, and counts its class. A sign
 * of -1 takes it off. */
static void spread(field_t *field, int64_t word, int sign) {
    const pair_t *pair = field->pair;
    if (word < 0 || word >= pair->sides[QUERY].n) return;
    int32_t c = pair->sides[QUERY].classes[word], worth = sign * field->worths[c];
    if (!worth) return;
    field->counts[c] += sign;
    const int32_t *places = pair->places + pair->bounds[c];
    field->add(field->sums, places, pair->bounds[c + 1] - pair->bounds[c], 2 * field->radius + 1, worth);
}

/* Returns how many places of a class are within a distance of a place. */
static int64_t n_around(const pair_t *pair, int32_t c, int64_t place, int64_t distance) {
    const int32_t *low = pair->places + pair->bounds[c], *end = pair->places + pair->bounds[c + 1];
    for (int64_t n = end - low; n > 0;) {
        int64_t half = n / 2;
        if (low[half] < place - distance) low += half + 1, n -= half + 1;
        else n = half;
    }
    int64_t n = 0;
    while (low + n < end && low[n] <= place + distance) n++;
    return n;
}

/* Returns the worth of the words of other classes within `near` of a point. */
static int64_t near_sum(const field_t *field, int64_t word, int64_t place) {
    const side_t *query = &field->pair->sides[QUERY];
    int64_t sum = 0, start = greatest(0, word - field->near), stop = least(query->n, word + field->near + 1);
    for (int64_t at = start; at < stop; at++) {
        int32_t c = query->classes[at];
        if (c != query->classes[word] && field->worths[c]) sum += field->worths[c] * n_around(field->pair, c, place, field->near);
    }
    return sum;
}

/* Returns whether a point is dense enough. Most points cannot be, so that `near_sum` is not computed for them. */
static bool is_dense(const field_t *field, int64_t word, int64_t place) {
    int32_t c = field->pair->sides[QUERY].classes[word];
    int64_t needed = 2 * (field->pair->rules->density - field->worths[c]), sum = field->sums[place + field->radius];
    if (3 * sum < needed) return false;
    sum -= (int64_t)field->worths[c] * field->counts[c] * n_around(field->pair, c, place, field->radius);
    return 2 * sum >= needed || (3 * sum >= needed && 2 * sum + near_sum(field, word, place) >= needed);
}

static bool find_points(field_t *field, points_t *points) {
    const pair_t *pair = field->pair;
    for (int64_t word = 0; word < field->radius; word++) spread(field, word, 1);
    for (int64_t word = 0; word < pair->sides[QUERY].n; word++) {
        int32_t c = pair->sides[QUERY].classes[word];
        spread(field, word - field->radius - 1, -1);
        spread(field, word + field->radius, 1);
        for (int32_t at = pair->bounds[c]; field->worths[c] && at < pair->bounds[c + 1]; at++)
            if (is_dense(field, word, pair->places[at]) && !add_point(points, word, pair->places[at])) return false;
    }
    return true;
}

bool points_find(const pair_t *pair, points_t *points) {
    int64_t radius = pair->rules->radius;
    int32_t *worths = malloc((size_t)(pair->n_classes + 1) * sizeof *worths);
    int32_t *sums = calloc((size_t)(pair->sides[SOURCE].n + 2 * radius + 1), sizeof *sums);
    field_t field = {pair, worths, sums, pair->inside[QUERY], radius, least(pair->rules->near, radius), best_add_around()};
    bool done = worths && sums;
    if (done) weigh(pair, worths);
    done = done && find_points(&field, points);
    for (int64_t word = 0; word < pair->sides[QUERY].n; word++) field.counts[pair->sides[QUERY].classes[word]] = 0;
    free(worths);
    free(sums);
    return done;
}
