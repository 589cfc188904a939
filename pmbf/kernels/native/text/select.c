/* Selects the smallest hashes without sorting the others. In each half of their range hashes are uniform, so a
 * bound a little above the expected one leaves few more than the quota. These go to buckets by value, on average one
 * key per bucket. Three rounds of exchanges between neighbours, without branches, put nearly all in order; insertion
 * does the rest. If equal hashes leave too few, then the next range of hashes is selected from. Its width is computed
 * from the first range; each later range is four times as wide. */

#include "select.h"

#define MIDDLE 2147483648.0

enum { FEW = 24, CROWDED = 32 /* a power of two */ };

static bool reserve(select_t *select, size_t n) {
    size_t capacity = n + 16;
    if (capacity <= select->capacity) return true;
    select_free(select);
    select->keys = malloc(capacity * sizeof *select->keys);
    select->sorted = malloc(capacity * sizeof *select->sorted);
    select->counts = malloc((4 * capacity + 1) * sizeof *select->counts);
    if (!select->keys || !select->sorted || !select->counts) {
        select_free(select);
        return false;
    }
    select->capacity = capacity;
    return true;
}

void select_free(select_t *select) {
    free(select->keys);
    free(select->sorted);
    free(select->counts);
    *select = (select_t){0};
}

size_t collect_portable(const uint32_t *hashes, size_t n, uint32_t low, uint32_t high, uint64_t *keys) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        keys[found] = (uint64_t)hashes[i] << 32 | i;
        found += hashes[i] - low <= high - low;
    }
    return found;
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Exchanges the keys of each pair of neighbours, from `first` on, that are in the wrong order. */
static void exchange_pairs(uint64_t *keys, size_t n, size_t first) {
    for (size_t i = first; i + 1 < n; i += 2) {
        uint64_t a = keys[i], b = keys[i + 1];
        keys[i] = a < b ? a : b;
        keys[i + 1] = a < b ? b : a;
    }
}

static void insertion_sort(uint64_t *keys, size_t n) {
    for (size_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        size_t at = i;
        for (; at && keys[at - 1] > key; at--) keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* Sorts the many keys of one bucket. They are equal hashes, already in order, or made to collide: then insertion would
 * take n^2 steps. */
static void sort_crowd(uint64_t *keys, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (keys[i - 1] > keys[i]) {
            qsort(keys, n, sizeof *keys, compare);
            return;
        }
}

/* Sorts keys with hashes in [low, high] into `out`. */
static void sort_keys(const uint64_t *keys, size_t n, uint32_t low, uint32_t high, uint32_t *counts, uint64_t *out) {
    if (n <= FEW) {
        memcpy(out, keys, n * sizeof *keys);
        insertion_sort(out, n);
        return;
    }
    size_t n_buckets = (size_t)1 << (64 - __builtin_clzll(n));
    uint64_t scale = ((uint64_t)n_buckets << 32) / ((uint64_t)high - low + 1);
#define BUCKET(key) (((uint32_t)((key) >> 32) - low) * scale >> 32)
    uint32_t total = 0, counted = 0; /* all counts, or-ed */
    memset(counts, 0, n_buckets * sizeof *counts);
    for (size_t i = 0; i < n; i++) counted |= ++counts[BUCKET(keys[i])];
    for (size_t i = 0; i < n_buckets; i++) {
        uint32_t count = counts[i];
        counts[i] = total;
        total += count;
    }
    for (size_t i = 0; i < n; i++) out[counts[BUCKET(keys[i])]++] = keys[i];
#undef BUCKET
    if (counted >= CROWDED)
        for (size_t i = 0, begin = 0; i < n_buckets; begin = counts[i++])
            if (counts[i] - begin >= CROWDED) sort_crowd(out + begin, counts[i] - begin);
    for (size_t round = 0; round < 3; round++) exchange_pairs(out, n, round % 2);
    insertion_sort(out, n);
}

/* Moves the first key of each hash to the front, at most `quota` keys, and returns their number. */
static size_t drop_repeated(uint64_t *keys, size_t n, uint64_t quota) {
    size_t kept = 0;
    for (size_t i = 0; i < n && kept < quota; i++) {
        bool is_first = i == 0 || keys[i - 1] >> 32 != keys[i] >> 32;
        keys[kept] = keys[i];
        kept += is_first;
    }
    return kept;
}

/* Returns the number of hashes below the middle: half of them, but an eighth of the thin ones. */
static size_t count_low(const uint32_t *hashes, size_t n) {
    size_t n_high = 0;
    for (size_t i = 0; i < n; i++) n_high += hashes[i] >> 31;
    return n - n_high;
}

/* Returns how many hashes a range should hold, so that at least `quota` are found. */
static uint64_t with_margin(uint64_t quota) { return quota + quota / 16 + 32; }

/* Returns the last hash of the first range, which is expected to hold a few more than the quota. */
static uint32_t first_bound(const uint32_t *hashes, size_t n, uint64_t quota) {
    uint64_t wanted = with_margin(quota);
    if (quota >= n || wanted >= n) return UINT32_MAX;
    size_t n_low = count_low(hashes, n);
    if (wanted < n_low) return (uint32_t)((double)wanted / (double)n_low * MIDDLE);
    return (uint32_t)(MIDDLE + (double)(wanted - n_low) / (double)(n - n_low) * MIDDLE);
}

/* Returns the last hash of the second range. The first range, up to `high`, gave `kept` hashes, less than the quota. */
static uint64_t second_bound(uint64_t high, uint64_t kept, uint64_t quota) {
    double times = kept ? (double)with_margin(quota - kept) / (double)kept : 3;
    return high + (uint64_t)((double)high * (times < 3 ? times : 3));
}

ptrdiff_t select_smallest(select_t *select, const ops_t *ops, const uint32_t *hashes, size_t n, uint64_t quota) {
    if (!reserve(select, n)) return -1;
    size_t kept = 0;
    uint64_t low = 0, high = first_bound(hashes, n, quota);
    while (kept < quota && low <= UINT32_MAX) {
        if (high > UINT32_MAX) high = UINT32_MAX;
        size_t found = ops->collect(hashes, n, (uint32_t)low, (uint32_t)high, select->keys);
        sort_keys(select->keys, found, (uint32_t)low, (uint32_t)high, select->counts, select->sorted + kept);
        kept += drop_repeated(select->sorted + kept, found, quota - kept);
        uint64_t next = low ? 4 * high : second_bound(high, kept, quota);
        low = high + 1;
        high = next;
    }
    return (ptrdiff_t)kept;
}
