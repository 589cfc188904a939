/* What the hits of a query are worth: the most that those of a document, or of a row, weigh within a window. */

#include "bits.h"

/* What a query's hashes weigh, and when hits of them overlap. */
typedef struct {
    const int32_t *weights;
    const uint32_t *tokens;
    const int64_t *owed; /* by place: what a stretch from the first place to that one costs, were nothing hit */
    size_t n;
    int64_t length, window, missed;
} weighing_t;

/* Returns what is owed by place, one more than there are; a hash that weighs nothing is never missed. */
static int64_t *owed_of(const weighing_t *by) {
    int64_t *owed = malloc((by->n + 1) * sizeof *owed);
    if (!owed) return NULL;
    owed[0] = 0;
    for (size_t i = 0; i < by->n; i++) owed[i + 1] = owed[i] + (by->weights[i] ? by->missed : 0);
    return owed;
}

/* Returns whether weights are at least 0 and tokens ascend. */
static int is_weighing(const weighing_t *by) {
    int32_t signs = 0;
    uint32_t descents = 0;
    for (size_t i = 0; i < by->n; i++) signs |= by->weights[i];
    for (size_t i = 1; i < by->n; i++) descents |= by->tokens[i] < by->tokens[i - 1];
    return signs >= 0 && !descents;
}

/* Returns what a hit counts whose shingle begins so many tokens after the one before: of a shingle that overlaps it only
 * the words that are new. Divisions of 32 bits take half as long. */
INLINE int64_t worth(const weighing_t *by, uint32_t place, int64_t apart) {
    int64_t weight = by->weights[place];
    if (apart >= by->length) return weight;
    uint64_t new_words = (uint64_t)(weight * apart);
    return (int64_t)((new_words | (uint64_t)by->length) >> 32 ? new_words / (uint64_t)by->length
                                                              : (uint32_t)new_words / (uint32_t)by->length);
}

/* Where a stretch may begin: what the list weighs before it less what is owed before it, and the place. */
typedef struct {
    int64_t before;
    uint32_t place;
} start_t;

/* Returns the most that a stretch of ascending places, within `window` of them, weighs less what is missed between. A hit
 * is not owed: it is given back with what it counts. Of the starts within reach only those stay, in `starts`, that are
 * better than all before them (a sliding minimum); there is room for as many as places. */
static int64_t most(const uint32_t *places, size_t n, const weighing_t *by, start_t *starts) {
    int64_t best = 0, sum = 0;
    size_t first = 0, n_starts = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t place = places[i];
        const int64_t before = sum - by->owed[place];
        while (n_starts > first && starts[n_starts - 1].before >= before) n_starts--;
        starts[n_starts++] = (start_t){before, place};
        while ((int64_t)place - starts[first].place >= by->window) first++;
        int64_t apart = i ? (int64_t)by->tokens[place] - by->tokens[places[i - 1]] : by->length;
        sum += worth(by, place, apart) + (by->weights[place] ? by->missed : 0);
        int64_t weighs = sum - by->owed[place + 1] - starts[first].before;
        if (weighs > best) best = weighs;
    }
    return best;
}

/* Writes the evidence of each list of places, places[bounds[i] … bounds[i + 1]). Returns 0, PMBF_NO_MEMORY,
 * or PMBF_REFUSED when bounds do not ascend to the number of places, a place is none of the query's, or the query is not
 * in order. */
EXPORT int64_t pmbf_evidence(const int64_t *bounds, size_t n, const uint32_t *places, size_t n_places,
                             const int32_t *weights, const uint32_t *tokens, size_t n_hashes, int64_t length,
                             int64_t window, int64_t missed, int64_t *out) {
    weighing_t by = {weights, tokens, NULL, n_hashes, length, window, missed};
    uint32_t largest = 0;
    int descends = bounds[0] != 0 || bounds[n] != (int64_t)n_places;
    for (size_t i = 0; i < n; i++) descends |= bounds[i + 1] < bounds[i];
    for (size_t i = 0; i < n_places; i++) largest = places[i] > largest ? places[i] : largest;
    if (descends || (n_places && largest >= n_hashes) || !is_weighing(&by)) return PMBF_REFUSED;
    start_t *starts = malloc((n_places + 1) * sizeof *starts);
    int64_t *owed = owed_of(&by);
    by.owed = owed;
    for (size_t i = 0; starts && owed && i < n; i++)
        out[i] = most(places + bounds[i], (size_t)(bounds[i + 1] - bounds[i]), &by, starts);
    int failed = starts && owed ? 0 : PMBF_NO_MEMORY;
    free(starts), free(owed);
    return failed;
}

/* Rows of which the hits are wanted: their bits, and the number of each among them. */
typedef struct {
    line_t mask;
    uint16_t number_of[512];
    size_t next[512]; /* of each: how many hits there are, then where the next one goes */
} wanted_rows_t;

/* Walks over the hits of wanted rows, place by place: counts them, or writes each place behind those of its row. */
static void walk(const columns_t *hits, const int32_t *weights, wanted_rows_t *wanted, uint32_t *places) {
    for (size_t i = 0; i < hits->n_lines; i++)
        for (size_t word = 0; weights[i] && word < hits->n_words; word++)
            for (uint64_t bits = hits->words[i * hits->stride + word] & wanted->mask[word]; bits; bits &= bits - 1) {
                size_t *at = wanted->next + wanted->number_of[64 * word + (size_t)__builtin_ctzll(bits)];
                if (places) places[*at] = (uint32_t)i;
                ++*at;
            }
}

/* Takes out of the mask the rows whose hits weigh less than `least`. Returns 0 or PMBF_NO_MEMORY. */
static int keep_weighty(const columns_t *hits, const weighing_t *by, int64_t least, wanted_rows_t *wanted) {
    size_t n_places = 0, number = 0;
    for (size_t row = 0; row < 512; row++)
        if (wanted->mask[row / 64] >> row % 64 & 1) wanted->number_of[row] = (uint16_t)number++;
    memset(wanted->next, 0, number * sizeof *wanted->next);
    walk(hits, by->weights, wanted, NULL);
    for (size_t i = 0; i < number; i++) {
        size_t n = wanted->next[i];
        wanted->next[i] = n_places, n_places += n;
    }
    uint32_t *places = malloc((n_places + 1) * sizeof *places);
    start_t *starts = malloc((n_places + 1) * sizeof *starts);
    if (places && starts) walk(hits, by->weights, wanted, places);
    for (size_t row = 0, first = 0, i = 0; places && starts && row < 512; row++) {
        if (!(wanted->mask[row / 64] >> row % 64 & 1)) continue;
        if (most(places + first, wanted->next[i] - first, by, starts) < least)
            wanted->mask[row / 64] &= ~(UINT64_C(1) << row % 64);
        first = wanted->next[i++];
    }
    int failed = places && starts ? 0 : PMBF_NO_MEMORY;
    free(places), free(starts);
    return failed;
}

INLINE int any(const line_t *line) {
    uint64_t bits = 0;
    for (size_t word = 0; word < LINE_WORDS; word++) bits |= (*line)[word];
    return bits != 0;
}

/* Returns how many hits a row needs at least, were each as weighty as the weightiest. */
static size_t hits_for(int64_t least, const int32_t *weights, size_t n) {
    int64_t most_weight = 1;
    for (size_t i = 0; i < n; i++) most_weight = weights[i] > most_weight ? weights[i] : most_weight;
    return (size_t)((least - 1) / most_weight + 1);
}

/* Writes the rows whose hits weigh `least`, at least 1, within a window, less what is missed, ascending; returns how many,
 * or PMBF_NO_MEMORY, or PMBF_REFUSED when the query is not in order.
 *
 * Few rows have so many hits so near to each other as the weightiest would have to be; only theirs are weighed. */
EXPORT int64_t pmbf_rows_with_evidence(const uint64_t *hits, size_t n_hits, size_t width, const int32_t *weights,
                                       const uint32_t *tokens, int64_t length, int64_t window, int64_t missed,
                                       int64_t least, int64_t *out) {
    weighing_t by = {weights, tokens, NULL, n_hits, length, window, missed};
    if (!is_weighing(&by)) return PMBF_REFUSED;
    const size_t n_needed = hits_for(least, weights, n_hits);
    int64_t *owed = owed_of(&by), n_found = owed ? 0 : PMBF_NO_MEMORY;
    by.owed = owed;
    wanted_rows_t wanted;
    for (size_t first = 0; n_found >= 0 && first < width; first += LINE_WORDS) {
        columns_t columns = columns_from(hits, n_hits, width, first);
        bits_variant()->crowded(&columns, weights, (size_t)window, n_needed, &wanted.mask);
        if (!any(&wanted.mask)) continue;
        if (keep_weighty(&columns, &by, least, &wanted)) n_found = PMBF_NO_MEMORY;
        for (size_t row = 0; n_found >= 0 && row < 64 * columns.n_words; row++)
            if (wanted.mask[row / 64] >> row % 64 & 1) out[n_found++] = (int64_t)(64 * first + row);
    }
    free(owed);
    return n_found;
}
