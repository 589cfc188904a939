/* Classes: the words of both texts are numbered together. Equal words have one number, as have words that differ by one
 * slip of the pen.
 *
 * The slips of a long word are its first letters with one left out, each in turn. Two words that share a slip differ by
 * a letter replaced, left out, put in or swapped with the next; rarely by two of these. */

#include "align.h"

/* Puts the slips of all types into a hash table with open addressing: `n_slots` places, a power of two, each for the
 * number of a slip. Of equal slips the first stays. */
EXPORT void pmbf_align_slots(const uint64_t *slips, int64_t n_types, int32_t *slots, int64_t n_slots) {
    for (int64_t slot = 0; slot < n_slots; slot++) slots[slot] = -1;
    for (int64_t slip = 0; slip < n_types * N_SLIPS; slip++) {
        if (!slips[slip]) continue;
        int64_t slot = (int64_t)(slips[slip] & (uint64_t)(n_slots - 1));
        while (slots[slot] >= 0 && slips[slots[slot]] != slips[slip]) slot = (slot + 1) & (n_slots - 1);
        if (slots[slot] < 0) slots[slot] = (int32_t)slip;
    }
}

/* Types of a text: `Words` of align_rules.py. */
typedef struct {
    const uint64_t *keys, *slips;
    const int32_t *slots;
    int64_t n, n_slots;
} types_t;

/* Returns the first type of a text that has one of the slips of a type of the other text, or -1. */
static int64_t similar(const types_t *text, const uint64_t *slips) {
    for (int slip = 0; slip < N_SLIPS; slip++) {
        if (!slips[slip]) continue;
        int64_t slot = (int64_t)(slips[slip] & (uint64_t)(text->n_slots - 1));
        for (; text->slots[slot] >= 0; slot = (slot + 1) & (text->n_slots - 1))
            if (text->slips[text->slots[slot]] == slips[slip]) return text->slots[slot] / N_SLIPS;
    }
    return -1;
}

/* Writes the class of each type of both texts. Returns the number of classes. A type of the query has a class of its
 * own. A type of the source has the class of the equal type, or a new class. Then a type without an equal takes the
 * class of a type that shares a slip with it. */
EXPORT int64_t pmbf_align_classes(const types_t *texts, int32_t *query_classes, int32_t *source_classes) {
    const types_t *query = &texts[0], *source = &texts[1];
    int64_t at = 0, n_classes = query->n;
    for (int64_t type = 0; type < query->n; type++) query_classes[type] = -1;
    for (int64_t type = 0; type < source->n; type++) {
        while (at < query->n && query->keys[at] < source->keys[type]) at++;
        bool equal = at < query->n && query->keys[at] == source->keys[type];
        source_classes[type] = (int32_t)(equal ? at : n_classes++);
        if (equal) query_classes[at] = (int32_t)at;
    }
    for (int64_t type = 0; type < query->n; type++) {
        if (query_classes[type] >= 0) continue;
        int64_t other = similar(source, query->slips + type * N_SLIPS);
        query_classes[type] = other < 0 ? (int32_t)type : source_classes[other];
    }
    for (int64_t type = 0; type < source->n; type++) {
        if (source_classes[type] < query->n) continue;
        int64_t other = similar(query, source->slips + type * N_SLIPS);
        if (other >= 0 && query_classes[other] < query->n) source_classes[type] = query_classes[other];
    }
    return n_classes;
}
