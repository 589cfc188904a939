/* What the hits of a query are worth: the most that those of a document, or of a row, weigh within a window. */

#include "bits.h"

/* What a query's hashes weigh, and when hits of them overlap. */
typedef struct {
    const int32_t *weights;
    const uint32_t *tokens;
    int64_t length, window;
} weighing_t;

/* Returns the most that ascending places weigh within `window` places. A shingle that begins d tokens after the one
 * before, fewer than its own `length`, has only d words that are new: it counts d / length of its weight. */
static int64_t most(const uint32_t *places, size_t n, const weighing_t *by) {
    const int32_t *weights = by->weights;
    const uint32_t *tokens = by->tokens;
    const int64_t length = by->length, window = by->window;
    int64_t best = 0, sum = 0, before = 0;
    for (size_t last = 0, first = 0; last < n; last++) {
        int64_t apart = last ? (int64_t)tokens[places[last]] - (int64_t)tokens[places[last - 1]] : length;
        sum += apart < length ? weights[places[last]] * apart / length : weights[places[last]];
        for (; places[last] - places[first] >= window; first++) {
            int64_t gap = first ? (int64_t)tokens[places[first]] - before : length;
            sum -= gap < length ? weights[places[first]] * gap / length : weights[places[first]];
            before = tokens[places[first]];
        }
        if (sum > best) best = sum;
    }
    return best;
}

/* Writes the evidence of each list of places, places[bounds[i] … bounds[i + 1]). */
EXPORT void pmbf_evidence(const int64_t *bounds, size_t n, const uint32_t *places, const int32_t *weights,
                          const uint32_t *tokens, int64_t length, int64_t window, int64_t *out) {
    const weighing_t by = {weights, tokens, length, window};
    for (size_t i = 0; i < n; i++) out[i] = most(places + bounds[i], (size_t)(bounds[i + 1] - bounds[i]), &by);
}

/* Rows of which the hits are wanted: their bits, and the number of each among them. */
typedef struct {
    uint64_t *mask;
    uint32_t *number_of;
    size_t *next; /* of each: how many hits there are, then where the next one goes */
    size_t n;
} wanted_rows_t;

/* Walks over the hits of wanted rows, place by place: counts them, or writes each place behind those of its row. */
static void walk(const columns_t *hits, const int32_t *weights, const wanted_rows_t *wanted, uint32_t *places) {
    for (size_t i = 0; i < hits->n_lines; i++)
        for (size_t word = 0; weights[i] && word < hits->n_words; word++)
            for (uint64_t bits = hits->words[i * hits->n_words + word] & wanted->mask[word]; bits; bits &= bits - 1) {
                size_t *at = wanted->next + wanted->number_of[64 * word + (size_t)__builtin_ctzll(bits)];
                if (places) places[*at] = (uint32_t)i;
                ++*at;
            }
}

static int evidence_of_rows(const columns_t *hits, const wanted_rows_t *wanted, const weighing_t *by, int64_t *out) {
    size_t n_places = 0;
    walk(hits, by->weights, wanted, NULL);
    for (size_t i = 0; i < wanted->n; i++) {
        size_t first = n_places;
        n_places += wanted->next[i];
        wanted->next[i] = first;
    }
    uint32_t *places = malloc((n_places + 1) * sizeof *places);
    if (!places) return PMBF_NO_MEMORY;
    walk(hits, by->weights, wanted, places);
    for (size_t i = 0, first = 0; i < wanted->n; first = wanted->next[i++])
        out[i] = most(places + first, wanted->next[i] - first, by);
    free(places);
    return 0;
}

/* Writes the evidence of rows, ascending: of the places where each is hit. Returns 0 or PMBF_NO_MEMORY. */
EXPORT int64_t pmbf_row_evidence(const uint64_t *hits, size_t n_hits, size_t width, const int64_t *rows, size_t n,
                                 const int32_t *weights, const uint32_t *tokens, int64_t length, int64_t window,
                                 int64_t *out) {
    wanted_rows_t wanted = {calloc(width + 1, sizeof(uint64_t)), malloc((64 * width + 1) * sizeof(uint32_t)),
                            calloc(n + 1, sizeof(size_t)), n};
    int failed = wanted.mask && wanted.number_of && wanted.next ? 0 : PMBF_NO_MEMORY;
    for (size_t i = 0; !failed && i < n; i++) {
        wanted.mask[rows[i] / 64] |= UINT64_C(1) << rows[i] % 64;
        wanted.number_of[rows[i]] = (uint32_t)i;
    }
    if (!failed)
        failed = evidence_of_rows(&(columns_t){hits, n_hits, width, width}, &wanted,
                                  &(weighing_t){weights, tokens, length, window}, out);
    free(wanted.mask), free(wanted.number_of), free(wanted.next);
    return failed;
}
