/* The inverted index of lists, by a bucket sort.
 *
 * Buckets are ranges of features, at most 4,096, with some 16,384 postings each or more. Postings go to their buckets,
 * feature and document in two arrays, in the order of their documents. Then one bucket after another is sorted by
 * feature in the second-level cache: two rounds of counting, which leave documents in their order. The array of
 * features is made in the place of the features of buckets already sorted.
 *
 * Source: Kasprzak, Brandejs & Brandejsova 2009, section 3.3: buckets that fit the second-level cache. */

#include "inverted.h"

enum { BUCKET_POSTINGS = 1 << 14, MOST_BUCKETS = 1 << 12, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* How features are divided into buckets: feature f is in bucket (f - base) >> shift. */
typedef struct {
    uint32_t base, reach; /* the least feature, and the greatest less the least */
    uint32_t shift;
    size_t n;
    size_t *ends; /* n + 1; where each bucket ends once it is filled */
} buckets_t;

/* Looks for the least and the greatest feature. */
static void find_reach(const lists_t *lists, buckets_t *buckets) {
    uint32_t least = UINT32_MAX, greatest = 0;
    for (size_t i = 0; i < lists->n; i++) {
        if (lists->offsets[i] == lists->offsets[i + 1]) continue;
        const uint32_t first = lists->features[lists->offsets[i]], last = lists->features[lists->offsets[i + 1] - 1];
        least = first < least ? first : least;
        greatest = last > greatest ? last : greatest;
    }
    buckets->base = least, buckets->reach = greatest - least;
}

/* Counts the postings of each bucket. Returns 0, PMBF_NO_MEMORY or PMBF_UNSORTED. */
static int64_t plan_buckets(const lists_t *lists, buckets_t *buckets) {
    const size_t n_postings = lists->offsets[lists->n];
    find_reach(lists, buckets);
    size_t wanted = n_postings / BUCKET_POSTINGS + 1;
    if (wanted > MOST_BUCKETS) wanted = MOST_BUCKETS;
    while (buckets->shift < 32 && ((uint64_t)buckets->reach >> buckets->shift) + 1 > wanted) buckets->shift++;
    buckets->n = ((uint64_t)buckets->reach >> buckets->shift) + 1;
    if (!(buckets->ends = calloc(buckets->n + 1, sizeof *buckets->ends))) return PMBF_NO_MEMORY;
    for (size_t i = 0; i < lists->n; i++) {
        const uint32_t *features = lists->features + lists->offsets[i];
        const size_t n = lists->offsets[i + 1] - lists->offsets[i];
        if (!ascends(features, n)) return PMBF_UNSORTED;
        for (size_t j = 0; j < n; j++) buckets->ends[((uint64_t)(features[j] - buckets->base) >> buckets->shift) + 1]++;
    }
    for (size_t i = 0; i < buckets->n; i++) buckets->ends[i + 1] += buckets->ends[i];
    return 0;
}

/* Fills the buckets. `ends` has where each bucket begins, and afterwards where it ends. */
static void fill_buckets(const lists_t *lists, const uint32_t *numbers, buckets_t *buckets, uint32_t *features,
                         uint32_t *documents) {
    for (size_t i = 0; i < lists->n; i++) {
        const uint32_t number = numbers ? numbers[i] : (uint32_t)i;
        for (size_t j = lists->offsets[i]; j < lists->offsets[i + 1]; j++) {
            const uint32_t feature = lists->features[j];
            const size_t at = buckets->ends[(uint64_t)(feature - buckets->base) >> buckets->shift]++;
            features[at] = feature, documents[at] = number;
        }
    }
}

/* Sorts keys by DIGIT_BITS bits of their upper half, stably. */
static void sort_round(const uint64_t *keys, size_t n, uint32_t shift, uint64_t *out) {
    uint32_t ends[DIGITS] = {0}, total = 0;
    for (size_t i = 0; i < n; i++) ends[keys[i] >> shift & (DIGITS - 1)]++;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        const uint32_t count = ends[digit];
        ends[digit] = total, total += count;
    }
    for (size_t i = 0; i < n; i++) out[ends[keys[i] >> shift & (DIGITS - 1)]++] = keys[i];
}

/* Sorts the postings of a bucket, feature << 32 | document. Returns where they are then, in one of the two rooms. */
static uint64_t *sort_bucket(uint64_t *keys, size_t n, uint32_t n_bits, uint64_t *other) {
    for (uint32_t shift = 0; shift < n_bits; shift += DIGIT_BITS) {
        sort_round(keys, n, 32 + shift, other);
        uint64_t *sorted = other;
        other = keys, keys = sorted;
    }
    return keys;
}

/* Sorts each bucket, and writes what the index has of it. Returns the number of features or PMBF_NO_MEMORY. */
static int64_t sort_buckets(const buckets_t *buckets, size_t least, uint32_t *features, uint32_t *starts,
                            uint32_t *documents) {
    size_t largest = 0, n_features = 0, end = 0; /* the last feature is open: its postings end at `end` so far */
    for (size_t i = 0, start = 0; i < buckets->n; start = buckets->ends[i++])
        largest = buckets->ends[i] - start > largest ? buckets->ends[i] - start : largest;
    uint64_t *room = malloc((2 * largest + 1) * sizeof *room);
    if (!room) return PMBF_NO_MEMORY;
    for (size_t i = 0, start = 0; i < buckets->n; start = buckets->ends[i++]) {
        const size_t n = buckets->ends[i] - start;
        for (size_t j = 0; j < n; j++)
            room[j] = (uint64_t)(features[start + j] - buckets->base) << 32 | documents[start + j];
        const uint64_t *keys = sort_bucket(room, n, buckets->shift, room + largest);
        for (size_t j = 0; j < n; j++) {
            const bool is_new = !j || keys[j] >> 32 != keys[j - 1] >> 32, stays = end - starts[n_features] >= least;
            end = is_new && !stays ? starts[n_features] : end;
            n_features += is_new && stays;
            starts[n_features] = is_new ? (uint32_t)end : starts[n_features];
            features[n_features] = (uint32_t)(keys[j] >> 32) + buckets->base;
            documents[end++] = (uint32_t)keys[j];
        }
    }
    if (end - starts[n_features] >= least) starts[++n_features] = (uint32_t)end;
    free(room);
    return (int64_t)n_features;
}

EXPORT int64_t pmbf_invert(const lists_t *lists, const uint32_t *numbers, size_t least, uint32_t *features,
                           uint32_t *starts, uint32_t *documents) {
    buckets_t buckets = {0};
    starts[0] = 0;
    if (!lists->offsets[lists->n]) return 0;
    int64_t status = plan_buckets(lists, &buckets);
    if (!status) {
        fill_buckets(lists, numbers, &buckets, features, documents);
        status = sort_buckets(&buckets, least, features, starts, documents);
    }
    free(buckets.ends);
    return status;
}

/* Writes where each slot of a directory begins. */
EXPORT void pmbf_directory(const uint32_t *features, size_t n, uint64_t shift, uint32_t *directory, size_t n_slots) {
    size_t slot = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t own = (features[i] - features[0]) >> shift;
        while (slot <= own) directory[slot++] = (uint32_t)i;
    }
    while (slot <= n_slots) directory[slot++] = (uint32_t)n;
}
