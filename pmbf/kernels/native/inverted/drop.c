/* Lists without some features. */

#include "sieve.h"

static bool is_stopped(const sieve_t *sieve, const uint32_t *features, size_t n, uint32_t feature) {
    if (!may_have(sieve, feature)) return false;
    size_t begin = 0, end = n;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (features[middle] < feature) begin = middle + 1;
        else end = middle;
    }
    return begin < n && features[begin] == feature;
}

/* Copies lists without some features, which ascend. Returns how many features are left, or PMBF_NO_MEMORY. */
EXPORT int64_t pmbf_drop_features(const lists_t *lists, const uint32_t *features, size_t n, uint64_t *offsets,
                                  uint32_t *left) {
    sieve_t sieve;
    if (sieve_new(&sieve, features, n)) return PMBF_NO_MEMORY;
    size_t n_left = 0;
    offsets[0] = 0;
    for (size_t i = 0; i < lists->n; i++) {
        for (size_t at = lists->offsets[i]; at < lists->offsets[i + 1]; at++) {
            left[n_left] = lists->features[at];
            n_left += !is_stopped(&sieve, features, n, lists->features[at]);
        }
        offsets[i + 1] = n_left;
    }
    free(sieve.bits);
    return (int64_t)n_left;
}
