/* Points: equal words of both texts with enough other equal words near them in both texts.
 *
 * A word that stands a times in the query and b times in the source makes a·b points. The worth of each is the word's
 * rarity over the root of a·b. The density at a point is its own worth and the worth of other words' points in a square
 * around it. Points very near count half as much again. */

#include "align.h"

#include <math.h>

/* Returns 4096 / sqrt(n), for n from 1 to the most points that a word may make. Whole numbers below 2^52 have exact
 * roots up to the fraction, which is dropped. */
static int32_t inverse_root(int64_t n) { return (int32_t)((int64_t)sqrt((double)(((uint64_t)1 << 48) / (uint64_t)n)) >> 12); }

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

/* A word of the query that makes points: where it is, its class, and the worth of each of its points. */
typedef struct {
    int32_t word, c, worth;
} entry_t;

/* A point: its word's number among the entries, its place in the source, the stretch of that place, and its worth. */
typedef struct {
    int32_t entry, place, stretch, worth;
} spot_t;

/* The points of a chunk of the query. */
typedef struct {
    spot_t *spots;
    int64_t n, capacity;
} chunk_t;

enum { N_CHUNKS = 3 };

/* Both texts in parts of a radius each, or of a word if the radius is 0: chunks of the query, stretches of the source. All
 * points within the radius of a point are in three chunks and three stretches. What the points of three chunks are worth
 * is kept for each stretch. So most points are told without a look at the places around: their sums are too small. */
typedef struct {
    const pair_t *pair;
    int32_t *worths;    /* of a point of each class */
    int32_t *inside;    /* of each class: the same times its words within the radius of the word at hand */
    int32_t *numbers;   /* of the stretch of each of `pair->places`; 0 is before the first */
    int32_t *stretches; /* what the points of three chunks are worth */
    entry_t *entries;   /* in order */
    int64_t n_entries, next, first, last; /* the next that is in no chunk; those inside are [first, last) */
    chunk_t chunks[N_CHUNKS];
    int64_t radius, near, part; /* the length of a part */
} field_t;

/* Makes room for n points. Returns false if out of memory. */
static bool have_room(chunk_t *chunk, int64_t n) {
    if (n <= chunk->capacity) return true;
    spot_t *spots = realloc(chunk->spots, (size_t)(2 * n) * sizeof *spots);
    if (!spots) return false;
    chunk->spots = spots;
    chunk->capacity = 2 * n;
    return true;
}

/* Adds the points of a word to a chunk. Returns false if out of memory. */
static bool add_spots(const field_t *field, chunk_t *chunk, int32_t at) {
    const pair_t *pair = field->pair;
    const entry_t entry = field->entries[at];
    int32_t first = pair->bounds[entry.c], stop = pair->bounds[entry.c + 1];
    if (!have_room(chunk, chunk->n + stop - first)) return false;
    spot_t *spot = chunk->spots + chunk->n;
    for (int32_t one = first; one < stop; one++) {
        int32_t number = field->numbers[one];
        *spot++ = (spot_t){at, pair->places[one], number, entry.worth};
        field->stretches[number] += entry.worth;
    }
    chunk->n += stop - first;
    return true;
}

/* Fills a chunk with the points of the next words, up to one, in the place of the points it has. Returns false if out of
 * memory. */
static bool refill(field_t *field, chunk_t *chunk, int64_t stop) {
    for (const spot_t *spot = chunk->spots; spot < chunk->spots + chunk->n; spot++)
        field->stretches[spot->stretch] -= spot->worth;
    chunk->n = 0;
    bool done = true;
    for (; done && field->next < field->n_entries && field->entries[field->next].word < stop; field->next++)
        done = add_spots(field, chunk, (int32_t)field->next);
    return done;
}

/* Makes the words within the radius of a word those inside. */
static void look_around(field_t *field, int64_t word) {
    const entry_t *entries = field->entries;
    for (; field->last < field->n_entries && entries[field->last].word <= word + field->radius; field->last++)
        field->inside[entries[field->last].c] += entries[field->last].worth;
    for (; entries[field->first].word < word - field->radius; field->first++)
        field->inside[entries[field->first].c] -= entries[field->first].worth;
}

/* Returns the worth of the points within the radius of a place. */
static int64_t sum_around(const field_t *field, int64_t place) {
    const side_t *source = &field->pair->sides[SOURCE];
    int64_t start = greatest(0, place - field->radius), stop = least(source->n, place + field->radius + 1);
    int32_t sum = 0;
    for (int64_t at = start; at < stop; at++) sum += field->inside[source->classes[at]];
    return sum;
}

/* Returns the worth of the points within `near` of a point. */
static int64_t near_sum(const field_t *field, int64_t word, int64_t place) {
    const side_t *query = &field->pair->sides[QUERY], *source = &field->pair->sides[SOURCE];
    int64_t sum = 0, near = field->near, start = greatest(0, word - near), stop = least(query->n, word + near + 1);
    for (int64_t there = greatest(0, place - near); there < least(source->n, place + near + 1); there++) {
        int32_t c = source->classes[there];
        if (!field->inside[c]) continue;
        for (int64_t here = start; here < stop; here++) sum += query->classes[here] == c ? field->worths[c] : 0;
    }
    return sum;
}

/* Returns whether a point is dense. Points of its own class add nothing: the class is taken out meanwhile. */
static bool is_dense(field_t *field, const entry_t *entry, int64_t place) {
    int64_t needed = 2 * (field->pair->rules->density - entry->worth);
    if (needed <= 0) return true;
    look_around(field, entry->word);
    int32_t own = field->inside[entry->c];
    field->inside[entry->c] = 0;
    int64_t sum = sum_around(field, place);
    bool found = 3 * sum >= needed && (2 * sum >= needed || 2 * sum + near_sum(field, entry->word, place) >= needed);
    field->inside[entry->c] = own;
    return found;
}

/* Returns whether a point may be dense: any other point counts three halves at most, and the sum of the three stretches
 * has the point itself. */
INLINE bool may_be_dense(const field_t *field, const spot_t *spot) {
    const int32_t *around = field->stretches + spot->stretch;
    return 3 * ((int64_t)around[-1] + around[0] + around[1]) >= 2 * field->pair->rules->density + spot->worth;
}

/* Adds the dense points of a chunk, which has a chunk before and behind. Returns false if out of memory. */
static bool add_dense(field_t *field, const chunk_t *chunk, points_t *points) {
    bool done = true;
    for (const spot_t *spot = chunk->spots; done && spot < chunk->spots + chunk->n; spot++) {
        if (!RARE(may_be_dense(field, spot))) continue;
        const entry_t *entry = &field->entries[spot->entry];
        if (is_dense(field, entry, spot->place)) done = add_point(points, entry->word, spot->place);
    }
    return done;
}

static bool find_points(field_t *field, points_t *points) {
    const int64_t part = field->part;
    chunk_t *chunks = field->chunks;
    bool done = refill(field, &chunks[0], part);
    for (int64_t start = 0, at = 0; done && start < field->pair->sides[QUERY].n; start += part, at = (at + 1) % N_CHUNKS)
        done = refill(field, &chunks[(at + 1) % N_CHUNKS], start + 2 * part) && add_dense(field, &chunks[at], points);
    return done;
}

/* Lists the words that make points. */
static void list_entries(field_t *field) {
    const side_t *query = &field->pair->sides[QUERY];
    for (int64_t word = 0; word < query->n; word++) {
        int32_t c = query->classes[word], worth = field->worths[c];
        field->entries[field->n_entries] = (entry_t){(int32_t)word, c, worth};
        field->n_entries += worth > 0;
    }
}

/* Numbers the stretches of all places. */
static void number_stretches(field_t *field) {
    double share = 1.0 / (double)field->part; /* half a place is more than all rounding */
    for (int64_t at = 0; at < field->pair->sides[SOURCE].n; at++)
        field->numbers[at] = 1 + (int32_t)(((double)field->pair->places[at] + 0.5) * share);
}

/* Takes the memory of a field, all zero. Returns false if there is none. */
static bool take_field(field_t *field) {
    const pair_t *pair = field->pair;
    size_t n_classes = (size_t)pair->n_classes, n_source = (size_t)pair->sides[SOURCE].n;
    field->worths = calloc(2 * n_classes + 2 * n_source + 4, sizeof(int32_t));
    field->entries = malloc((size_t)(pair->sides[QUERY].n + 1) * sizeof *field->entries);
    if (!field->worths || !field->entries) return false;
    field->inside = field->worths + n_classes;
    field->stretches = field->inside + n_classes;
    field->numbers = field->stretches + n_source + 3;
    return true;
}

bool points_find(const pair_t *pair, points_t *points) {
    int64_t radius = pair->rules->radius;
    field_t field = {.pair = pair, .radius = radius, .near = least(pair->rules->near, radius), .part = greatest(1, radius)};
    bool done = take_field(&field);
    if (done) {
        weigh(pair, field.worths);
        list_entries(&field);
        number_stretches(&field);
        done = find_points(&field, points);
    }
    free(field.worths);
    free(field.entries);
    for (int at = 0; at < N_CHUNKS; at++) free(field.chunks[at].spots);
    return done;
}
