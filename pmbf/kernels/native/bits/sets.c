/* Intersections of hashes with ascending hashes. */

#include "bits.h"

/* Returns the number of hashes below x. No branch depends on the hashes. */
INLINE size_t lower_bound(const uint32_t *sorted, size_t n, uint32_t x) {
    const uint32_t *base = sorted;
    while (n > 1) {
        size_t half = n / 2;
        base += (base[half - 1] < x) * half;
        n -= half;
    }
    return (size_t)(base - sorted) + (n == 1 && *base < x);
}

static void search_each(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b, uint8_t *found) {
    for (size_t i = 0; i < n_a; i++) {
        size_t at = lower_bound(b, n_b, a[i]);
        found[i] = at < n_b && b[at] == a[i];
    }
}

/* Sampled hashes are spread evenly from 0 to the largest. So the upper bits of a hash say where it is in the array, up
 * to a few places: `firsts[u]` is the place of the first hash with upper bits u. Among hashes with equal upper bits a
 * binary search finds the hash, so that uneven hashes are found too. If `b` does not ascend, then no memory outside
 * `firsts` is written. */
static void search_buckets(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b, unsigned shift, uint32_t *firsts,
                           uint8_t *found) {
    size_t n_buckets = (size_t)(b[n_b - 1] >> shift) + 1, bucket = 0;
    for (size_t i = 0; i < n_b; i++)
        for (; bucket <= b[i] >> shift && bucket < n_buckets; bucket++) firsts[bucket] = (uint32_t)i;
    firsts[n_buckets] = (uint32_t)n_b;
    for (size_t i = 0; i < n_a; i++) {
        size_t upper = a[i] >> shift;
        if (upper >= n_buckets) {
            found[i] = 0;
            continue;
        }
        size_t first = firsts[upper], n = firsts[upper + 1] - first;
        size_t at = first + lower_bound(b + first, n, a[i]);
        found[i] = at < first + n && b[at] == a[i];
    }
}

/* Writes for each hash of `a`, in any order, whether `b`, ascending, has it. */
EXPORT int64_t pmbf_intersect(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b, uint8_t *found) {
    if (n_b < 16 || n_a < n_b / 8 || n_b > UINT32_MAX / 2) {
        search_each(a, n_a, b, n_b, found);
        return 0;
    }
    unsigned bits = 32u - (unsigned)__builtin_clz(b[n_b - 1] | 1u);
    unsigned wanted = 63u - (unsigned)__builtin_clzll(n_b);
    unsigned shift = bits > wanted ? bits - wanted : 0;
    uint32_t *firsts = malloc((((size_t)b[n_b - 1] >> shift) + 2) * sizeof *firsts);
    if (!firsts) return PMBF_NO_MEMORY;
    search_buckets(a, n_a, b, n_b, shift, firsts, found);
    free(firsts);
    return 0;
}
