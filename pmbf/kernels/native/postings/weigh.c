/* The documents that have hashes of queries, and the evidence of the hits of each. A hash that few documents have says
 * much, a common one nothing. reference_evident.py says the same. */

#include <stdlib.h>

#include "postings.h"

#include "../bits/evidence.h"

enum { DIGIT_BITS = 11, N_DIGITS = 3, UNITS = 1024 };

/* A query, `_QUERY` of native_evident.py. */
typedef struct {
    const uint64_t *hashes; /* in the order of the text */
    const uint32_t *tokens; /* of each */
    const int64_t *more;    /* how many documents have each that are not in the postings; or NULL */
    uint64_t n;
    double share; /* of the evidence of the whole query that is half of a copy's */
    double copied;                   /* out: that half, in nats */
    int64_t n_common, is_hard, n_found; /* out; a hard query has no documents here */
} sampled_t;

/* How hits are weighed, `_RULES` of native_evident.py. */
typedef struct {
    const int32_t *weights; /* of a hash that n documents have, n up to `limit` */
    const uint32_t *gone;   /* documents that are left out, ascending */
    uint64_t n_gone;
    int64_t limit, little, n_run, n_first, length, window;
    double enough, least, most_common;
} weigh_rules_t;

/* A document of a query; written one after the other, query by query. */
typedef struct {
    uint32_t document, n_hits;
    most_t most;
} evident_t;

/* Arrays that grow: of one query, and of all answers. */
typedef struct {
    uint64_t *distinct;
    uint32_t *first, *numbers, *slots, *places;
    int64_t *counts, *exact, *bounds;
    most_t *evidence;
    int32_t *weights;
    found_lists_t lists;
    uint64_t *keys, *sorted;
    uint64_t n_hashes, n_slots, n_keys;
    evident_t *found;
    uint64_t n_found, room;
} room_t;

static int grow(void *array, uint64_t n, size_t size) {
    void **at = array, *more = realloc(*at, (size_t)(n + 1) * size);
    if (more) *at = more;
    return more != NULL;
}

static int room_for_hashes(room_t *room, uint64_t n) {
    if (n <= room->n_hashes && room->slots) return 1;
    for (room->n_slots = 64; room->n_slots < 2 * n; room->n_slots *= 2) {}
    room->n_hashes = n;
    return grow(&room->distinct, n, 8) && grow(&room->first, n, 4) && grow(&room->numbers, n, 4) && grow(&room->slots, room->n_slots, 4) &&
           grow(&room->counts, n, 8) && grow(&room->exact, n, 8) && grow(&room->weights, n, 4);
}

static int room_for_keys(room_t *room, uint64_t n) {
    if (n <= room->n_keys && room->keys) return 1;
    room->n_keys = n;
    return grow(&room->keys, n, 8) && grow(&room->sorted, n, 8) && grow(&room->places, n, 4) && grow(&room->bounds, n + 1, 8) &&
           grow(&room->evidence, n, sizeof *room->evidence);
}

static void room_free(room_t *room) {
    void *arrays[] = {room->distinct, room->first, room->numbers, room->slots,   room->places, room->counts, room->exact,
                      room->bounds,   room->evidence, room->weights, room->lists.lists, room->keys, room->sorted};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
}

/* Numbers the distinct hashes of a query by where they first stand. Returns how many there are. */
static uint64_t number_hashes(room_t *room, const uint64_t *hashes, uint64_t n) {
    uint64_t n_distinct = 0;
    memset(room->slots, 0xFF, room->n_slots * sizeof *room->slots);
    for (uint64_t place = 0; place < n; place++) {
        uint64_t slot = fmix64(hashes[place]) & (room->n_slots - 1);
        while (room->slots[slot] != UINT32_MAX && room->distinct[room->slots[slot]] != hashes[place]) slot = (slot + 1) & (room->n_slots - 1);
        if (room->slots[slot] == UINT32_MAX) {
            room->slots[slot] = (uint32_t)n_distinct;
            room->distinct[n_distinct] = hashes[place];
            room->first[n_distinct++] = (uint32_t)place;
        }
        room->numbers[place] = room->slots[slot];
    }
    return n_distinct;
}

static int is_gone(const weigh_rules_t *rules, uint32_t document) {
    uint64_t low = 0, high = rules->n_gone;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (rules->gone[middle] < document) low = middle + 1;
        else high = middle;
    }
    return low < rules->n_gone && rules->gone[low] == document;
}

/* Writes document << 32 | number of the hash for each document that has one of the hashes that are not common. Returns
 * how many, or PMBF_REFUSED for damaged postings. */
static int64_t take_keys(const room_t *room, const segments_t *segments, const weigh_rules_t *rules) {
    int64_t n_keys = 0;
    for (uint64_t at = 0; at < room->lists.n; at++) {
        const found_t *list = &room->lists.lists[at];
        const postings_t *from = &segments->postings[list->of];
        if (room->counts[list->hash] > rules->limit) continue;
        for (uint64_t i = 0; i < list->count; i++) {
            uint64_t number = number_at(from->bits, list->at, i, from->id_bits);
            if (RARE(number >= from->n_documents)) return PMBF_REFUSED;
            if (check_pages(&from->pages, from->documents + number, sizeof *from->documents)) return PMBF_REFUSED;
            uint32_t document = from->documents[number];
            if (rules->n_gone && is_gone(rules, document)) continue;
            room->keys[n_keys++] = (uint64_t)document << 32 | list->hash;
        }
    }
    return n_keys;
}

/* Sorts keys by document, and keeps the order of those of one document: by one digit after the other. */
static void sort_keys(room_t *room, int64_t n) {
    enum { N_VALUES = 1 << DIGIT_BITS };
    uint32_t starts[N_DIGITS][N_VALUES];
    memset(starts, 0, sizeof starts);
    for (int64_t i = 0; i < n; i++)
        for (int digit = 0; digit < N_DIGITS; digit++) starts[digit][room->keys[i] >> (32 + DIGIT_BITS * digit) & (N_VALUES - 1)]++;
    for (int digit = 0; digit < N_DIGITS; digit++) {
        const uint32_t of_first = n ? starts[digit][room->keys[0] >> (32 + DIGIT_BITS * digit) & (N_VALUES - 1)] : 0;
        if (of_first == (uint64_t)n) continue; /* all have the same digit */
        for (uint32_t value = 0, sum = 0, here; value < N_VALUES; value++, sum += here) here = starts[digit][value], starts[digit][value] = sum;
        for (int64_t i = 0; i < n; i++)
            room->sorted[starts[digit][room->keys[i] >> (32 + DIGIT_BITS * digit) & (N_VALUES - 1)]++] = room->keys[i];
        uint64_t *keys = room->keys;
        room->keys = room->sorted, room->sorted = keys;
    }
}

/* Keeps each key once: a document may be in several of the postings. Lists the places of each document; writes how many
 * documents have each hash. Returns the number of documents. */
static uint64_t list_documents(room_t *room, int64_t n_keys, uint64_t n_hashes, uint32_t *documents) {
    uint64_t n = 0, n_places = 0;
    memset(room->exact, 0, n_hashes * sizeof *room->exact);
    for (int64_t i = 0; i < n_keys; i++) {
        const uint64_t key = room->keys[i];
        if (i && key == room->keys[i - 1]) continue;
        if (!i || key >> 32 != room->keys[i - 1] >> 32) {
            room->bounds[n] = (int64_t)n_places;
            documents[n++] = (uint32_t)(key >> 32);
        }
        room->exact[(uint32_t)key]++;
        room->places[n_places++] = room->first[(uint32_t)key];
    }
    room->bounds[n] = (int64_t)n_places;
    return n;
}

/* Weighs the hashes of a query. Returns whether it is hard: nearly all hashes are common, or many in a row weigh little. */
static int weigh(room_t *room, sampled_t *query, const weigh_rules_t *rules) {
    uint64_t n_common = 0, n_little = 0, longest = 0;
    query->n_common = 0;
    for (uint64_t place = 0; place < query->n; place++) {
        uint32_t hash = room->numbers[place];
        int is_common = room->counts[hash] > rules->limit;
        int32_t weight = is_common ? 0 : rules->weights[room->exact[hash]];
        room->weights[place] = weight;
        n_common += (uint64_t)is_common, query->n_common += !weight;
        n_little = weight < rules->little ? n_little + 1 : 0;
        longest = n_little > longest ? n_little : longest;
    }
    return (double)n_common > rules->most_common * (double)query->n || (int64_t)longest >= rules->n_run;
}

/* Returns half of the evidence of a copy, in nats: that of the first hashes if it is enough. Returns -1 for a refusal. */
static double half_of_a_copy(room_t *room, const sampled_t *query, const weigh_rules_t *rules, const uint32_t *every) {
    double half = 0;
    for (int round = 0; round < 2; round++) {
        uint64_t n = round ? query->n : smaller(query->n, (size_t)rules->n_first);
        const int64_t bounds[2] = {0, (int64_t)n};
        const weighing_t by = {room->weights, query->tokens, n, rules->length, rules->window};
        most_t all;
        if (evidence_of_lists(bounds, 1, every, n, by, &all) < 0) return -1;
        half = query->share * ((double)all.evidence / UNITS);
        if (half >= rules->enough || n == query->n) break;
    }
    return half;
}

/* Adds the documents with evidence enough to the answers. Returns 0 or an error. */
static int64_t add_found(room_t *room, sampled_t *query, const weigh_rules_t *rules, const uint32_t *documents, uint64_t n) {
    const weighing_t by = {room->weights, query->tokens, query->n, rules->length, rules->window};
    const double least = query->copied < rules->least ? query->copied : rules->least;
    int64_t status = n ? evidence_of_lists(room->bounds, n, room->places, (size_t)room->bounds[n], by, room->evidence) : 0;
    if (status < 0) return status;
    if (room->n_found + n > room->room) {
        room->room = 2 * (room->n_found + n);
        if (!grow(&room->found, room->room, sizeof *room->found)) return PMBF_NO_MEMORY;
    }
    for (uint64_t i = 0; i < n; i++)
        if ((double)room->evidence[i].evidence / UNITS >= least)
            room->found[room->n_found++] = (evident_t){documents[i], (uint32_t)(room->bounds[i + 1] - room->bounds[i]), room->evidence[i]};
    return 0;
}

static int64_t ask(room_t *room, const segments_t *segments, sampled_t *query, const weigh_rules_t *rules) {
    const uint64_t n_before = room->n_found;
    if (!room_for_hashes(room, query->n)) return PMBF_NO_MEMORY;
    uint64_t n = number_hashes(room, query->hashes, query->n), n_keys = 0;
    int64_t status = find_lists(segments, room->distinct, n, &room->lists, room->counts);
    if (status) return status;
    for (uint64_t hash = 0; query->more && hash < n; hash++) room->counts[hash] += query->more[room->first[hash]];
    for (uint64_t hash = 0; hash < n; hash++) n_keys += room->counts[hash] <= rules->limit ? (uint64_t)room->counts[hash] : 0;
    if (!room_for_keys(room, n_keys > query->n ? n_keys : query->n)) return PMBF_NO_MEMORY;
    int64_t n_taken = take_keys(room, segments, rules);
    if (n_taken < 0) return n_taken;
    sort_keys(room, n_taken);
    uint32_t *documents = (uint32_t *)(void *)room->sorted; /* free for other use by now */
    uint64_t n_documents = list_documents(room, n_taken, n, documents);
    query->is_hard = weigh(room, query, rules);
    if (query->is_hard) return 0;
    uint32_t *every = (uint32_t *)(void *)room->keys; /* this, too */
    for (uint64_t place = 0; place < query->n; place++) every[place] = (uint32_t)place;
    query->copied = half_of_a_copy(room, query, rules, every);
    status = query->copied < 0 ? PMBF_REFUSED : add_found(room, query, rules, documents, n_documents);
    query->n_found = (int64_t)(room->n_found - n_before);
    return status;
}

/* Looks n queries up, and writes the documents with evidence enough to `found`, in malloc's memory. Returns their number,
 * PMBF_NO_MEMORY, or PMBF_REFUSED for damaged postings. */
EXPORT int64_t pmbf_evident(const segments_t *segments, sampled_t *queries, size_t n, const weigh_rules_t *rules, void **found) {
    room_t room = {.n_hashes = 0};
    int64_t status = 0;
    for (size_t i = 0; !status && i < n; i++) status = ask(&room, segments, &queries[i], rules);
    room_free(&room);
    *found = room.found;
    return status ? status : (int64_t)room.n_found;
}
