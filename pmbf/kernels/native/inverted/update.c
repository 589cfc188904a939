/* An index without some documents and with those of another one, and lists without some features. */

#include "inverted.h"

/* The index that is made. Its arrays have room for all of both. */
typedef struct {
    uint32_t *features, *starts, *documents;
    uint64_t n_features, n_postings;
} made_t;

/* The postings of an index, read one feature after another. */
typedef struct {
    const inverted_t *from;
    const uint64_t *gone; /* a bit for each document; NULL: none */
    size_t next;
} walk_t;

static bool is_gone(const walk_t *walk, uint32_t document) {
    return walk->gone && (walk->gone[document / 64] >> document % 64 & 1);
}

static uint64_t next_feature(const walk_t *walk) {
    return walk->next < walk->from->n_features ? walk->from->features[walk->next] : UINT64_MAX;
}

/* Returns the postings of the next feature and steps behind it. They are empty if the index is damaged. */
static run_t next_run(walk_t *walk, bool *is_damaged) {
    const inverted_t *from = walk->from;
    const size_t at = walk->next++;
    const run_t run = {from->starts[at], from->starts[at + 1]};
    const bool follows = at + 1 == from->n_features || from->features[at] < from->features[at + 1];
    if (run.start <= run.stop && run.stop <= from->n_postings && follows) return run;
    *is_damaged = true;
    return (run_t){0, 0};
}

/* Appends the documents of two runs, ascending. Returns whether they were in order, each once. */
static bool append(made_t *made, const walk_t *old, run_t some, const walk_t *new, run_t more) {
    const uint32_t *documents = old->from->documents, *others = new->from->documents;
    uint64_t least = 0;
    bool in_order = true;
    while (some.start < some.stop || more.start < more.stop) {
        const bool both = some.start < some.stop && more.start < more.stop;
        const bool from_old = both ? documents[some.start] < others[more.start] : some.start < some.stop;
        const uint32_t document = from_old ? documents[some.start++] : others[more.start++];
        if (document >= (from_old ? old : new)->from->n_documents) return false;
        if (from_old && is_gone(old, document)) continue;
        in_order &= document >= least, least = (uint64_t)document + 1;
        made->documents[made->n_postings++] = document;
    }
    return in_order;
}

static int64_t update(walk_t *old, walk_t *new, made_t *made) {
    const uint64_t room = old->from->n_postings + new->from->n_postings;
    bool is_damaged = false;
    made->starts[0] = 0;
    for (;;) {
        const uint64_t here = next_feature(old), there = next_feature(new), feature = here < there ? here : there;
        if (feature == UINT64_MAX) return 0;
        const run_t some = here == feature ? next_run(old, &is_damaged) : (run_t){0, 0};
        const run_t more = there == feature ? next_run(new, &is_damaged) : (run_t){0, 0};
        const uint64_t n = (uint64_t)(some.stop - some.start) + (more.stop - more.start), before = made->n_postings;
        if (is_damaged || n > room - before || !append(made, old, some, new, more)) return PMBF_REFUSED;
        if (made->n_postings == before) continue;
        made->features[made->n_features++] = (uint32_t)feature;
        made->starts[made->n_features] = (uint32_t)made->n_postings;
    }
}

/* Makes an index of `old` without the documents `gone`, and of `added`. Returns 0, PMBF_NO_MEMORY, or PMBF_REFUSED for
 * a damaged index, and for a feature that would have a document twice. */
EXPORT int64_t pmbf_update_inverted(const inverted_t *old, const uint32_t *gone, size_t n_gone, const inverted_t *added,
                                    made_t *made) {
    uint64_t *bits = calloc(old->n_documents / 64 + 1, sizeof *bits);
    if (!bits) return PMBF_NO_MEMORY;
    for (size_t i = 0; i < n_gone; i++)
        if (gone[i] < old->n_documents) bits[gone[i] / 64] |= 1ull << gone[i] % 64;
    walk_t walk = {old, bits, 0}, more = {added, NULL, 0};
    const int64_t status = update(&walk, &more, made);
    free(bits);
    return status;
}

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
