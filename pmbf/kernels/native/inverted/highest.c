/* The highest counts of each row: a heap for each row, with the lowest of its keys in front. A row of zeros is a heap
 * of keys that any count replaces. */

#include "inverted.h"

enum { AHEAD = 16 };

typedef struct {
    uint64_t *kept; /* (n_rows, keep) */
    uint32_t *totals;
    size_t keep;
} rows_t;

static void offer(const rows_t *rows, size_t row, uint64_t key) {
    uint64_t *heap = rows->kept + row * rows->keep;
    rows->totals[row]++;
    if (key <= heap[0]) return;
    size_t at = 0;
    for (size_t child = 1; child < rows->keep; child = 2 * at + 1) {
        child += child + 1 < rows->keep && heap[child + 1] < heap[child];
        if (heap[child] >= key) break;
        heap[at] = heap[child], at = child;
    }
    heap[at] = key;
}

static uint64_t key_of(uint32_t count, uint32_t rank) { return (uint64_t)count << 32 | (UINT32_MAX - rank); }

/* Offers the counts of one list after another to rows; mirrored: see reference_inverted.py. */
EXPORT void pmbf_add_highest(const rows_t *rows, const pairs_t *pairs, size_t n_lists, const uint32_t *row_of_list,
                             const uint32_t *ranks, int mirrored) {
    for (size_t list = 0; list < n_lists; list++) {
        const uint32_t row = row_of_list[list];
        for (size_t at = pairs->offsets[list]; at < pairs->offsets[list + 1]; at++) {
            const uint32_t document = pairs->documents[at], count = pairs->counts[at];
            offer(rows, row, key_of(count, ranks[document]));
            if (!mirrored) continue;
            if (at + AHEAD < pairs->offsets[list + 1])
                __builtin_prefetch(rows->kept + pairs->documents[at + AHEAD] * rows->keep);
            offer(rows, document, key_of(count, ranks[row]));
        }
    }
}
