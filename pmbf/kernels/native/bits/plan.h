/* The windows of a query in the order in which a walk over its hashes meets their ends.
 *
 *     hashes      0 1 2 3 4 5 6 7 8 9 …      One counter runs over the hashes, for 512 rows at once. Where a window
 *     window A    ├───────┤                  starts, the counter is saved. Where the window stops, the saved counter is
 *     window B        ├───────┤              taken off; the rest is the window's count. For a count below 2^b, b bit
 *     saved       (0)     ▲                  planes of both are enough: differences are right modulo 2^b.
 *
 * A window that starts where the walk starts needs no saved counter. The whole query is such a window.
 */

#ifndef PMBF_BITS_PLAN_H
#define PMBF_BITS_PLAN_H

#include "bits.h"

enum { NONE = -1 };

/* The windows of a walk, and its answers. */
typedef struct plan {
    const int64_t (*windows)[2]; /* start, stop */
    size_t n_windows;
    size_t first, last; /* the walk: from the first start to the last stop */
    int32_t *stopping;  /* [last + 1]: a window that stops there, or NONE; `next` chains the others */
    int32_t *saving;    /* [last + 1]: the number of the counter saved there, or NONE */
    int32_t *next;      /* [n_windows] */
    unsigned n_planes;  /* of the counter */
    unsigned n_saved_planes;
    line_t *saved; /* [n_saved][n_saved_planes] */

    int32_t *counts;          /* [n_windows][n_rows] */
    size_t n_rows, first_row; /* rows of `counts`; the row of bit 0 */
} plan_t;

/* Returns how many bit planes hold numbers up to n + 1: the counts of n hashes, and a limit that no count reaches. */
INLINE unsigned planes_for(size_t n) { return 64u - (unsigned)__builtin_clzll((unsigned long long)n + 1); }

/* Makes the plan of some windows of n hashes, without counts. Returns 0, PMBF_NO_MEMORY, or PMBF_REFUSED if a window
 * reaches outside the hashes. Call `plan_free` in each case. */
int plan_windows(plan_t *plan, size_t n_hashes, const int64_t *windows, size_t n_windows);

void plan_free(plan_t *plan);

#endif
