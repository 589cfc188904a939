/* Sentences end at the borders of docs/alignment.md. Short words do not count, and neither do short sentences. The hash of
 * a sentence is the CRC-32 of the hashes of its words, or of their stems. */

#include "sentences.h"

#include "../align/words.h"
#include "../records/records.h"
#include "../text/murmur.h"
#include "../text/utf8.h"

enum { SHORT_LETTERS = 3, LEAST_WEIGHT = 8 };                      /* a word weighs 2, a single letter 1 */

typedef struct {
    result_t parts; /* of `text_ready` */
    text_t text;
    uint8_t *padded; /* the text, and the bytes that murmur reads behind it */
    uint64_t *words; /* of the open sentence, the hashes that count */
    const stems_t *stems;
    sentences_t *out;
} work_t;

/* Returns whether a word has one or two letters. One letter of three bytes or more (Hangul, Devanagari) says enough. */
static bool is_short(const text_t *text, size_t token) {
    const range_t letters = text->letters[token];
    const size_t size = letters.stop - letters.start;
    size_t n = 0;
    if (size >= 3 * SHORT_LETTERS) return false;
    for (uint32_t at = letters.start; at < letters.stop; at++) n += !is_tail(text->folded[at]);
    return n < SHORT_LETTERS && size < 3 * n;
}

/* Writes the hash of a word's stem. If the table lacks the word, then the word is noted, and the answer is false. */
static bool stem_of(work_t *work, size_t token, uint64_t *stem) {
    const stems_t *stems = work->stems;
    const range_t bytes = work->text.bytes[token];
    uint64_t key = murmur(work->padded + bytes.start, bytes.stop - bytes.start);
    key += !key;
    size_t slot = key * stems->factor >> (64 - __builtin_ctzll(stems->n_slots));
    for (; stems->slots[2 * slot]; slot = (slot + 1) & (stems->n_slots - 1))
        if (stems->slots[2 * slot] == key) return *stem = stems->slots[2 * slot + 1], true;
    work->out->unknown[work->out->n_unknown++] = (unknown_t){key, bytes.start, bytes.stop};
    return false;
}

static void close_sentence(work_t *work, size_t first, size_t stop, size_t n_words, size_t weight) {
    if (weight < LEAST_WEIGHT) return;
    const uint32_t hash = checksum((const uint8_t *)work->words, 8 * n_words);
    work->out->found[work->out->n++] = (sentence_t){hash, work->text.starts[first], work->text.stops[stop - 1]};
}

static void find(work_t *work) {
    const text_t *text = &work->text;
    const uint64_t *hashes = work->parts.parts[READY_HASHES];
    const size_t n = (size_t)text->n;
    size_t first = 0, n_words = 0, weight = 0;
    for (size_t token = 0; token < n; token++) {
        if (words_sentence_begins(text, token)) {
            close_sentence(work, first, token, n_words, weight);
            first = token, n_words = weight = 0;
        }
        const bool single = text->singles[token];
        if (!single && is_short(text, token)) continue;
        uint64_t hash = hashes[token];
        if (work->stems->slots && !single) stem_of(work, token, &hash);
        work->words[n_words++] = hash;
        weight += single ? 1 : 2;
    }
    close_sentence(work, first, n, n_words, weight);
    if (work->out->n_unknown) work->out->n = 0;
}

/* Takes the memory for what is found. No more sentences weigh enough than a fourth of the words. */
static bool take_memory(work_t *work, const uint8_t *utf8, size_t size) {
    const size_t n = (size_t)work->text.n;
    work->text.borders = malloc(n + 1);
    work->words = malloc((n + 1) * sizeof *work->words);
    work->out->found = malloc((n / 4 + 1) * sizeof *work->out->found);
    if (!work->text.borders || !work->words || !work->out->found) return false;
    if (!work->stems->slots) return true;
    work->out->unknown = malloc((n + 1) * sizeof *work->out->unknown);
    work->padded = malloc(size + 16);
    if (!work->out->unknown || !work->padded) return false;
    memcpy(work->padded, utf8, size);
    memset(work->padded + size, 0, 16);
    return true;
}

int sentences_find(const table_t *table, const uint8_t *utf8, size_t size, const stems_t *stems, sentences_t *found) {
    work_t work = {.stems = stems, .out = found};
    int status = text_ready(table, utf8, size, &work.parts);
    *found = (sentences_t){.n = 0};
    if (status != TEXT_OK) return status;
    work.text = words_text(utf8, size, &work.parts);
    found->n_chars = work.parts.n_chars;
    if (take_memory(&work, utf8, size)) {
        words_borders(&work.text);
        find(&work);
    } else {
        status = TEXT_NO_MEMORY;
        sentences_free(found);
    }
    free(work.text.borders), free(work.words), free(work.padded);
    result_free(&work.parts);
    return status;
}

void sentences_free(sentences_t *found) {
    free(found->found), free(found->unknown);
    *found = (sentences_t){.n = 0};
}
