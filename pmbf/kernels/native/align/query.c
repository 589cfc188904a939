/* A query that was made ready as a text is, with its grams, slips and weights and with hash tables of them. */

#include "query.h"

#include "words.h"

/* Memory that is shared out from the front. */
typedef struct {
    uint8_t *at;
} arena_t;

static void *room(arena_t *arena, int64_t size) {
    void *part = arena->at;
    arena->at += (size + 7) / 8 * 8;
    return part;
}

static int64_t n_slots(int64_t n) {
    int64_t slots = 16;
    while (slots <= 2 * n) slots *= 2;
    return slots;
}

/* Returns the bytes that `query_make` shares out for a text, or more. */
static int64_t size_of(const ready_t *text, int64_t n_letters) {
    int64_t n = text->head.n, n_types = text->head.n_types;
    int64_t slots = n_slots(n) + n_slots(n_types) + n_slots(N_SLIPS * n_types);
    return 8 * (9 * n + 8) + 4 * (n + n_letters) + (32 + 8 + 28 * 3 + 20) * (n_types + 1) + 4 * slots + SIEVE_BITS / 4 + 512;
}

/* Puts the types in the order of their keys, as tables of a query need them. `ranks` has the new number of each type. */
static void sort_types(asked_t *asked, const ready_t *text, int32_t *ranks, arena_t *arena) {
    int64_t n = text->head.n, n_types = text->head.n_types;
    named_t *names = room(arena, (int64_t)sizeof *names * (2 * n_types + 1));
    uint64_t *keys = room(arena, 8 * n_types), *slips = room(arena, 8 * N_SLIPS * n_types);
    int32_t *types = room(arena, 4 * n);
    for (int64_t type = 0; type < n_types; type++) names[type] = (named_t){text->keys[type], type};
    names_sort(names, n_types);
    for (int64_t rank = 0; rank < n_types; rank++) {
        ranks[names[rank].place] = (int32_t)rank;
        keys[rank] = names[rank].name;
    }
    for (int64_t token = 0; token < n; token++) types[token] = ranks[text->types[token]];
    memset(slips, 0, (size_t)(8 * N_SLIPS * n_types));
    for (int64_t one = 0; one < text->head.n_slipped; one++)
        words_slips(text->letters + N_SLIPS * one, slips + N_SLIPS * ranks[text->slipped[one]]);
    asked->n_types = n_types;
    asked->types = types;
    asked->slips = slips;
    asked->keys = (slots_t){.names = keys, .n_slots = n_slots(n_types)};
}

static void spell(asked_t *asked, const ready_t *text, int64_t n_letters, arena_t *arena) {
    int64_t n = text->head.n, *offsets = room(arena, 8 * (n + 1));
    uint64_t *keys = room(arena, 8 * n);
    uint32_t *letters = room(arena, 4 * n_letters);
    ready_spelled(text, offsets, keys);
    ready_letters(text, n_letters, letters);
    asked->text = (spelled_t){{text->hashes, text->singles, n}, text->starts, text->stops, keys, letters, offsets};
    asked->borders = text->borders;
}

/* Groups the runs of seeds by name. Returns false if out of memory. */
static bool find_grams(asked_t *asked, const ready_t *text, arena_t *arena) {
    int64_t n = text->head.n, n_grams = 0, reach = 0, half_words = 0, stop;
    uint64_t *sums = room(arena, 8 * (n + 1)), *back = room(arena, 8 * n), *names = room(arena, 8 * n);
    int64_t *stops = room(arena, 8 * n), *order = room(arena, 8 * n), *bounds = room(arena, 8 * (n + 1));
    runs_name(text->hashes, n, sums, back);
    while (n_grams < n && (stop = gram_stop(text, n_grams, asked->bars->seed_tokens, &reach, &half_words)) >= 0) stops[n_grams++] = stop;
    int64_t n_names = grams_find(sums, back, stops, n_grams, names, order, bounds);
    asked->grams = (grams_t){sums, back, stops, names, NULL, order, bounds, n, n_grams, n_names};
    asked->names = (slots_t){.names = names, .n_slots = n_slots(n_names)};
    return n_names >= 0;
}

/* Fills a hash table of n distinct names. */
static void slots_fill(const uint64_t *names, int64_t n, int32_t *slots, int64_t n_slots, uint64_t *sieve) {
    for (int64_t slot = 0; slot < n_slots; slot++) slots[slot] = -1;
    for (int64_t at = 0; at < n; at++) {
        int64_t slot = (int64_t)(names[at] & (uint64_t)(n_slots - 1));
        while (slots[slot] >= 0) slot = (slot + 1) & (n_slots - 1);
        slots[slot] = (int32_t)at;
        if (sieve) sieve_add(sieve, names[at]);
    }
}

/* Fills a hash table of slips, 0 for none, and lists for each the next equal one, or -1. */
static void slots_fill_equal(const uint64_t *slips, int64_t n, int32_t *slots, int64_t n_slots, int32_t *next, uint64_t *sieve) {
    for (int64_t slot = 0; slot < n_slots; slot++) slots[slot] = -1;
    for (int64_t slip = 0; slip < n; slip++) {
        next[slip] = -1;
        if (!slips[slip]) continue;
        int64_t slot = (int64_t)(slips[slip] & (uint64_t)(n_slots - 1));
        while (slots[slot] >= 0 && slips[slots[slot]] != slips[slip]) slot = (slot + 1) & (n_slots - 1);
        if (slots[slot] >= 0) { /* behind the first: the order of the others does not matter */
            next[slip] = next[slots[slot]];
            next[slots[slot]] = (int32_t)slip;
        } else {
            slots[slot] = (int32_t)slip;
        }
        sieve_add(sieve, slips[slip]);
    }
}

static void fill_tables(asked_t *asked, arena_t *arena) {
    int64_t n_slips = N_SLIPS * asked->n_types;
    uint64_t *sieves = room(arena, SIEVE_BITS / 4);
    int32_t *keys = room(arena, 4 * asked->keys.n_slots), *names = room(arena, 4 * asked->names.n_slots);
    int32_t *first = room(arena, 4 * n_slots(n_slips)), *next = room(arena, 4 * n_slips);
    memset(sieves, 0, SIEVE_BITS / 4);
    slots_fill(asked->keys.names, asked->n_types, keys, asked->keys.n_slots, NULL);
    slots_fill(asked->names.names, asked->grams.n_names, names, asked->names.n_slots, sieves);
    asked->keys.slots = keys;
    asked->names.slots = names;
    asked->first_slips = (slots_t){asked->slips, first, n_slots(n_slips)};
    asked->name_sieve = sieves;
    asked->slip_sieve = sieves + SIEVE_BITS / 64;
    slots_fill_equal(asked->slips, n_slips, first, asked->first_slips.n_slots, next, sieves + SIEVE_BITS / 64);
    asked->next_slips = next;
}

/* Counts the words of the query, and adds them to the counts of the other texts. Each word counts once less. Returns false if
 * out of memory. */
static bool count_own(query_t *query, int32_t *holding, int32_t *times) {
    const head_t *head = &query->text.head;
    counts_t *counts = &query->counts;
    int64_t n_pages = counts_pages(query->asked.types, head->n, head->n_types, counts->page_words, holding, times);
    if (n_pages < 0) return false;
    counts->n_pages += n_pages;
    counts->n_words += head->n;
    for (int64_t type = 0; type < head->n_types; type++) times[type]--;
    return true;
}

/* Weighs the words of the query by the counts of the other texts and its own. Returns how many pages are in its language, or
 * ALIGN_NO_MEMORY. */
static int64_t weigh(query_t *query, const int32_t *ranks, const int32_t *holding, const int32_t *times, int32_t *rarities, int32_t *priors) {
    const head_t *head = &query->text.head;
    counts_t *counts = &query->counts;
    for (int64_t type = 0; type < head->n_types; type++) {
        int32_t rank = ranks[type];
        rarities[rank] = query->text.n_holding[type] + holding[rank];
        priors[rank] = query->text.n_times[type] + times[rank];
    }
    int64_t n_like = counts_like(counts, head->commonest, rarities, query->asked.types, head->n);
    if (n_like >= 0) counts_weigh(counts, n_like, head->n_types, rarities, priors);
    return n_like;
}

/* Finds how rare the words are; if the other texts do not know the language, then that is guessed later, from each two
 * texts. Returns false if out of memory. */
static bool find_weights(query_t *query, const terms_t *terms, const int32_t *own, const int32_t *ranks, arena_t *arena) {
    const head_t *head = &query->text.head;
    int64_t size = 4 * head->n_types;
    int32_t *holding = room(arena, size), *times = room(arena, size), *rarities = room(arena, size), *priors = room(arena, size);
    asked_t *asked = &query->asked;
    asked->counts = &query->counts;
    asked->own_holding = holding;
    asked->rarities = rarities;
    asked->priors = priors;
    int64_t n_like = terms->least_pages;
    if (own) {
        memcpy(holding, own, (size_t)size);
        memcpy(times, own + head->n_types, (size_t)size);
    } else {
        n_like = counts_like(&query->counts, head->commonest, query->text.n_holding, query->text.types, head->n);
        if (n_like >= terms->least_pages && !count_own(query, holding, times)) return false;
    }
    if (n_like >= terms->least_pages) n_like = weigh(query, ranks, holding, times, rarities, priors);
    if (n_like < 0 || n_like >= terms->least_pages) return n_like >= 0;
    int64_t n_pages = counts_pages(asked->types, head->n, head->n_types, terms->guess_page_words, holding, times);
    const counts_t *counts = &terms->counts;
    query->guess = (guess_t){times, counts->logs, counts->like_logs, n_pages, head->n, terms->guess_page_words, counts->page_words};
    asked->guess = &query->guess;
    return n_pages >= 0;
}

bool query_make(query_t *query, const uint8_t *block, const terms_t *terms, const int32_t *own) {
    *query = (query_t){.counts = terms->counts};
    if (!ready_open(block, &query->text)) return false;
    int64_t n_letters = ready_offset(&query->text, query->text.head.n);
    arena_t arena = {query->memory = malloc((size_t)size_of(&query->text, n_letters))};
    if (!query->memory) return false;
    asked_t *asked = &query->asked;
    asked->bars = terms->bars;
    asked->rules = terms->rules;
    asked->tables = terms->tables;
    asked->n_buckets = terms->n_buckets;
    int32_t *ranks = room(&arena, 4 * query->text.head.n_types);
    sort_types(asked, &query->text, ranks, &arena);
    spell(asked, &query->text, n_letters, &arena);
    if (!find_grams(asked, &query->text, &arena)) return false;
    fill_tables(asked, &arena);
    return find_weights(query, terms, own, ranks, &arena);
}

void query_free(query_t *query) {
    ready_close(&query->text);
    free(query->memory);
}
