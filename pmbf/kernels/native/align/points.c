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

enum { N_ROOTS = 301 }; /* most words make no more points */

/* Returns the same from a table that is filled on the way. */
static int32_t known_root(int32_t *roots, int64_t n) {
    if (n >= N_ROOTS) return inverse_root(n);
    if (!roots[n]) roots[n] = inverse_root(n);
    return roots[n];
}

/* Writes the worth of a point of each class; 0 if the class makes no points or too many. The sum of all points within
 * the radius fits 32 bits. */
static void weigh(const pair_t *pair, int32_t *worths) {
    int64_t width = 2 * pair->rules->radius + 1, most = INT32_MAX / (width * width);
    int32_t roots[N_ROOTS] = {0};
    for (int64_t c = 0; c < pair->n_classes; c++) {
        int64_t n = (int64_t)pair->sides[QUERY].counts[c] * pair->sides[SOURCE].counts[c];
        bool makes = n && n <= pair->rules->most_points;
        worths[c] = makes ? (int32_t)least(most, (int64_t)pair->rarities[c] * known_root(roots, n) >> 12) : 0;
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

/* A word of the query that makes points: where it is, their worth, and where its places in the source are listed. */
typedef struct {
    int32_t word, worth, first, stop;
} entry_t;

/* The worth of the query's words within the radius, at each place of the source that has one of these words. When a word
 * comes within the radius, its worth is added at each of its places; when the word leaves, the worth is taken off. The
 * sums of stretches, each at least a radius long, tell without a sum of places that most points are not dense. */
typedef struct {
    const pair_t *pair;
    const int32_t *worths;
    const entry_t *entries; /* in order */
    int64_t n_entries;
    int32_t *at;         /* from a radius before the first place to a radius behind the last */
    int32_t *stretches;  /* from the stretch before the first to the one behind the last */
    int shift;           /* a stretch has 2^shift places */
    int64_t radius, near;
} field_t;

/* Adds a word's worth at each of its places. A sign of -1 takes it off. */
INLINE void spread(const field_t *field, const entry_t *entry, int32_t sign) {
    int32_t worth = sign * entry->worth, *at = field->at + field->radius, *stretches = field->stretches + 1;
    const int32_t *stop = field->pair->places + entry->stop;
    const int shift = field->shift;
    for (const int32_t *place = field->pair->places + entry->first; place < stop; place++) {
        at[*place] += worth;
        stretches[*place >> shift] += worth;
    }
}

/* Returns how many words of a class are within the radius of a word of the query. */
static int64_t n_in_query(const field_t *field, int64_t word, int32_t c) {
    const side_t *query = &field->pair->sides[QUERY];
    int64_t n = 0, stop = least(query->n, word + field->radius + 1);
    for (int64_t at = greatest(0, word - field->radius); at < stop; at++) n += query->classes[at] == c;
    return n;
}

/* Returns the sum within the radius of a place. */
static int64_t sum_around(const field_t *field, int64_t place) {
    int32_t sum = 0;
    for (int64_t at = place; at <= place + 2 * field->radius; at++) sum += field->at[at];
    return sum;
}

/* Returns how many places of a class are within a distance of one of them, the one with the number `at`. */
static int64_t n_around(const pair_t *pair, int32_t c, int64_t at, int64_t distance) {
    const int32_t *places = pair->places;
    int64_t low = at, high = at + 1;
    while (low > pair->bounds[c] && places[low - 1] >= places[at] - distance) low--;
    while (high < pair->bounds[c + 1] && places[high] <= places[at] + distance) high++;
    return high - low;
}

/* Returns the worth of the points of other classes within `near` of a point. */
static int64_t near_sum(const field_t *field, int64_t word, int64_t place) {
    const side_t *query = &field->pair->sides[QUERY], *source = &field->pair->sides[SOURCE];
    int64_t sum = 0, near = field->near, start = greatest(0, word - near), stop = least(query->n, word + near + 1);
    for (int64_t there = greatest(0, place - near); there < least(source->n, place + near + 1); there++) {
        int32_t c = source->classes[there];
        int64_t times = 0;
        if (c == query->classes[word]) continue;
        for (int64_t here = start; here < stop; here++) times += query->classes[here] == c;
        if (times) sum += times * field->worths[c];
    }
    return sum;
}

/* Returns whether the source's place number `at` makes a dense enough point with a word of the query of its class, given
 * the density that is needed besides its own. */
static bool is_dense(const field_t *field, int64_t word, int64_t at, int64_t needed) {
    int32_t c = field->pair->sides[QUERY].classes[word];
    int64_t place = field->pair->places[at], sum = sum_around(field, place);
    if (3 * sum < needed) return false;
    sum -= (int64_t)field->worths[c] * n_in_query(field, word, c) * n_around(field->pair, c, at, field->radius);
    return 2 * sum >= needed || (3 * sum >= needed && 2 * sum + near_sum(field, word, place) >= needed);
}

static bool find_points(const field_t *field, points_t *points) {
    const int32_t *places = field->pair->places, *stretches = field->stretches;
    const entry_t *stop = field->entries + field->n_entries, *next = field->entries, *last = next;
    const int64_t density = field->pair->rules->density, radius = field->radius;
    const int shift = field->shift;
    for (const entry_t *entry = field->entries; entry < stop; entry++) {
        for (; next < stop && next->word <= entry->word + radius; next++) spread(field, next, 1);
        for (; last->word < entry->word - radius; last++) spread(field, last, -1);
        int64_t needed = 2 * (density - entry->worth);
        for (int32_t at = entry->first; at < entry->stop; at++) {
            const int32_t *around = stretches + (places[at] >> shift);
            if (3 * ((int64_t)around[0] + around[1] + around[2]) < needed) continue; /* most points cannot be dense */
            if (is_dense(field, entry->word, at, needed) && !add_point(points, entry->word, places[at])) return false;
        }
    }
    return true;
}

/* Lists the words that make points. Returns their number. */
static int64_t list_entries(const pair_t *pair, const int32_t *worths, entry_t *entries) {
    int64_t n = 0;
    for (int64_t word = 0; word < pair->sides[QUERY].n; word++) {
        int32_t c = pair->sides[QUERY].classes[word];
        entries[n] = (entry_t){(int32_t)word, worths[c], pair->bounds[c], pair->bounds[c + 1]};
        n += worths[c] > 0;
    }
    return n;
}

bool points_find(const pair_t *pair, points_t *points) {
    int64_t radius = pair->rules->radius, n_source = pair->sides[SOURCE].n;
    int shift = 0;
    while ((int64_t)1 << shift < radius) shift++;
    int32_t *worths = malloc((size_t)(pair->n_classes + 1) * sizeof *worths);
    entry_t *entries = malloc((size_t)(pair->sides[QUERY].n + 1) * sizeof *entries);
    int32_t *at = calloc((size_t)(n_source + 2 * radius + 1), sizeof *at);
    int32_t *stretches = calloc((size_t)((n_source >> shift) + 3), sizeof *stretches);
    field_t field = {pair, worths, entries, 0, at, stretches, shift, radius, least(pair->rules->near, radius)};
    bool done = worths && entries && at && stretches;
    if (done) {
        weigh(pair, worths);
        field.n_entries = list_entries(pair, worths, entries);
        done = find_points(&field, points);
    }
    free(worths);
    free(entries);
    free(at);
    free(stretches);
    return done;
}
