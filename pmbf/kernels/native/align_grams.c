/* Grams: the runs a text offers as seeds, grouped by name. */

#include "align.h"

enum { DIGIT_BITS = 11, N_DIGITS = 1 << DIGIT_BITS, FIRST_SHIFT = 31 }; /* three digits: the upper 33 bits */

typedef struct {
    uint64_t name;
    int64_t gram;
} named_t;

/* Sorts by name, then by gram: grams come in order, and their names are told apart by 33 bits, nearly all of them. */
static void sort_names(named_t *names, named_t *others, int64_t n) {
    static const int shifts[] = {FIRST_SHIFT, FIRST_SHIFT + DIGIT_BITS, FIRST_SHIFT + 2 * DIGIT_BITS};
    named_t *from = names, *to = others;
    for (int digit = 0; digit < 3; digit++) {
        int64_t places[N_DIGITS] = {0}, sum = 0;
        for (int64_t at = 0; at < n; at++) places[from[at].name >> shifts[digit] & (N_DIGITS - 1)]++;
        for (int64_t value = 0; value < N_DIGITS; value++) {
            int64_t count = places[value];
            places[value] = sum;
            sum += count;
        }
        for (int64_t at = 0; at < n; at++) to[places[from[at].name >> shifts[digit] & (N_DIGITS - 1)]++] = from[at];
        named_t *other = from;
        from = to;
        to = other;
    }
    for (int64_t at = 0; at < n; at++) { /* three passes end in `others` */
        named_t one = others[at];
        int64_t place = at;
        for (; place > 0 && names[place - 1].name > one.name; place--) names[place] = names[place - 1];
        names[place] = one;
    }
}

/* Writes the distinct names of the runs from each place to its stop, ascending; the places by name; where those of
 * each name begin, and the end. Returns how many names there are, or ALIGN_NO_MEMORY. */
ALIGN_EXPORT int64_t pmbf_align_grams(const uint64_t *sums, const uint64_t *back, const int64_t *stops, int64_t n,
                                      uint64_t *distinct, int64_t *order, int64_t *bounds) {
    named_t *names = malloc((size_t)(2 * n + 1) * sizeof *names);
    if (!names) return ALIGN_NO_MEMORY;
    for (int64_t gram = 0; gram < n; gram++) names[gram] = (named_t){(sums[stops[gram]] - sums[gram]) * back[gram], gram};
    sort_names(names, names + n, n);
    int64_t n_names = 0;
    for (int64_t at = 0; at < n; at++) {
        order[at] = names[at].gram;
        if (at && names[at].name == names[at - 1].name) continue;
        distinct[n_names] = names[at].name;
        bounds[n_names++] = at;
    }
    bounds[n_names] = n;
    free(names);
    return n_names;
}
