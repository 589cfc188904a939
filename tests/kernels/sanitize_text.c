/* Runs the text kernels under the sanitizers, on texts made up from pieces that are hard on them;
 * tools/sanitize_text.py builds it. Every text fills a block of its own, so that a byte read too far is seen; every
 * kernel must say the same on every instruction set; every allocation fails once. */

#include <stdio.h>
#include <time.h>

#include "../../pmbf/kernels/native/text/result.h"

table_t *pmbf_text_table(const uint32_t *, const uint32_t *, const uint8_t *, const uint32_t *, const uint8_t *, int);
void pmbf_text_table_free(table_t *);
int pmbf_text_level(const table_t *);

/* The kernels are compiled with these in the place of malloc, calloc and realloc. */
static long allocations_left = -1;

static bool fails(void) { return allocations_left >= 0 && allocations_left-- == 0; }
void *test_malloc(size_t size) { return fails() ? NULL : malloc(size); }
void *test_calloc(size_t n, size_t size) { return fails() ? NULL : calloc(n, size); }
void *test_realloc(void *old, size_t size) { return fails() ? NULL : realloc(old, size); }

static const char *const PIECES[] = {
    "the quick brown fox ", "Hyphen-\nated", "a-", "-\r\n", " \t", "\n", "x", "EXAMPLE, ",
    "1234567890", "internationalisation", "слово ", "превысокомногорассмотрительствующий", "а", "с",
    "о", "ёЙ", "αβγδ ", "ο", "Ω", "ֆոօ", "中", "文字", "，", "。", "々", "かな", "カタカナ", "ｶﾞ", "กำ",
    "เก่า ", "ကို", "ខ្មែរ", "क्षि", "বাংলা ", "가각힣", "\u1100", "\u1161", "\u11a8", "é", "e\u0301",
    "ß", "ﬁ", "½", "\ufdfa", "\u200b", "\u00ad", "\u2010", "\ufffe", "\u2028", "\u02bc", "😀", "𝐀",
    "\U0001f170", "\U00020000", "“q” — ", "\u023a", "aа", "kΩ", "\x02", "\u0e31", "\u0327",
};
enum { N_PIECES = sizeof PIECES / sizeof *PIECES, LEVELS = 3, MOST_BYTES = 70000 };

static uint64_t state = 0x9E3779B97F4A7C15u;

static uint64_t draw(uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

/* Fills at most `size` bytes, from a handful of pieces, and returns how many. */
static size_t draw_text(uint8_t *text, size_t size) {
    const char *chosen[8];
    size_t n = 0, n_chosen = 1 + draw(8);
    for (size_t i = 0; i < n_chosen; i++) chosen[i] = PIECES[draw(N_PIECES)];
    for (;;) {
        const char *piece = draw(40) ? chosen[draw(n_chosen)] : PIECES[draw(N_PIECES)];
        size_t length = strlen(piece);
        if (n + length > size) return n;
        memcpy(text + n, piece, length);
        n += length;
    }
}

/* Takes the result and returns a number that stands for all it says. */
static uint64_t digest(int status, result_t *result) {
    if (status != TEXT_OK) return (uint64_t)status;
    size_t size = 0;
    for (int part = 0; part < MOST_PARTS; part++) size += result->sizes[part];
    uint8_t *out = malloc(size + 1);
    uint64_t sum = result->n_chars ^ result->n_tokens << 12 ^ result->n_mixed << 24 ^ result->n_invisible << 36;
    result_take(result, out);
    for (size_t i = 0; i < size; i++) sum = (sum ^ out[i]) * 0x100000001B3u;
    free(out);
    return sum;
}

static uint64_t run(const table_t *table, const uint8_t *text, size_t size, const options_t *options) {
    result_t result;
    uint64_t sum = digest(text_sample(table, text, size, options, &result), &result);
    if (!options->positions) return sum;
    sum = sum * 31 + digest(text_fold(table, text, size, &result), &result);
    return sum * 31 + digest(text_tokenise(table, text, size, &result), &result);
}

static void *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) exit(2);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(size);
    if (!bytes || fread(bytes, 1, size, file) != size) exit(2);
    fclose(file);
    return bytes;
}

/* Each allocation fails in turn, until none is left to fail. */
static void starve(const table_t *table, const uint8_t *text, size_t size, const options_t *options) {
    for (long number = 0;; number++) {
        result_t result;
        allocations_left = number;
        int status = text_sample(table, text, size, options, &result);
        bool all_there = allocations_left >= 0;
        allocations_left = -1;
        digest(status, &result);
        if (all_there) return;
        if (status != TEXT_NO_MEMORY) exit(3);
    }
}

/* Usage: sanitize_text SECONDS ENTRIES EXPANSIONS SHAPE LETTERS SCRIPTS, the last five files. */
int main(int argc, char **argv) {
    if (argc != 7) return 2;
    void *arrays[5];
    for (int i = 0; i < 5; i++) arrays[i] = read_file(argv[2 + i]);
    table_t *tables[LEVELS];
    for (int level = 0; level < LEVELS; level++)
        tables[level] = pmbf_text_table(arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], level);
    uint8_t *draft = malloc(MOST_BYTES);
    size_t n_texts = 0;
    for (time_t end = time(NULL) + atol(argv[1]); time(NULL) < end; n_texts++) {
        size_t size = draw_text(draft, draw(20) ? draw(1200) : draw(MOST_BYTES));
        if (!draw(10) && size) draft[draw(size)] = (uint8_t)draw(256);
        uint8_t *text = malloc(size ? size : 1);
        memcpy(text, draft, size);
        double density = draw(2) ? 0.05 : 0.95;
        options_t options = {1 + draw(6), draw(6), 1 + draw(40), 10 + draw(3000), density, draw(2), draw(2), false,
                             draw(2), 32 + 8 * draw(5)};
        options.starts = options.positions && draw(2);
        uint64_t expected = run(tables[0], text, size, &options);
        for (int level = 1; level < LEVELS; level++)
            if (run(tables[level], text, size, &options) != expected) {
                printf("level %d differs on text %zu of %zu bytes\n", level, n_texts, size);
                return 1;
            }
        if (!draw(30)) starve(tables[draw(LEVELS)], text, size, &options);
        free(text);
    }
    printf("%zu texts, levels", n_texts);
    for (int level = 0; level < LEVELS; level++) {
        printf(" %d", pmbf_text_level(tables[level]));
        pmbf_text_table_free(tables[level]);
    }
    puts("");
    for (int i = 0; i < 5; i++) free(arrays[i]);
    free(draft);
    return 0;
}
