/* A text made ready, from one fold: its tokens, its words with their counts and slips, the borders between them, and
 * its spelling. */

#include "ready.h"

#include "words.h"

/* A text on its way into a block. */
typedef struct {
    result_t parts; /* of `text_ready` */
    text_t text;
    int64_t n_types, n_slipped, n_spelled, commonest;
    int32_t *n_holding, *n_times, *slipped;
    uint32_t *codes; /* N_SLIPS letters of each type with slips */
    int64_t *offsets;
    uint8_t *spelling;
    void *memory;
} made_t;

/* Returns where n bytes begin in the memory, and moves the place behind them, to a multiple of 8. */
static void *next_part(uint8_t **at, size_t n) {
    void *part = *at;
    *at += (n + 7) / 8 * 8;
    return part;
}

/* Takes the memory for what follows from the tokens, and shares it out. */
static bool take_memory(made_t *made) {
    size_t n = (size_t)made->text.n, folded = (size_t)made->text.folded_size;
    uint8_t *at = made->memory = malloc(n * (2 * sizeof(uint64_t) + 5 * sizeof(int32_t) + 1) + folded + 128);
    if (!at) return false;
    made->text.keys = next_part(&at, n * sizeof(uint64_t));
    made->offsets = next_part(&at, (n + 1) * sizeof(int64_t));
    made->text.types = next_part(&at, n * sizeof(int32_t));
    made->text.firsts = next_part(&at, n * sizeof(uint32_t));
    made->n_holding = next_part(&at, n * sizeof(int32_t));
    made->n_times = next_part(&at, n * sizeof(int32_t));
    made->slipped = next_part(&at, n * sizeof(int32_t));
    made->text.borders = next_part(&at, n + 1);
    made->spelling = next_part(&at, folded);
    return true;
}

/* Returns one of two numbers: that of a text of words, or that of a text of single letters. */
static int64_t commonest_of(const text_t *text, const int64_t *commonest) {
    int64_t n_singles = 0;
    for (int64_t token = 0; token < text->n; token++) n_singles += text->singles[token];
    return commonest[2 * n_singles > text->n];
}

static bool find_slips(made_t *made) {
    made->codes = malloc(((size_t)made->n_types * N_SLIPS + 1) * sizeof *made->codes);
    if (!made->codes) return false;
    for (int64_t type = 0; type < made->n_types; type++)
        if (words_letters(&made->text, type, made->codes + N_SLIPS * made->n_slipped)) made->slipped[made->n_slipped++] = (int32_t)type;
    return true;
}

/* Returns whether two bytes are enough for each place, type and letter. */
static bool is_narrow(const made_t *made) {
    uint8_t highest = 0; /* from 0xF0 on a byte begins a letter of more than two */
    for (int64_t at = 0; at < made->n_spelled; at++) highest = made->spelling[at] > highest ? made->spelling[at] : highest;
    return made->parts.n_chars <= UINT16_MAX && made->offsets[made->text.n] <= UINT16_MAX && highest < 0xF0;
}

/* Returns TEXT_OK, TEXT_NO_MEMORY or TEXT_NOT_UTF8. */
static int make(made_t *made, const table_t *table, const counts_t *others, const int64_t *commonest, const uint8_t *utf8, size_t size) {
    int status = text_ready(table, utf8, size, &made->parts);
    if (status != TEXT_OK) {
        made->parts = (result_t){.n_chars = 0};
        return status;
    }
    made->text = words_text(utf8, size, &made->parts);
    if (!take_memory(made)) return TEXT_NO_MEMORY;
    made->n_types = words_find(&made->text);
    if (made->n_types < 0 || !find_slips(made)) return TEXT_NO_MEMORY;
    counts_find(others->slots, others->n_slots, made->text.keys, made->n_types, made->n_holding, made->n_times);
    made->commonest = commonest_of(&made->text, commonest);
    made->n_spelled = words_spell(&made->text, made->spelling, made->offsets);
    return TEXT_OK;
}

static const void *part(const uint8_t **at, int64_t size) {
    const uint8_t *begin = *at;
    *at += size;
    return begin;
}

/* Returns the next n elements, in four bytes each; `room` is moved behind what they take there. */
static const void *widened(const uint8_t **at, int64_t width, int64_t n, uint32_t **room) {
    const uint16_t *from = part(at, width * n);
    uint32_t *wide = *room;
    if (width == 4) return from;
    for (int64_t i = 0; i < n; i++) wide[i] = from[i];
    *room += n;
    return wide;
}

bool ready_open(const uint8_t *block, ready_t *ready) {
    *ready = (ready_t){.memory = NULL};
    memcpy(&ready->head, block, sizeof ready->head);
    const uint8_t *at = block + sizeof ready->head;
    int64_t n = ready->head.n, n_types = ready->head.n_types, n_slipped = ready->head.n_slipped, width = ready->head.width;
    uint32_t *room = ready->memory = malloc(((size_t)(3 * n + (N_SLIPS + 1) * n_slipped) + 1) * sizeof *room);
    if (!room) return false;
    ready->hashes = part(&at, 8 * n);
    ready->keys = part(&at, 8 * n_types);
    ready->n_holding = part(&at, 4 * n_types);
    ready->n_times = part(&at, 4 * n_types);
    ready->starts = widened(&at, width, n, &room);
    ready->stops = widened(&at, width, n, &room);
    ready->types = widened(&at, width, n, &room);
    ready->slipped = widened(&at, width, n_slipped, &room);
    ready->letters = widened(&at, width, N_SLIPS * n_slipped, &room);
    ready->offsets = part(&at, width * (n + 1));
    ready->singles = part(&at, n);
    ready->borders = part(&at, n + 1);
    ready->spelling = at;
    return true;
}

void ready_close(ready_t *ready) { free(ready->memory); }

int64_t ready_offset(const ready_t *ready, int64_t token) {
    const uint16_t *narrow = ready->offsets;
    const uint32_t *wide = ready->offsets;
    return ready->head.width == 2 ? narrow[token] : wide[token];
}

void ready_spelled(const ready_t *ready, int64_t *offsets, uint64_t *keys) {
    int64_t n = ready->head.n;
    for (int64_t token = 0; token <= n; token++) offsets[token] = ready_offset(ready, token);
    for (int64_t token = 0; token < n; token++) keys[token] = ready->keys[ready->types[token]];
}

void ready_letters(const ready_t *ready, int64_t n, uint32_t *letters) {
    const uint8_t *at = ready->spelling;
    for (int64_t letter = 0; letter < n; letter++) {
        uint32_t first = *at++, code = first;
        int n_more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
        if (n_more) code = first & (0x3Fu >> n_more);
        while (n_more--) code = code << 6 | (*at++ & 0x3Fu);
        letters[letter] = code;
    }
}

static void pack(uint8_t **at, const void *from, int64_t size) {
    if (size > 0) memcpy(*at, from, (size_t)size);
    *at += size;
}

/* Packs n elements of four bytes into elements of `width` bytes. */
static void pack_narrow(uint8_t **at, int64_t width, const void *from, int64_t n) {
    const uint32_t *wide = from;
    uint16_t *to = (void *)*at;
    if (width == 4) {
        pack(at, from, 4 * n);
        return;
    }
    for (int64_t i = 0; i < n; i++) to[i] = (uint16_t)wide[i];
    *at += 2 * n;
}

/* Packs a text into a block of malloc's memory. Returns the size of the block, or TEXT_NO_MEMORY. */
static int64_t packed(const made_t *made, void **block) {
    const text_t *text = &made->text;
    const result_t *parts = &made->parts;
    int64_t n = text->n, n_types = made->n_types, n_slipped = made->n_slipped, width = is_narrow(made) ? 2 : 4;
    const head_t head = {n, n_types, n_slipped, made->n_spelled, made->commonest, (int64_t)parts->n_chars, (int64_t)parts->n_mixed,
                         (int64_t)parts->n_invisible, width};
    int64_t size = (int64_t)sizeof head + 8 * (n + 2 * n_types) + width * (4 * n + 1 + (N_SLIPS + 1) * n_slipped) + 2 * n + 1 + made->n_spelled;
    uint8_t *begin = *block = malloc((size_t)size), *at = begin;
    if (!begin) return TEXT_NO_MEMORY;
    pack(&at, &head, sizeof head);
    pack(&at, parts->parts[READY_HASHES], 8 * n);
    pack(&at, text->keys, 8 * n_types);
    pack(&at, made->n_holding, 4 * n_types);
    pack(&at, made->n_times, 4 * n_types);
    pack_narrow(&at, width, text->starts, n);
    pack_narrow(&at, width, text->stops, n);
    pack_narrow(&at, width, text->types, n);
    pack_narrow(&at, width, made->slipped, n_slipped);
    pack_narrow(&at, width, made->codes, N_SLIPS * n_slipped);
    for (int64_t token = 0; token <= n; token++) {
        uint32_t offset = (uint32_t)made->offsets[token];
        pack_narrow(&at, width, &offset, 1);
    }
    pack(&at, text->singles, n);
    pack(&at, text->borders, n + 1);
    pack(&at, made->spelling, made->n_spelled);
    return at - begin;
}

int64_t ready_make(const table_t *table, const counts_t *others, const int64_t *commonest, const uint8_t *utf8, int64_t size,
                   void **block) {
    made_t made = {.n_types = 0};
    *block = NULL;
    int64_t status = make(&made, table, others, commonest, utf8, (size_t)size);
    if (status == TEXT_OK) status = packed(&made, block);
    result_free(&made.parts);
    free(made.memory);
    free(made.codes);
    return status;
}
