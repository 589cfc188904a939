/* Lists without some features. */

#include "inverted.h"

/* A set of features: a bit for each of some hash values tells which features need not be looked for. */
typedef struct {
    const uint32_t *features; /* ascending */
    size_t n;
    uint64_t *bits;
    uint32_t shift;
} stop_t;

static size_t bit_of(const stop_t *stop, uint32_t feature) { return (feature * 0x9E3779B1u) >> stop->shift; }

static bool is_stopped(const stop_t *stop, uint32_t feature) {
    const size_t bit = bit_of(stop, feature);
    if (!(stop->bits[bit / 64] >> bit % 64 & 1)) return false;
    size_t begin = 0, end = stop->n;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (stop->features[middle] < feature) begin = middle + 1;
        else end = middle;
    }
    return begin < stop->n && stop->features[begin] == feature;
}

/* Copies lists without the features of `stop`, which ascend. Returns how many features are left, or PMBF_NO_MEMORY. */
EXPORT int64_t pmbf_drop_features(const lists_t *lists, const uint32_t *features, size_t n, uint64_t *offsets,
                                  uint32_t *left) {
    stop_t stop = {features, n, NULL, 32 - 10};
    while (stop.shift > 4 && n >> (28 - stop.shift)) stop.shift--; /* at least 16 bits a feature, up to 32 MB */
    if (!(stop.bits = calloc((1ull << (32 - stop.shift)) / 64, sizeof *stop.bits))) return PMBF_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const size_t bit = bit_of(&stop, features[i]);
        stop.bits[bit / 64] |= 1ull << bit % 64;
    }
    size_t n_left = 0;
    offsets[0] = 0;
    for (size_t i = 0; i < lists->n; i++) {
        for (size_t at = lists->offsets[i]; at < lists->offsets[i + 1]; at++) {
            left[n_left] = lists->features[at];
            n_left += !is_stopped(&stop, lists->features[at]);
        }
        offsets[i + 1] = n_left;
    }
    free(stop.bits);
    return (int64_t)n_left;
}
