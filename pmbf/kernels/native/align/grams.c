/* Grams: the runs of a text that may be seeds, grouped by name. */

#include "align.h"

enum { DIGIT_BITS = 11, N_DIGITS = 1 << DIGIT_BITS, MOST_DIGITS = 3 };

/* The upper bits tell nearly all names apart: one digit for a few names, 33 bits for many. Names with equal upper bits
 * are then put in order one by one. */
void names_sort(named_t *names, int64_t n) {
    named_t *from = names, *to = names + n;
    int n_digits = n <= N_DIGITS ? 1 : MOST_DIGITS;
    for (int shift = 64 - n_digits * DIGIT_BITS; shift < 64; shift += DIGIT_BITS) {
        int64_t places[N_DIGITS] = {0}, sum = 0;
        for (int64_t at = 0; at < n; at++) places[from[at].name >> shift & (N_DIGITS - 1)]++;
        for (int64_t value = 0; value < N_DIGITS; value++) {
            int64_t count = places[value];
            places[value] = sum;
            sum += count;
        }
        for (int64_t at = 0; at < n; at++) to[places[from[at].name >> shift & (N_DIGITS - 1)]++] = from[at];
        named_t *other = from;
        from = to;
        to = other;
    }
    for (int64_t at = 0; at < n; at++) { /* after an odd number of digits the names are in the second half */
        named_t one = from[at];
        int64_t place = at;
        for (; place > 0 && names[place - 1].name > one.name; place--) names[place] = names[place - 1];
        names[place] = one;
    }
}

/* Writes the distinct names of the runs from each place to its stop, ascending; the places by name; where the places of
 * each name begin, and the end. Returns the number of names, or ALIGN_NO_MEMORY. */
int64_t grams_find(const uint64_t *sums, const uint64_t *back, const int64_t *stops, int64_t n, uint64_t *distinct,
                   int64_t *order, int64_t *bounds) {
    named_t *names = malloc((size_t)(2 * n + 1) * sizeof *names);
    if (!names) return ALIGN_NO_MEMORY;
    for (int64_t gram = 0; gram < n; gram++) names[gram] = (named_t){(sums[stops[gram]] - sums[gram]) * back[gram], gram};
    names_sort(names, n);
    int64_t n_names = 0;
    for (int64_t at = 0; at < n; at++) {
        order[at] = names[at].place;
        if (at && names[at].name == names[at - 1].name) continue;
        distinct[n_names] = names[at].name;
        bounds[n_names++] = at;
    }
    bounds[n_names] = n;
    free(names);
    return n_names;
}
