/* Features looked up in an inverted index. A look-up reads the directory, the features, the starts and the postings,
 * one after another, each in another line of memory. So a group of features goes through each step together, and each
 * step asks for the lines of the next one. */

#include "inverted.h"

enum { GROUP = 64, FEW = 8 };

/* The features of a slot. */
typedef struct {
    uint32_t begin, end;
} slot_t;

/* Returns where a feature of a slot is, or UINT32_MAX. The features behind a slot are greater: of a small slot, FEW are
 * compared at once, without a branch that would be mispredicted. */
static uint32_t place_of(const inverted_t *inverted, slot_t slot, uint32_t feature) {
    const uint32_t *features = inverted->features, *few = features + slot.begin;
    uint32_t place = slot.begin;
    if (slot.end - slot.begin <= FEW && inverted->n_features - slot.begin >= FEW)
        for (size_t i = 0; i < FEW; i++) place += few[i] < feature;
    else
        for (uint32_t end = slot.end; place < end;) {
            const uint32_t middle = place + (end - place) / 2;
            if (features[middle] < feature) place = middle + 1;
            else end = middle;
        }
    return place < slot.end && features[place] == feature ? place : UINT32_MAX;
}

static int64_t find_group(const inverted_t *inverted, const uint32_t *features, size_t n, run_t *runs) {
    const uint32_t base = inverted->n_features ? inverted->features[0] : 0;
    slot_t slots[GROUP];
    uint32_t places[GROUP];
    int64_t n_postings = 0;
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(inverted->directory + smaller((features[i] - base) >> inverted->shift, inverted->n_slots));
    for (size_t i = 0; i < n; i++) {
        const size_t number = (features[i] - base) >> inverted->shift;
        const bool inside = features[i] >= base && number < inverted->n_slots;
        slots[i] = inside ? (slot_t){inverted->directory[number], inverted->directory[number + 1]} : (slot_t){0, 0};
        if (slots[i].begin > slots[i].end || slots[i].end > inverted->n_features) return PMBF_REFUSED;
        __builtin_prefetch(inverted->features + slots[i].begin);
    }
    for (size_t i = 0; i < n; i++) {
        places[i] = place_of(inverted, slots[i], features[i]);
        if (places[i] != UINT32_MAX) __builtin_prefetch(inverted->starts + places[i]);
    }
    for (size_t i = 0; i < n; i++) {
        runs[i] = (run_t){0, 0};
        if (places[i] == UINT32_MAX) continue;
        runs[i] = (run_t){inverted->starts[places[i]], inverted->starts[places[i] + 1]};
        if (runs[i].start > runs[i].stop || runs[i].stop > inverted->n_postings) return PMBF_REFUSED;
        n_postings += runs[i].stop - runs[i].start;
        if (runs[i].stop) __builtin_prefetch(inverted->documents + runs[i].stop - 1);
    }
    return n_postings;
}

int64_t find_runs(const inverted_t *inverted, const uint32_t *features, size_t n, run_t *runs) {
    int64_t n_postings = 0;
    for (size_t first = 0; first < n; first += GROUP) {
        const int64_t more = find_group(inverted, features + first, smaller(GROUP, n - first), runs + first);
        if (more < 0) return more;
        n_postings += more;
    }
    return n_postings;
}
