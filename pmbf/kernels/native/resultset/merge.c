/* Whether two lists are alike: a merge that ends as soon as the answer is known. Source: Smith 2008, Detecting documents
 * near duplications in realtime. */

#include "lists.h"

/* Returns 1, or 0 as soon as one list has more hashes without an equal than it may have. */
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
