/* Chunk IDs: the hashes of all ordered shingles of a text, of which none is left out or weighed by its script;
 * docs/text.md, section 5; reference_text.py. */

#include "chunk.h"
#include "murmur.h"
#include "result.h"
#include "select.h"
#include "shingles.h"

/* The IDs of many texts, in the same memory. */
typedef struct {
    const table_t *table;
    size_t n_words;
    uint32_t shift; /* bits of a hash of 32 bits that an ID lacks */
    chunk_t chunk;
    array_t values, singles; /* uint64, uint8: tokens whose shingles are not made yet */
    array_t hashes;          /* uint32: the text's shingles */
    select_t select;
} chunks_t;

static void chunks_free(chunks_t *chunks) {
    free(chunks->values.bytes);
    free(chunks->singles.bytes);
    free(chunks->hashes.bytes);
    select_free(&chunks->select);
    chunk_free(&chunks->chunk);
}

/* Takes the tokens of the chunk of text. */
static bool take_tokens(chunks_t *chunks) {
    const size_t n = chunks->chunk.n_tokens;
    uint64_t *values = array_room(&chunks->values, (n + 1) * sizeof *values);
    uint8_t *singles = array_room(&chunks->singles, n + 1);
    if (!values || !singles || !chunk_hashes(&chunks->chunk, values)) return false;
    values[n] = 0; /* shingles may read one value past the last */
    if (chunks->chunk.fold.has_singles) memcpy(singles, chunks->chunk.tokens.singles, n);
    else memset(singles, 0, n);
    chunks->values.size += n * sizeof *values;
    chunks->singles.size += n;
    return true;
}

/* Returns the 32 upper bits of the hash of a shingle of some tokens. */
static uint32_t upper_hash(const uint64_t *values, size_t n) {
    return (uint32_t)(fmix64(window_sum(values, n, SHINGLE_STEP) + n * SHINGLE_LENGTH) >> 32);
}

/* Makes the shingles whose tokens are all there. The kernel weighs those at single letters, so they are made again. */
static bool make_shingles(chunks_t *chunks) {
    const size_t n_values = chunks->values.size / sizeof(uint64_t), lag = 2 * chunks->n_words - 1;
    if (n_values <= lag) return true;
    const size_t n = n_values - lag;
    const uint64_t *values = (const uint64_t *)chunks->values.bytes;
    const uint8_t *singles = chunks->singles.bytes;
    uint32_t *hashes = array_room(&chunks->hashes, n * sizeof *hashes);
    if (!hashes) return false;
    const shape_t shape = {chunks->n_words, SHINGLE_STEP, false};
    chunks->table->ops->shingles(values, singles, n, &shape, hashes);
    if (memchr(singles, 1, n))
        for (size_t i = 0; i < n; i++)
            if (singles[i]) hashes[i] = upper_hash(values + i, 2 * chunks->n_words);
    chunks->hashes.size += n * sizeof *hashes;
    array_drop(&chunks->values, n * sizeof *values);
    array_drop(&chunks->singles, n);
    return true;
}

/* Makes the last shingles, since some tokens at the end begin none. A text without shingles is one. */
static bool make_last_shingles(chunks_t *chunks) {
    const uint64_t *values = (const uint64_t *)chunks->values.bytes;
    const size_t n = chunks->values.size / sizeof *values;
    uint32_t *hashes = array_room(&chunks->hashes, (n + 1) * sizeof *hashes);
    if (!hashes) return false;
    size_t n_made = 0;
    for (size_t at = 0; at < n; at++) {
        const size_t length = chunks->n_words << chunks->singles.bytes[at];
        if (length <= n - at) hashes[n_made++] = upper_hash(values + at, length);
    }
    if (n && !n_made && !chunks->hashes.size) hashes[n_made++] = upper_hash(values, n);
    chunks->hashes.size += n_made * sizeof *hashes;
    return true;
}

/* Appends the distinct IDs of the text to `ids`, ascending. */
static bool append_ids(chunks_t *chunks, array_t *ids) {
    uint32_t *hashes = (uint32_t *)(void *)chunks->hashes.bytes;
    const size_t n = chunks->hashes.size / sizeof *hashes;
    uint32_t *out = array_room(ids, n * sizeof *out + 1);
    if (!out) return false;
    for (size_t i = 0; i < n; i++) hashes[i] >>= chunks->shift;
    const ptrdiff_t n_ids = select_smallest(&chunks->select, chunks->table->ops, hashes, n, n);
    for (ptrdiff_t i = 0; i < n_ids; i++) out[i] = (uint32_t)(chunks->select.sorted[i] >> 32);
    ids->size += n_ids < 0 ? 0 : (size_t)n_ids * sizeof *out;
    return n_ids >= 0;
}

static int take_text(chunks_t *chunks, const uint8_t *text, size_t size, array_t *ids) {
    size_t n_chars;
    int more;
    if (!chunks->table->ops->count_utf8(text, size, &n_chars)) return TEXT_NOT_UTF8;
    chunks->values.size = chunks->singles.size = chunks->hashes.size = 0;
    if (!chunk_start(&chunks->chunk, chunks->table, text, size, false)) return TEXT_NO_MEMORY;
    while ((more = chunk_next(&chunks->chunk, NULL)) == 1)
        if (!take_tokens(chunks) || !make_shingles(chunks)) return TEXT_NO_MEMORY;
    return more == 0 && make_last_shingles(chunks) && append_ids(chunks, ids) ? TEXT_OK : TEXT_NO_MEMORY;
}

/* Makes the IDs of n texts, with `bits` bits. Writes where the IDs of each text begin and the last end, and the IDs,
 * which `pmbf_free` frees. Returns n, the number of the first text that is not UTF-8, or TEXT_NO_MEMORY. */
EXPORT int64_t pmbf_chunk_lists(const table_t *table, const uint8_t *const *texts, const uint64_t *sizes, size_t n,
                                size_t n_words, uint32_t bits, uint64_t *offsets, uint32_t **features) {
    chunks_t chunks = {.table = table, .n_words = n_words, .shift = 32 - bits};
    array_t ids = {0};
    size_t i = 0;
    int status = TEXT_OK;
    for (offsets[0] = 0; i < n; i++) {
        status = take_text(&chunks, texts[i], sizes[i], &ids);
        if (status != TEXT_OK) break;
        offsets[i + 1] = ids.size / sizeof **features;
    }
    chunks_free(&chunks);
    *features = (uint32_t *)(void *)ids.bytes;
    return status == TEXT_NO_MEMORY ? TEXT_NO_MEMORY : (int64_t)i;
}
