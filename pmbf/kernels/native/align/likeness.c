/* How alike the words of two ranges are, in their order and without it. */

#include "judged.h"

enum { EXACT_WORDS = 4096, ORDERED_WORDS = 32768 };

static list_t words_of(const judged_t *judged, int side, span_t span) {
    return (list_t){judged->texts[side].keys + span.start, span_length(span)};
}

double words_alike(judged_t *judged, span_t here, span_t there) {
    int64_t longer = greatest(span_length(here), span_length(there));
    if (longer > EXACT_WORDS) return UNKNOWN;
    int64_t distance = edit_distance(words_of(judged, QUERY, here), words_of(judged, SOURCE, there));
    judged->failed |= distance < 0;
    return 1.0 - (double)distance / (double)longer;
}

/* Writes the words of a list, ascending. `names` has room for twice as many. */
static list_t sorted(list_t list, named_t *names, uint64_t *room) {
    for (int64_t at = 0; at < list.n; at++) names[at] = (named_t){list.symbols[at], at};
    names_sort(names, list.n);
    for (int64_t at = 0; at < list.n; at++) room[at] = names[at].name;
    return (list_t){room, list.n};
}

/* Sorts the words of both ranges. `lists[0].n` is 0 if out of memory; the result is to be freed. */
static uint64_t *sort_both(judged_t *judged, span_t here, span_t there, list_t *lists) {
    size_t n = (size_t)span_length(here), m = (size_t)span_length(there);
    uint64_t *room = malloc((n + m) * sizeof *room);
    named_t *names = malloc(2 * (n > m ? n : m) * sizeof *names);
    judged->failed |= !room || !names;
    lists[0] = lists[1] = (list_t){room, 0};
    if (room && names) {
        lists[0] = sorted(words_of(judged, QUERY, here), names, room);
        lists[1] = sorted(words_of(judged, SOURCE, there), names, room + n);
    }
    free(names);
    return room;
}

/* Returns how many words two sorted lists have in common: each as often as the list has it that has fewer of it; or if
 * `often`, as often as the first list has it. */
static int64_t n_in_common(const list_t *lists, bool often) {
    int64_t found = 0;
    for (int64_t at = 0, other = 0; at < lists[0].n && other < lists[1].n;) {
        uint64_t one = lists[0].symbols[at], two = lists[1].symbols[other];
        found += one == two;
        if (one <= two) at++;
        if (two < one || (one == two && !often)) other++;
    }
    return found;
}

double sorted_alike(judged_t *judged, span_t here, span_t there) {
    list_t lists[2];
    uint64_t *room = sort_both(judged, here, there, lists);
    int64_t longer = greatest(1, greatest(span_length(here), span_length(there)));
    double alike;
    if (longer > EXACT_WORDS) {
        alike = (double)n_in_common(lists, false) / (double)longer;
    } else {
        int64_t distance = edit_distance(lists[0], lists[1]);
        judged->failed |= distance < 0;
        alike = 1.0 - (double)distance / (double)longer;
    }
    free(room);
    return alike;
}

double found_share(judged_t *judged, span_t here, span_t there) {
    list_t lists[2];
    uint64_t *room = sort_both(judged, here, there, lists);
    double share = (double)n_in_common(lists, true) / (double)greatest(1, span_length(here));
    free(room);
    return share;
}

double ordered_share(judged_t *judged, span_t here, span_t there) {
    list_t ours = words_of(judged, QUERY, here), theirs = words_of(judged, SOURCE, there);
    int64_t n_slices = 1 + greatest(ours.n, theirs.n) / ORDERED_WORDS, sum = 0;
    for (int64_t slice = 0; slice < n_slices; slice++) {
        int64_t start = ours.n * slice / n_slices, stop = ours.n * (slice + 1) / n_slices;
        int64_t start_there = theirs.n * slice / n_slices, stop_there = theirs.n * (slice + 1) / n_slices;
        int64_t n = common_length((list_t){ours.symbols + start, stop - start}, (list_t){theirs.symbols + start_there, stop_there - start_there});
        judged->failed |= n < 0;
        sum += n;
    }
    return (double)sum / (double)greatest(1, ours.n);
}
