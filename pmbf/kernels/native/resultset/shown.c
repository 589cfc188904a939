/* Which list is shown for each list: a star around each shown list, or all that pairs connect. */

#include "lists.h"

typedef struct {
    int64_t *ranks, *starts, *behind, *first; /* by rank: where its later partners begin, the partners, what is shown */
} work_t;

/* Gathers for each rank the ranks behind it that it is alike to. */
static void gather(const alike_t *pairs, size_t n_pairs, size_t n, const work_t *work) {
    memset(work->starts, 0, (n + 2) * sizeof *work->starts);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < n_pairs; i++) {
            const int64_t a = work->ranks[pairs[i].first], b = work->ranks[pairs[i].second];
            const int64_t before = a < b ? a : b, after = a < b ? b : a;
            if (round) work->behind[work->starts[before + 1]++] = after;
            else work->starts[before + 2]++;
        }
        if (!round)
            for (size_t rank = 2; rank < n + 2; rank++) work->starts[rank] += work->starts[rank - 1];
    }
}

static void star(size_t n, const work_t *work) {
    for (size_t rank = 0; rank < n; rank++) {
        if (work->first[rank] != (int64_t)rank) continue;
        for (int64_t i = work->starts[rank]; i < work->starts[rank + 1]; i++)
            if (work->first[work->behind[i]] == work->behind[i]) work->first[work->behind[i]] = (int64_t)rank;
    }
}

static int64_t root(int64_t *first, int64_t rank) {
    while (first[rank] != rank) rank = first[rank] = first[first[rank]];
    return rank;
}

static void connect(const alike_t *pairs, size_t n_pairs, size_t n, const work_t *work) {
    for (size_t i = 0; i < n_pairs; i++) {
        const int64_t a = root(work->first, work->ranks[pairs[i].first]), b = root(work->first, work->ranks[pairs[i].second]);
        work->first[a < b ? b : a] = a < b ? a : b;
    }
    for (size_t rank = 0; rank < n; rank++) work->first[rank] = root(work->first, (int64_t)rank);
}

bool lists_shown(const alike_t *pairs, size_t n_pairs, const int64_t *order, size_t n, bool connected, int64_t *shown) {
    int64_t *memory = malloc((3 * n + 2 + n_pairs + 1) * sizeof *memory);
    if (!memory) return false;
    const work_t work = {memory, memory + n, memory + 3 * n + 2, memory + 2 * n + 2};
    for (size_t rank = 0; rank < n; rank++) work.ranks[order[rank]] = work.first[rank] = (int64_t)rank;
    if (connected) {
        connect(pairs, n_pairs, n, &work);
    } else {
        gather(pairs, n_pairs, n, &work);
        star(n, &work);
    }
    for (size_t rank = 0; rank < n; rank++) shown[order[rank]] = order[work.first[rank]];
    free(memory);
    return true;
}
