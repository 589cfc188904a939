/* A query and a text, explored: their chains of equal runs and their alignments, or nothing. There is nothing if no chain
 * is long enough and says enough, and no alignment is long and alike enough: then no step behind this one would find a
 * passage. The reference goes those steps in any case. */

#include "explore.h"

enum { MOST_RUNS = 1 << 16, MOST_BLOCKS = 8, MOST_WEAK = 32 };
#define SLACK_SHARE 1e-9 /* a similarity is a rounded quotient */

/* Where tokens stand in a text, and which are single letters. */
typedef struct {
    const uint32_t *starts, *stops;
    const uint8_t *singles;
} places_t;

/* Returns the length of a range of tokens in letters of an alphabet. */
static int64_t n_letters(places_t text, int64_t start, int64_t stop, int64_t single_letters) {
    int64_t n = (int64_t)text.stops[stop - 1] - (int64_t)text.starts[start];
    for (int64_t token = start; token < stop; token++) n += text.singles[token] * (single_letters - 1);
    return n;
}

static places_t places_of(const asked_t *asked) { return (places_t){asked->text.starts, asked->text.stops, asked->text.tokens.singles}; }

static bool add_block(chains_t *chains, block_t block) {
    block_t *blocks = grown(chains->blocks, chains->n_blocks, &chains->capacity, sizeof *blocks);
    if (!blocks) return false;
    chains->blocks = blocks;
    chains->blocks[chains->n_blocks++] = block;
    return true;
}

static void turn(block_t *blocks, int64_t n) {
    for (int64_t low = 0, high = n - 1; low < high; low++, high--) {
        block_t block = blocks[low];
        blocks[low] = blocks[high];
        blocks[high] = block;
    }
}

/* Adds the equal runs beyond a border, each over a small edit from the one before: `edges.stretched`. */
static bool stretch(chains_t *chains, const hashed_t *texts, int64_t here, int64_t there, bool forward) {
    for (;;) {
        hop_t hop = hop_find(texts, here, there, forward);
        if (!hop.length) return true;
        here += forward ? hop.skipped[QUERY] : -hop.skipped[QUERY] - hop.length;
        there += forward ? hop.skipped[SOURCE] : -hop.skipped[SOURCE] - hop.length;
        if (!add_block(chains, (block_t){here, there, hop.length})) return false;
        here += forward ? hop.length : 0;
        there += forward ? hop.length : 0;
    }
}

/* Adds the blocks of some runs, in order, without what overlaps the block before. */
static bool add_trimmed(chains_t *chains, const run_t *runs, const int64_t *order, int64_t n) {
    for (int64_t at = 0; at < n; at++) {
        run_t run = runs[order[at]];
        block_t block = {run.start, run.partner, run.stop - run.start};
        if (at) {
            const block_t *before = &chains->blocks[chains->n_blocks - 1];
            int64_t overlap = greatest(before->query + before->length - block.query, before->source + before->length - block.source);
            if (overlap > 0) block = (block_t){block.query + overlap, block.source + overlap, block.length - overlap};
        }
        if (!add_block(chains, block)) return false;
    }
    return true;
}

/* Adds a chain, stretched, if it is long enough. Returns false if out of memory. */
static bool add_chain(chains_t *chains, const asked_t *asked, const hashed_t *texts, const run_t *runs, const int64_t *order, int64_t n) {
    const run_t *first = &runs[order[0]], *last = &runs[order[n - 1]];
    const places_t query = places_of(asked);
    int64_t singles = asked->bars->single_letters, begin = chains->n_blocks;
    if (2 * n_letters(query, first->start, last->stop, singles) < asked->bars->letters) return true;
    if (!stretch(chains, texts, first->start, first->partner, false)) return false;
    if (chains->n_blocks > begin) turn(&chains->blocks[begin], chains->n_blocks - begin);
    if (!add_trimmed(chains, runs, order, n)) return false;
    if (!stretch(chains, texts, last->stop, last->partner + last->stop - last->start, true)) return false;
    const block_t *end = &chains->blocks[chains->n_blocks - 1];
    if (n_letters(query, chains->blocks[begin].query, end->query + end->length, singles) < asked->bars->letters)
        chains->n_blocks = begin;
    else
        chains->bounds[++chains->n_chains] = chains->n_blocks;
    return true;
}

static int compare_lengths(const void *one, const void *other) {
    const run_t *a = one, *b = other;
    int64_t ours = a->stop - a->start, theirs = b->stop - b->start;
    if (ours != theirs) return ours > theirs ? -1 : 1;
    return runs_compare(one, other);
}

/* Keeps the longest runs, in order. */
static void keep_longest(runs_t *runs) {
    if (runs->n <= MOST_RUNS) return;
    qsort(runs->runs, (size_t)runs->n, sizeof *runs->runs, compare_lengths);
    runs->n = MOST_RUNS;
    qsort(runs->runs, (size_t)runs->n, sizeof *runs->runs, runs_compare);
}

/* Finds the chains of equal runs that are long enough. Returns false if out of memory. */
static bool find_chains(const asked_t *asked, const ready_t *source, runs_t *runs, chains_t *chains) {
    const hashed_t texts[2] = {asked->text.tokens, {source->hashes, source->singles, source->head.n}};
    keep_longest(runs);
    int64_t *order = malloc((size_t)(2 * runs->n + 1) * sizeof *order), *bounds = order + runs->n;
    chains->bounds = calloc((size_t)runs->n + 1, sizeof *chains->bounds);
    int64_t n_chains = order && chains->bounds ? chains_find(runs, asked->bars->max_gap, order, bounds) : ALIGN_NO_MEMORY;
    bool done = n_chains >= 0;
    for (int64_t chain = 0; done && chain < n_chains; chain++) {
        int64_t first = bounds[chain];
        done = add_chain(chains, asked, texts, runs->runs, order + first, bounds[chain + 1] - first);
    }
    free(order);
    return done;
}

/* Returns whether a range at one end of the query has less than half of the letters of a reworded passage. */
static bool is_short_end(const asked_t *asked, int64_t start, int64_t stop) {
    if (start == stop) return true;
    int64_t most = asked->bars->reworded_letters, n_chars = (int64_t)asked->text.stops[stop - 1] - (int64_t)asked->text.starts[start];
    return 2 * n_chars < most && 2 * n_letters(places_of(asked), start, stop, asked->bars->single_letters) < most;
}

/* Returns whether one of n blocks is a run of so many words that chance explains none. A single letter is half a word. */
static bool has_sure_run(const asked_t *asked, const block_t *blocks, int64_t n) {
    for (int64_t at = 0; at < n; at++) {
        int64_t half_words = 2 * blocks[at].length;
        for (int64_t i = 0; i < blocks[at].length; i++) half_words -= asked->text.tokens.singles[blocks[at].query + i];
        if (half_words >= 2 * asked->bars->sure_words) return true;
    }
    return false;
}

/* Returns whether one equal run is the whole query, but for its ends. Then no alignment says more. */
static bool is_one_run(const asked_t *asked, const chains_t *chains) {
    for (const block_t *block = chains->blocks; block < chains->blocks + chains->n_blocks; block++) {
        int64_t stop = block->query + block->length;
        if (is_short_end(asked, 0, block->query) && is_short_end(asked, stop, asked->text.tokens.n) && has_sure_run(asked, block, 1) &&
            n_letters(places_of(asked), block->query, stop, asked->bars->single_letters) >= asked->bars->letters)
            return true;
    }
    return false;
}

/* Returns whether the words of each part of a chain say too little for a passage. A part is some blocks in a row. */
static bool is_weak(const asked_t *asked, const pair_t *pair, const block_t *blocks, int64_t n) {
    if (n > MOST_BLOCKS || has_sure_run(asked, blocks, n)) return false;
    for (int64_t first = 0; first < n; first++)
        for (int64_t last = first; last < n; last++) {
            const block_t *start = &blocks[first], *end = &blocks[last];
            box_t box = {{(int32_t)start->query, (int32_t)start->source},
                         {(int32_t)(end->query + end->length), (int32_t)(end->source + end->length)}, 0, 0};
            if (n_letters(places_of(asked), box.start[QUERY], box.stop[QUERY], asked->bars->single_letters) < asked->bars->letters) continue;
            int64_t sum = least(part_sum(pair, QUERY, &box), part_sum(pair, SOURCE, &box));
            if ((double)sum / 1024 >= asked->bars->evidence) return false;
        }
    return true;
}

static int compare_places(const void *one, const void *other) {
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

/* Returns whether no two chains have tokens in common in the query, or tokens of one character. */
static bool are_apart(const asked_t *asked, const chains_t *chains, int64_t *edges) {
    int64_t n = chains->n_chains;
    for (int64_t chain = 0; chain < n; chain++) {
        const block_t *first = &chains->blocks[chains->bounds[chain]], *last = &chains->blocks[chains->bounds[chain + 1] - 1];
        edges[chain] = asked->text.starts[first->query];
        edges[n + chain] = asked->text.stops[last->query + last->length - 1];
    }
    qsort(edges, (size_t)n, sizeof *edges, compare_places);
    qsort(edges + n, (size_t)n, sizeof *edges, compare_places);
    for (int64_t chain = 1; chain < n; chain++)
        if (edges[chain] < edges[n + chain - 1]) return false;
    return true;
}

/* Returns whether no chain can become a passage. If chains overlap, then what is left of one is not known here. */
static bool are_weak(const asked_t *asked, const pair_t *pair, const chains_t *chains) {
    if (chains->n_chains > MOST_WEAK) return false;
    int64_t edges[2 * MOST_WEAK];
    for (int64_t chain = 0; chain < chains->n_chains; chain++) {
        int64_t first = chains->bounds[chain];
        if (!is_weak(asked, pair, &chains->blocks[first], chains->bounds[chain + 1] - first)) return false;
    }
    return are_apart(asked, chains, edges);
}

/* Returns the greatest similarity that the words of a box may have: of a summary the share of its words that the text
 * has, else the words in common, repeats counted, as a share of the longer side. */
static double likeness(const asked_t *asked, const ready_t *source, const matched_t *matched, const box_t *box) {
    int32_t *counts = matched->pair.inside[QUERY];
    int64_t n_common = 0, n_ours = box->stop[QUERY] - box->start[QUERY], n_theirs = box->stop[SOURCE] - box->start[SOURCE];
    for (int64_t word = box->start[SOURCE]; word < box->stop[SOURCE]; word++) {
        int32_t equal = matched->equals[source->types[word]];
        if (equal >= 0) counts[equal] += box->kind ? INT32_MAX / 2 - counts[equal] : 1;
    }
    for (int64_t word = box->start[QUERY]; word < box->stop[QUERY]; word++) n_common += counts[asked->types[word]]-- > 0;
    for (int64_t word = box->start[QUERY]; word < box->stop[QUERY]; word++) counts[asked->types[word]] = 0;
    for (int64_t word = box->start[SOURCE]; word < box->stop[SOURCE]; word++) {
        int32_t equal = matched->equals[source->types[word]];
        if (equal >= 0) counts[equal] = 0;
    }
    return (double)n_common / (double)(box->kind ? n_ours : greatest(n_ours, n_theirs));
}

/* Returns whether an alignment is long and alike enough. */
static bool is_passage(const asked_t *asked, const ready_t *source, const matched_t *matched, const box_t *box) {
    const bars_t *bars = asked->bars;
    const places_t query = places_of(asked);
    int64_t ours = n_letters(query, box->start[QUERY], box->stop[QUERY], bars->single_letters);
    int64_t theirs = n_letters((places_t){source->starts, source->stops, source->singles}, box->start[SOURCE], box->stop[SOURCE], bars->single_letters);
    if (ours < bars->reworded_letters || theirs < bars->reworded_source_letters) return false;
    if (box->kind && (ours < bars->summary_letters || theirs > bars->summed_letters)) return false;
    double rest = 1 - (double)ours / bars->sure_letters, doubt = bars->short_doubt * (rest > 0 ? rest : 0);
    double alike = likeness(asked, source, matched, box) + SLACK_SHARE, lacking = bars->threshold + doubt - alike;
    if (alike < bars->threshold) return false;
    if (box->kind || !(bars->topical > 0)) return true;
    int64_t topical = least(topic_sum(&matched->pair, QUERY, box), topic_sum(&matched->pair, SOURCE, box));
    return (double)topical / 1024 >= bars->topical * (1 + bars->lacking_times * (lacking > 0 ? lacking : 0));
}

void explored_free(explored_t *found) {
    matched_free(&found->matched);
    free(found->chains.blocks);
    free(found->chains.bounds);
    free(found->boxes.boxes);
    free(found->may);
}

bool explore(const asked_t *asked, const ready_t *source, explored_t *found) {
    runs_t runs;
    bool done = seeds_find(asked, source, &runs) && find_chains(asked, source, &runs, &found->chains);
    free(runs.runs);
    done = done && matched_make(&found->matched, asked, source);
    if (done && !is_one_run(asked, &found->chains)) done = pair_align(&found->matched.pair, &found->boxes);
    found->may = done ? calloc((size_t)found->boxes.n + 1, sizeof *found->may) : NULL;
    if (!found->may) return false;
    for (int64_t at = 0; at < found->boxes.n; at++) {
        found->may[at] = is_passage(asked, source, &found->matched, &found->boxes.boxes[at]);
        found->any |= found->may[at];
    }
    found->any = found->any || !are_weak(asked, &found->matched.pair, &found->chains);
    return true;
}
