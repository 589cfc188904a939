/* The evidence of a piece: of its words in any order, and of its equal runs. */

#include "judged.h"

#include <math.h>

#define UNIT 1024.0        /* of a score, in a nat */
#define PRIOR_UNIT 65536.0 /* of a prior */
enum { NAT = 1024, PRIOR_WORDS = 500 };

static box_t box_of(span_t here, span_t there) {
    return (box_t){{(int32_t)here.start, (int32_t)there.start}, {(int32_t)here.stop, (int32_t)there.stop}, 0, 0};
}

double words_evidence(const judged_t *judged, span_t here, span_t there) {
    const box_t box = box_of(here, there);
    return (double)least(part_sum(judged->pair, QUERY, &box), part_sum(judged->pair, SOURCE, &box)) / UNIT;
}

double topic_evidence(const judged_t *judged, span_t here, span_t there) {
    const box_t box = box_of(here, there);
    return (double)least(topic_sum(judged->pair, QUERY, &box), topic_sum(judged->pair, SOURCE, &box)) / UNIT;
}

/* A set of names. A free place has 0. */
typedef struct {
    uint64_t *places;
    int64_t n_places; /* a power of two, at least twice the number of names */
} names_t;

static uint64_t *place_of(const names_t *names, uint64_t name) {
    int64_t place = (int64_t)(name & (uint64_t)(names->n_places - 1));
    while (names->places[place] && names->places[place] != name) place = (place + 1) & (names->n_places - 1);
    return &names->places[place];
}

/* Returns where the run of n words that begins with a token ends, or 0 if there is none before `stop`. */
static int64_t run_stop(const hashed_t *tokens, int64_t start, int64_t stop, int64_t n_words) {
    if (tokens->n == 1) return start + n_words <= stop ? start + n_words : 0;
    int64_t half_words = 0;
    while (start < stop && half_words < 2 * n_words) half_words += 2 - tokens->singles[start++];
    return half_words >= 2 * n_words ? start : 0;
}

/* Returns the name of a run; never 0. */
static uint64_t name_of(const hashed_t *tokens, int64_t start, int64_t stop) {
    uint64_t name = run_name(tokens->hashes + start, stop - start);
    return name + !name;
}

void in_runs(judged_t *judged, span_t here, span_t there, int64_t n_words, bool *equal) {
    const hashed_t *query = &judged->texts[QUERY].tokens, *source = &judged->texts[SOURCE].tokens;
    names_t names = {NULL, 16};
    while (names.n_places < 2 * span_length(there)) names.n_places *= 2;
    memset(equal, 0, (size_t)span_length(here));
    names.places = calloc((size_t)names.n_places, sizeof *names.places);
    judged->failed |= !names.places;
    if (!names.places) return;
    for (int64_t token = there.start; token < there.stop; token++) {
        int64_t stop = run_stop(source, token, there.stop, n_words);
        if (!stop) break;
        uint64_t name = name_of(source, token, stop);
        *place_of(&names, name) = name;
    }
    for (int64_t token = here.start, reached = here.start; token < here.stop; token++) {
        int64_t stop = run_stop(query, token, here.stop, n_words);
        if (stop && *place_of(&names, name_of(query, token, stop))) reached = stop;
        equal[token - here.start] = token < reached;
    }
    free(names.places);
}

/* Returns the evidence of an equal run, before the price of its place. */
static double run_evidence(const judged_t *judged, int64_t start, int64_t stop) {
    const pair_t *pair = judged->pair;
    double sum = 0, all = log((double)(pair->sides[SOURCE].n + PRIOR_WORDS));
    for (int64_t token = start; token < stop; token++) {
        int32_t c = pair->sides[QUERY].classes[token];
        double nats = all - log(pair->sides[SOURCE].counts[c] + (double)greatest(1, pair->priors[c]) / PRIOR_UNIT);
        if (nats > 0) sum += judged->texts[QUERY].tokens.singles[token] ? nats * 0.5 : nats;
    }
    return sum;
}

/* Returns the evidence of the equal runs of a piece without a chain. */
static double loose_evidence(judged_t *judged, const piece_t *piece, double price) {
    span_t here = piece->sides[QUERY];
    int64_t n = span_length(here);
    double sum = 0;
    bool *equal = malloc((size_t)n + 1);
    judged->failed |= !equal;
    if (!equal) return 0;
    in_runs(judged, here, piece->sides[SOURCE], judged->bars->seed_tokens, equal);
    for (int64_t start = 0, stop; start < n; start = stop + 1) {
        for (stop = start; stop < n && equal[stop];) stop++;
        if (stop > start) sum += fmax(0, run_evidence(judged, here.start + start, here.start + stop) - price);
    }
    free(equal);
    return sum;
}

double piece_evidence(judged_t *judged, const piece_t *piece) {
    double price = log((double)greatest(1, judged->texts[QUERY].tokens.n)) + log((double)greatest(1, judged->texts[SOURCE].tokens.n));
    double nats = fmax(words_evidence(judged, piece->sides[QUERY], piece->sides[SOURCE]), piece->word_evidence), sum = 0;
    for (const block_t *block = piece->chain.blocks; block < piece->chain.blocks + piece->chain.n; block++)
        sum += fmax(0, run_evidence(judged, block->query, block->query + block->length) - price);
    return fmax(nats, piece->chain.n ? sum : loose_evidence(judged, piece, price));
}

static int compare_classes(const void *one, const void *other) {
    int32_t a = *(const int32_t *)one, b = *(const int32_t *)other;
    return (a > b) - (a < b);
}

double rare_likeness(judged_t *judged, const piece_t *piece) {
    const pair_t *pair = judged->pair;
    int64_t n[2] = {span_length(piece->sides[0]), span_length(piece->sides[1])}, both = 0, common = 0;
    int32_t *classes[2] = {malloc((size_t)(n[0] + n[1] + 1) * sizeof **classes)};
    judged->failed |= !classes[0];
    if (!classes[0]) return 0;
    classes[1] = classes[0] + n[0];
    for (int side = 0; side < 2; side++) {
        memcpy(classes[side], pair->sides[side].classes + piece->sides[side].start, (size_t)n[side] * sizeof **classes);
        for (int64_t at = 0; at < n[side]; at++) both += pair->rarities[classes[side][at]] + NAT;
        qsort(classes[side], (size_t)n[side], sizeof **classes, compare_classes);
    }
    for (int64_t at = 0, other = 0; at < n[0] && other < n[1];) {
        int32_t one = classes[0][at], two = classes[1][other];
        if (one == two) common += pair->rarities[one] + NAT;
        at += one <= two;
        other += two <= one;
    }
    free(classes[0]);
    return (double)(2 * common) / (double)both;
}
