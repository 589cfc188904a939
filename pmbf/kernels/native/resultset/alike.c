/* Which lists of a set are alike: one radix sort of all hashes, then counts.
 *
 *     sorted   (4, 0) (4, 1) | (9, 0) (9, 2) | (17, 0) (17, 1) | (30, 0) (30, 2) | (31, 2)
 *     counts   [0][1] += 1     [0][2] += 1     [0][1] += 1       [0][2] += 1
 *
 * A hash of few lists is counted pair by pair. A hash of many lists is counted row by row: a mask of its lists is added
 * to the row of each of them, eight counts at a time. So no input is slow: a set of n lists takes at most n / 8 additions
 * for each hash. Counts are made for some rows at a time, so that they stay in the cache. */

#include "lists.h"

enum { DIGIT_BITS = 11, N_DIGITS = 1 << DIGIT_BITS, N_PASSES = 3, BLOCK_COUNTS = 1 << 18, FEW = 8 };

typedef struct {
    uint64_t *keys; /* hash << 32 | list; twice the room */
    uint16_t *counts, *mask;
    alike_t *found;
    size_t n_found, capacity;
} work_t;

/* Counts the digits of all hashes. Returns false if a list does not ascend or is too long. */
static bool count_digits(const lists_t *lists, uint32_t (*n_of)[N_DIGITS]) {
    for (size_t list = 0; list < lists->n; list++) {
        const int64_t start = lists->bounds[list], stop = lists->bounds[list + 1];
        if (stop - start > MOST_LIST_HASHES) return false;
        for (int64_t i = start; i < stop; i++) {
            const uint32_t hash = lists->hashes[i];
            if (i > start && hash <= lists->hashes[i - 1]) return false;
            for (int pass = 0; pass < N_PASSES; pass++) n_of[pass][hash >> DIGIT_BITS * pass & (N_DIGITS - 1)]++;
        }
    }
    return true;
}

/* Turns the numbers of keys with each digit into the places where those keys begin. */
static void places_of(uint32_t *at) {
    uint32_t sum = 0;
    for (int digit = 0; digit < N_DIGITS; digit++) {
        const uint32_t here = at[digit];
        at[digit] = sum;
        sum += here;
    }
}

/* Sorts the hashes; keys of one hash stay in the order of their lists. Returns where the sorted keys are: in `keys` or
 * `other`. */
static uint64_t *sort_keys(const lists_t *lists, uint64_t *keys, uint64_t *other, uint32_t (*n_of)[N_DIGITS]) {
    const size_t n = lists->n_hashes;
    places_of(n_of[0]);
    for (size_t list = 0; list < lists->n; list++)
        for (int64_t i = lists->bounds[list]; i < lists->bounds[list + 1]; i++)
            keys[n_of[0][lists->hashes[i] & (N_DIGITS - 1)]++] = (uint64_t)lists->hashes[i] << 32 | list;
    for (int pass = 1; pass < N_PASSES; pass++) {
        const int shift = 32 + DIGIT_BITS * pass;
        uint32_t *at = n_of[pass];
        if (n && at[keys[0] >> shift & (N_DIGITS - 1)] == n) continue; /* all hashes have this digit */
        places_of(at);
        for (size_t i = 0; i < n; i++) other[at[keys[i] >> shift & (N_DIGITS - 1)]++] = keys[i];
        uint64_t *sorted = other;
        other = keys;
        keys = sorted;
    }
    return keys;
}

/* Adds 1 for each pair of some lists whose first list is in [low, high). */
static void count_few(const uint64_t *keys, size_t n, size_t low, size_t high, size_t width, uint16_t *counts) {
    for (size_t i = 0; i + 1 < n; i++) {
        const size_t first = (uint32_t)keys[i];
        if (first < low) continue;
        if (first >= high) return;
        uint16_t *row = counts + (first - low) * width;
        for (size_t j = i + 1; j < n; j++) row[(uint32_t)keys[j]]++;
    }
}

static void count_many(const uint64_t *keys, size_t n, size_t low, size_t high, size_t width, work_t *work) {
    uint16_t *mask = work->mask;
    memset(mask, 0, width * sizeof *mask);
    for (size_t i = 0; i < n; i++) mask[(uint32_t)keys[i]] = 1;
    for (size_t i = 0; i + 1 < n; i++) {
        const size_t first = (uint32_t)keys[i];
        if (first < low) continue;
        if (first >= high) return;
        uint16_t *row = work->counts + (first - low) * width;
        for (size_t j = (first + 1) & ~(size_t)7; j < width; j += 8) /* a row has whole eights; those up to `first` do not count */
            for (int k = 0; k < 8; k++) row[j + k] += mask[j + k];
    }
}

/* Counts the hashes that each list of [low, high) shares with each later list. */
static void count_rows(const lists_t *lists, const uint64_t *keys, size_t low, size_t high, size_t width, work_t *work) {
    memset(work->counts, 0, (high - low) * width * sizeof *work->counts);
    for (size_t i = 0, stop; i < lists->n_hashes; i = stop) {
        stop = i + 1;
        while (stop < lists->n_hashes && keys[stop] >> 32 == keys[i] >> 32) stop++;
        const size_t n = stop - i;
        if (n < 2) continue;
        if (n > FEW && 16 * n > width) count_many(keys + i, n, low, high, width, work);
        else count_few(keys + i, n, low, high, width, work->counts);
    }
}

/* Returns the pair of two lists with their hashes up to the smaller limit. */
static alike_t pair_of(const lists_t *lists, size_t first, size_t second, size_t n_shared) {
    const int64_t *bounds = lists->bounds;
    const uint32_t limit = lists->limits[first] < lists->limits[second] ? lists->limits[first] : lists->limits[second];
    const size_t n_a = n_up_to(lists->hashes + bounds[first], (size_t)(bounds[first + 1] - bounds[first]), limit);
    const size_t n_b = n_up_to(lists->hashes + bounds[second], (size_t)(bounds[second + 1] - bounds[second]), limit);
    return (alike_t){(int32_t)first, (int32_t)second, (int32_t)n_shared, (int32_t)n_a, (int32_t)n_b};
}

static bool keep(work_t *work, alike_t pair) {
    if (work->n_found == work->capacity) {
        const size_t capacity = 2 * work->capacity + 64;
        alike_t *found = realloc(work->found, capacity * sizeof *found);
        if (!found) return false;
        work->found = found, work->capacity = capacity;
    }
    work->found[work->n_found++] = pair;
    return true;
}

static bool keep_rows(const lists_t *lists, likeness_t likeness, size_t low, size_t high, size_t width, work_t *work) {
    for (size_t first = low; first < high; first++) {
        const uint16_t *row = work->counts + (first - low) * width;
        for (size_t second = first + 1; second < lists->n; second++) {
            if (!row[second]) continue;
            const alike_t pair = pair_of(lists, first, second, row[second]);
            if (pair.n_shared < needed(likeness, (size_t)pair.n_first, (size_t)pair.n_second)) continue;
            if (!keep(work, pair)) return false;
        }
    }
    return true;
}

static int64_t find(const lists_t *lists, likeness_t likeness, work_t *work, uint32_t (*n_of)[N_DIGITS]) {
    const size_t width = (lists->n + 7) & ~(size_t)7, n_rows = smaller(lists->n, BLOCK_COUNTS / (width + 1) + 1);
    work->keys = malloc((2 * lists->n_hashes + 1) * sizeof *work->keys);
    work->counts = malloc((n_rows + 1) * width * sizeof *work->counts + 1);
    if (!work->keys || !work->counts) return LISTS_NO_MEMORY;
    work->mask = work->counts + n_rows * width;
    if (!count_digits(lists, n_of)) return LISTS_REFUSED;
    const uint64_t *keys = sort_keys(lists, work->keys, work->keys + lists->n_hashes, n_of);
    for (size_t low = 0; low < lists->n; low += n_rows) {
        const size_t high = smaller(low + n_rows, lists->n);
        count_rows(lists, keys, low, high, width, work);
        if (!keep_rows(lists, likeness, low, high, width, work)) return LISTS_NO_MEMORY;
    }
    return (int64_t)work->n_found;
}

int64_t lists_alike(const lists_t *lists, likeness_t likeness, alike_t **found) {
    work_t work = {0};
    uint32_t(*n_of)[N_DIGITS] = calloc(N_PASSES, sizeof *n_of);
    const int64_t n = n_of ? find(lists, likeness, &work, n_of) : LISTS_NO_MEMORY;
    free(n_of), free(work.keys), free(work.counts);
    if (n < 0) free(work.found);
    else *found = work.found;
    return n;
}

/* Whether two lists are alike: a merge that ends as soon as one has more hashes without an equal than it may have. Source: Smith
 * 2008, Detecting documents near duplications in realtime. */
EXPORT int pmbf_lists_merge(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b, uint32_t limit, double share,
                            int of_smaller) {
    n_a = n_up_to(a, n_a, limit), n_b = n_up_to(b, n_b, limit);
    int64_t missing = needed((likeness_t){share, of_smaller != 0}, n_a, n_b);
    int64_t spare_a = (int64_t)n_a - missing, spare_b = (int64_t)n_b - missing;
    if (spare_a < 0 || spare_b < 0) return 0;
    for (const uint32_t *a_end = a + n_a, *b_end = b + n_b; a < a_end && b < b_end;) {
        if (*a == *b) {
            if (!--missing) return 1;
            a++, b++;
        } else if (*a < *b) {
            if (!spare_a--) return 0;
            a++;
        } else {
            if (!spare_b--) return 0;
            b++;
        }
    }
    return 0;
}
