/* The classes and weights of a query and a text: the words of both are numbered together. Equal words have one number, as
 * have words that differ by one slip of the pen.
 *
 * The slips of a long word are its first letters with one left out, each in turn. Two words that share a slip differ by
 * a letter replaced, left out, put in or swapped with the next; rarely by two of these.
 *
 * The types of the text are in the order of the text; the tables of the query say which of its types have the same key
 * or a common slip. So the types of the text need no order and no tables. */

#include "asked.h"
#include "words.h"

/* The type of the source that a type of the query shares a slip with: of its first such slip the type with the least
 * key. */
typedef struct {
    int32_t slip;  /* number of the slip, N_SLIPS for none */
    int32_t other; /* the type of the source */
} nearest_t;

/* The work of one pair. */
typedef struct {
    const asked_t *asked;
    const ready_t *source;
    int32_t *ours, *theirs; /* classes of types */
    nearest_t *nearest;     /* of each type of the query */
    int32_t *similar;       /* for each type of the source the first type of the query with one of its slips, or -1 */
    int64_t n_classes;
} work_t;

/* Gives equal types one class, and each other type its own. A type of the query without an equal has the class -1. */
static void match_keys(work_t *work) {
    const asked_t *asked = work->asked;
    work->n_classes = asked->n_types;
    for (int64_t type = 0; type < asked->n_types; type++) work->ours[type] = -1;
    for (int64_t type = 0; type < work->source->head.n_types; type++) {
        int64_t equal = slots_find(&asked->keys, work->source->keys[type]);
        work->theirs[type] = (int32_t)(equal < 0 ? work->n_classes++ : equal);
        if (equal >= 0) work->ours[equal] = (int32_t)equal;
    }
}

/* Notes a slip that a type of the source has in common with the query: each type of the query that has it. */
static void note_slip(work_t *work, int64_t type, int64_t slip) {
    const uint64_t *keys = work->source->keys;
    for (; slip >= 0; slip = work->asked->next_slips[slip]) {
        nearest_t *nearest = &work->nearest[slip / N_SLIPS];
        int32_t number = (int32_t)(slip % N_SLIPS);
        if (number > nearest->slip || (number == nearest->slip && keys[nearest->other] <= keys[type])) continue;
        *nearest = (nearest_t){number, (int32_t)type};
    }
}

static void match_slips(work_t *work) {
    const asked_t *asked = work->asked;
    const ready_t *source = work->source;
    for (int64_t type = 0; type < asked->n_types; type++) work->nearest[type].slip = N_SLIPS;
    for (int64_t type = 0; type < source->head.n_types; type++) work->similar[type] = -1;
    for (int64_t one = 0; one < source->head.n_slipped; one++) {
        int32_t type = source->slipped[one];
        uint64_t names[N_SLIPS];
        words_slips(source->letters + N_SLIPS * one, names);
        for (const uint64_t *name = names; name < names + N_SLIPS; name++) {
            if (!*name || !sieve_has(asked->slip_sieve, *name)) continue;
            int64_t slip = slots_find(&asked->first_slips, *name);
            if (slip < 0) continue;
            if (work->similar[type] < 0) work->similar[type] = (int32_t)(slip / N_SLIPS);
            note_slip(work, type, slip);
        }
    }
}

/* Gives the types without an equal the class of a type that shares a slip with them. */
static void join_similar(work_t *work) {
    int64_t n_ours = work->asked->n_types;
    for (int64_t type = 0; type < n_ours; type++) {
        if (work->ours[type] >= 0) continue;
        bool has_other = work->nearest[type].slip < N_SLIPS;
        work->ours[type] = has_other ? work->theirs[work->nearest[type].other] : (int32_t)type;
    }
    for (int64_t type = 0; type < work->source->head.n_types; type++) {
        int32_t other = work->similar[type];
        if (work->theirs[type] < n_ours || other < 0) continue;
        if (work->ours[other] < n_ours) work->theirs[type] = work->ours[other];
    }
}

/* Writes the weights of all classes: those of the query's types, and of the source's other types, which are in the order
 * of the text. Only a type that both have is on a page of the query. Returns false if out of memory. */
static bool weigh_classes(const asked_t *asked, const ready_t *source, const int32_t *equals, int32_t *held, int32_t *rarities, int32_t *priors) {
    int64_t n_ours = asked->n_types, class = n_ours;
    for (int64_t type = 0; type < source->head.n_types; type++) {
        held[type] = source->n_holding[type] + (equals[type] < 0 ? 0 : asked->own_holding[equals[type]]);
        if (equals[type] >= 0) continue;
        rarities[class] = source->n_holding[type];
        priors[class++] = source->n_times[type];
    }
    int64_t n_like = counts_like(asked->counts, source->head.commonest, held, source->types, source->head.n);
    if (n_like < 0) return false;
    counts_weigh(asked->counts, n_like, class - n_ours, rarities + n_ours, priors + n_ours);
    if (!n_ours) return true;
    memcpy(rarities, asked->rarities, (size_t)n_ours * sizeof *rarities);
    memcpy(priors, asked->priors, (size_t)n_ours * sizeof *priors);
    return true;
}

/* Takes the weights from the classes that are not in use: their types have the class of another. */
static void clear_unused(const work_t *work, const int32_t *equals, int32_t *rarities, int32_t *priors) {
    int64_t class = work->asked->n_types;
    for (int64_t type = 0; type < work->source->head.n_types; type++) {
        if (equals[type] >= 0) continue;
        if (work->theirs[type] != class) rarities[class] = priors[class] = 0;
        class++;
    }
}

static void number_words(const int32_t *types, const int32_t *classes, int64_t n, int32_t *out) {
    for (int64_t word = 0; word < n; word++) out[word] = classes[types[word]];
}

/* Writes the weights of all classes from the counts of the two texts alone: `guessed` of reference_words.py has the rule.
 * Returns false if out of memory. */
static bool guess_classes(const asked_t *asked, const ready_t *source, const int32_t *equals, int32_t *rarities, int32_t *priors) {
    const guess_t *guess = asked->guess;
    int64_t n_ours = asked->n_types, n_theirs = source->head.n_types, class = n_ours;
    int32_t *n_holding = malloc((2 * (size_t)n_theirs + 1) * sizeof *n_holding), *n_times = n_holding + n_theirs;
    if (!n_holding) return false;
    int64_t n_pages = counts_pages(source->types, source->head.n, n_theirs, guess->guess_page_words, n_holding, n_times);
    for (int64_t type = 0; type < n_ours; type++) {
        rarities[type] = asked->own_holding[type];
        priors[type] = guess->n_times[type];
    }
    for (int64_t type = 0; n_pages >= 0 && type < n_theirs; type++) {
        if (equals[type] >= 0) { /* where one text is a copy of the other, one of them says nothing */
            rarities[equals[type]] += n_holding[type] - 1;
            priors[equals[type]] += n_times[type];
            continue;
        }
        rarities[class] = n_holding[type];
        priors[class++] = n_times[type];
    }
    free(n_holding);
    if (n_pages < 0) return false;
    const counts_t counts = {.logs = guess->logs,
                             .like_logs = guess->like_logs,
                             .n_pages = n_pages + guess->n_pages,
                             .n_words = source->head.n + guess->n_words,
                             .page_words = guess->page_words};
    counts_weigh(&counts, counts.n_pages, class, rarities, priors);
    return true;
}

bool matched_make(matched_t *matched, const asked_t *asked, const ready_t *source) {
    size_t n_ours = (size_t)asked->n_types, n_theirs = (size_t)source->head.n_types, n_all = n_ours + n_theirs;
    size_t n_words = (size_t)(asked->text.tokens.n + source->head.n);
    *matched = (matched_t){.memory = malloc((7 * n_all + n_words + 1) * sizeof(int32_t))};
    int32_t *at = matched->memory;
    if (!at) return false;
    int32_t *equals = at + 3 * n_all;
    work_t work = {asked, source, at, at + n_ours, (nearest_t *)(void *)(at + n_all), at + n_all + 2 * n_ours, 0};
    int32_t *rarities = at + 4 * n_all, *priors = at + 5 * n_all, *held = at + 6 * n_all, *numbers[2] = {at + 7 * n_all, at + 7 * n_all + asked->text.tokens.n};
    match_keys(&work);
    for (size_t type = 0; type < n_theirs; type++)
        equals[type] = work.theirs[type] < asked->n_types ? work.theirs[type] : -1;
    matched->equals = equals;
    match_slips(&work);
    join_similar(&work);
    if (!(asked->guess ? guess_classes(asked, source, equals, rarities, priors) : weigh_classes(asked, source, equals, held, rarities, priors)))
        return false;
    clear_unused(&work, equals, rarities, priors);
    number_words(asked->types, work.ours, asked->text.tokens.n, numbers[QUERY]);
    number_words(source->types, work.theirs, source->head.n, numbers[SOURCE]);
    matched->pair = (pair_t){.rules = asked->rules,
                             .sides = {{asked->text.tokens.n, numbers[QUERY], asked->borders, NULL},
                                       {source->head.n, numbers[SOURCE], source->borders, NULL}},
                             .n_classes = work.n_classes,
                             .rarities = rarities,
                             .priors = priors,
                             .tables = asked->tables,
                             .n_buckets = asked->n_buckets};
    return pair_set_up(&matched->pair);
}

void matched_free(matched_t *matched) {
    pair_free(&matched->pair);
    free(matched->memory);
}
