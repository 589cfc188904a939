/* The evidence of a query's hits: the greatest that the hits of a document, or of a row, have within a window. */

#include "evidence.h"

/* Returns whether weights are at least 0 and tokens ascend. */
static int is_weighing(const weighing_t *by) {
    int32_t signs = 0;
    uint32_t descents = 0;
    for (size_t i = 0; i < by->n; i++) signs |= by->weights[i];
    for (size_t i = 1; i < by->n; i++) descents |= by->tokens[i] < by->tokens[i - 1];
    return signs >= 0 && !descents;
}

/* Returns what hit i counts. If its shingle overlaps the shingle of the hit before, then only the new words count.
 * Divisions of 32 bits take half as long. */
INLINE int64_t worth(const weighing_t *by, const uint32_t *places, size_t i) {
    const int64_t weight = by->weights[places[i]];
    const int64_t apart = i ? (int64_t)by->tokens[places[i]] - by->tokens[places[i - 1]] : by->length;
    if (apart >= by->length) return weight;
    uint64_t new_words = (uint64_t)(weight * apart);
    return (int64_t)((new_words | (uint64_t)by->length) >> 32 ? new_words / (uint64_t)by->length
                                                              : (uint32_t)new_words / (uint32_t)by->length);
}

/* Returns the greatest evidence of ascending places within `window`, and the first window that has it. */
static most_t most(const uint32_t *places, size_t n, const weighing_t *by) {
    most_t best = {0, 0, 0};
    int64_t sum = 0;
    size_t first = 0;
    for (size_t i = 0; i < n; i++) {
        sum += worth(by, places, i);
        while ((int64_t)places[i] - places[first] >= by->window) sum -= worth(by, places, first++);
        if (sum > best.evidence) best = (most_t){sum, places[first], places[i]};
    }
    return best;
}

int64_t evidence_of_lists(const int64_t *bounds, size_t n, const uint32_t *places, size_t n_places, weighing_t by,
                          most_t *out) {
    uint32_t largest = 0;
    int descends = bounds[0] != 0 || bounds[n] != (int64_t)n_places;
    for (size_t i = 0; i < n; i++) descends |= bounds[i + 1] < bounds[i];
    for (size_t i = 0; i < n_places; i++) largest = places[i] > largest ? places[i] : largest;
    if (descends || (n_places && largest >= by.n) || !is_weighing(&by)) return PMBF_REFUSED;
    for (size_t i = 0; i < n; i++) out[i] = most(places + bounds[i], (size_t)(bounds[i + 1] - bounds[i]), &by);
    return 0;
}

/* The hits of wanted rows, turned: for each row a bit for each place that hits it. */
typedef struct {
    uint64_t *places;      /* [n_rows][n_words] */
    uint32_t *list;        /* places of one row */
    size_t n_words;        /* words of 64 places each */
} turned_t;

static int turned_make(turned_t *turned, size_t n_rows, size_t n_hits) {
    turned->n_words = n_hits / 64 + 1;
    turned->places = malloc(n_rows * turned->n_words * sizeof *turned->places);
    turned->list = malloc((n_hits + 1) * sizeof *turned->list);
    return turned->places && turned->list;
}

static void turned_free(turned_t *turned) { free(turned->places), free(turned->list); }

/* Returns which of up to 64 places have a weight above 0. */
static uint64_t weighty_places(const int32_t *weights, size_t n) {
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++) bits |= (uint64_t)(weights[i] > 0) << i;
    return bits;
}

/* Turns the hits of some rows, 64 places at a time. Hashes of weight 0 are no hits. */
static void turn_rows(const columns_t *hits, const int32_t *weights, const uint16_t *rows, size_t n_rows,
                      turned_t *turned) {
    squares_t squares;
    memset(squares, 0, sizeof squares);
    for (size_t word = 0; word < turned->n_words; word++) {
        const size_t first = 64 * word, n = smaller(64, hits->n_lines - first);
        const uint64_t weighty = weighty_places(weights + first, n);
        for (size_t i = 0; i < WORD_BITS; i++) {
            if (i < n) memcpy(&squares[i], hits->words + (first + i) * hits->stride, hits->n_words * sizeof(uint64_t));
            else squares[i] = (line_t){0};
        }
        bits_variant()->turn(squares);
        const uint64_t *words = (const uint64_t *)squares;
        for (size_t i = 0; i < n_rows; i++)
            turned->places[i * turned->n_words + word] = words[rows[i] % 64 * LINE_WORDS + rows[i] / 64] & weighty;
    }
}

/* Returns the greatest evidence of a row's hits. */
static int64_t most_of_row(const turned_t *turned, size_t i, const weighing_t *by) {
    size_t n = 0;
    for (size_t word = 0; word < turned->n_words; word++)
        for (uint64_t bits = turned->places[i * turned->n_words + word]; bits; bits &= bits - 1)
            turned->list[n++] = (uint32_t)(64 * word + (size_t)__builtin_ctzll(bits));
    return most(turned->list, n, by).evidence;
}

/* Writes the rows of a mask of up to 512 rows whose evidence is at least `least`. Returns their number, or
 * PMBF_NO_MEMORY. */
static int64_t write_weighty(const columns_t *hits, const weighing_t *by, int64_t least, const line_t *mask,
                             size_t first_row, int64_t *out) {
    const uint64_t *masks = (const uint64_t *)mask;
    uint16_t rows[LINE_ROWS];
    size_t n_rows = 0;
    for (size_t word = 0; word < hits->n_words; word++)
        for (uint64_t bits = masks[word]; bits; bits &= bits - 1)
            rows[n_rows++] = (uint16_t)(64 * word + (size_t)__builtin_ctzll(bits));
    if (!n_rows) return 0;
    turned_t turned;
    int64_t n_found = PMBF_NO_MEMORY;
    if (turned_make(&turned, n_rows, hits->n_lines)) {
        n_found = 0;
        turn_rows(hits, by->weights, rows, n_rows, &turned);
        for (size_t i = 0; i < n_rows; i++)
            if (most_of_row(&turned, i, by) >= least) out[n_found++] = (int64_t)(first_row + rows[i]);
    }
    turned_free(&turned);
    return n_found;
}

/* Returns how many hits a row needs if each has the greatest weight. */
static size_t hits_for(int64_t least, const int32_t *weights, size_t n) {
    int64_t most_weight = 1;
    for (size_t i = 0; i < n; i++) most_weight = weights[i] > most_weight ? weights[i] : most_weight;
    return (size_t)((least - 1) / most_weight + 1);
}

/* Writes the rows whose evidence within a window is at least `least`, which is at least 1, ascending. Returns their
 * number, PMBF_NO_MEMORY, or PMBF_REFUSED if the query is not in order. Each of n hashes has `width` words of hits.
 *
 * A row needs `hits_for` hits within a window even if all have the greatest weight. Few rows have as many; only their
 * hits are weighed. */
EXPORT int64_t pmbf_rows_with_evidence(const uint64_t *hits, size_t n, size_t width, const int32_t *weights,
                                       const uint32_t *tokens, int64_t length, int64_t window, int64_t least, int64_t *out) {
    const weighing_t by = {weights, tokens, n, length, window};
    if (!is_weighing(&by)) return PMBF_REFUSED;
    const size_t n_needed = hits_for(least, by.weights, by.n);
    int64_t n_found = 0;
    for (size_t first = 0; n_found >= 0 && first < width; first += LINE_WORDS) {
        columns_t columns = columns_from(hits, by.n, width, first);
        line_t mask;
        bits_variant()->crowded(&columns, by.weights, (size_t)by.window, n_needed, &mask);
        int64_t n = write_weighty(&columns, &by, least, &mask, 64 * first, out + n_found);
        n_found = n < 0 ? n : n_found + n;
    }
    return n_found;
}
