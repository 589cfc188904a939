/* The rows of the filter: which segments may have a hash. A row that was given a hash has all its bits set, so what has a
 * zero there is not asked. The rows of up to 512 segments lie side by side: a hash costs k lines for all of them. The k
 * lines of a hash are in one block of 512: of one row, a line of the cache. */

#include "postings.h"

enum { AHEAD = 8, BLOCK_BITS = 9 };

INLINE uint64_t mix_of(const tile_t *tile, uint64_t hash) { return mixed((uint32_t)(hash >> tile->n_cut)); }

/* Returns the first line of the block of a mixed hash. */
INLINE uint64_t block_of(uint64_t mix, uint64_t n_lines) { return (mix >> 32) * (n_lines >> BLOCK_BITS) >> 32 << BLOCK_BITS; }

/* Returns line j of a mixed hash, j < 3. */
INLINE uint64_t line_of(uint64_t mix, uint32_t j, uint64_t n_lines) {
    return block_of(mix, n_lines) | low_bits(mix >> j * BLOCK_BITS, BLOCK_BITS);
}

/* Returns 64 bits of a line, or the fewer that rows are left. */
INLINE uint64_t bits_of(const tile_t *tile, uint64_t line, uint64_t word) {
    const uint64_t at = line * tile->line_bits + WORD_BITS * word, n = tile->n_rows - WORD_BITS * word;
    uint64_t bits;
    memcpy(&bits, tile->bits + at / 8, sizeof bits);
    bits >>= at % 8;
    return n < WORD_BITS ? low_bits(bits, n) : bits;
}

INLINE void fetch(const tile_t *tile, uint64_t hash) {
    const uint64_t mix = mix_of(tile, hash);
    for (uint32_t j = 0; j < tile->k; j++) __builtin_prefetch(tile->bits + line_of(mix, j, tile->n_lines) * tile->line_bits / 8);
}

static int add(found_lists_t *found, uint32_t hash, uint32_t of) {
    if (of == NO_OWNER) return 0;
    if (found->n == found->room) {
        const uint64_t room = 2 * found->room + 1024;
        found_t *more = realloc(found->lists, room * sizeof *more);
        if (!more) return PMBF_NO_MEMORY;
        found->lists = more, found->room = room;
    }
    found->lists[found->n++] = (found_t){hash, of, 0, 0};
    return 0;
}

/* Adds those segments of a tile that may have a hash. Returns 0 or an error. */
static int add_passed(const tile_t *tile, uint64_t hash, uint32_t number, found_lists_t *found) {
    const uint64_t mix = mix_of(tile, hash);
    for (uint32_t j = 0; tile->pages.file && j < tile->k; j++) {
        const uint64_t at = line_of(mix, j, tile->n_lines) * tile->line_bits;
        if (check_pages(&tile->pages, tile->bits + at / 8, (at % 8 + tile->line_bits + 7) / 8)) return PMBF_REFUSED;
    }
    for (uint64_t word = 0; WORD_BITS * word < tile->n_rows; word++) {
        uint64_t bits = bits_of(tile, line_of(mix, 0, tile->n_lines), word);
        for (uint32_t j = 1; bits && j < tile->k; j++) bits &= bits_of(tile, line_of(mix, j, tile->n_lines), word);
        for (; bits; bits &= bits - 1) {
            const uint64_t row = WORD_BITS * word + (uint64_t)__builtin_ctzll(bits);
            const int status = add(found, number, tile->owners[row]);
            if (status) return status;
        }
    }
    return 0;
}

int64_t find_segments(const segments_t *segments, const uint64_t *hashes, size_t n, found_lists_t *found) {
    const tile_t *tiles = segments->tiles;
    int status = 0;
    found->n = 0;
    for (size_t i = 0; i < n + AHEAD && !status; i++)
        for (uint64_t t = 0; t < segments->n_tiles && !status; t++) {
            if (tiles[t].bits && i < n) fetch(&tiles[t], hashes[i]);
            if (i < AHEAD) continue;
            const uint32_t number = (uint32_t)(i - AHEAD);
            if (tiles[t].bits) status = add_passed(&tiles[t], hashes[number], number, found);
            else
                for (uint64_t row = 0; row < tiles[t].n_rows && !status; row++) status = add(found, number, tiles[t].owners[row]);
        }
    return status;
}

/* Writes hash << 32 | segment, by their numbers, of each segment that may have one of n hashes, ascending by hash, to
 * `keys`, in malloc's memory. Returns how many there are, PMBF_NO_MEMORY, or PMBF_REFUSED for a damaged filter. */
EXPORT int64_t pmbf_segments_having(const segments_t *segments, const uint64_t *hashes, size_t n, void **keys) {
    found_lists_t found = {NULL, 0, 0};
    const int64_t status = find_segments(segments, hashes, n, &found);
    uint64_t *out = malloc((found.n + 1) * sizeof *out);
    for (uint64_t i = 0; out && i < found.n; i++) out[i] = (uint64_t)found.lists[i].hash << 32 | found.lists[i].of;
    free(found.lists);
    *keys = out;
    return status ? status : out ? (int64_t)found.n : PMBF_NO_MEMORY;
}

/* A part of a row that is filled, from bit `first` on. Hashes wait until their blocks are fetched. */
typedef struct {
    uint64_t *row, n_bits, first;
    uint32_t k, n_waiting;
    uint64_t waiting[2 * AHEAD];
} filling_t;

static void fill_waiting(filling_t *filling) {
    for (uint32_t i = 0; i < filling->n_waiting; i++)
        for (uint32_t j = 0; j < filling->k; j++) {
            const uint64_t at = line_of(filling->waiting[i], j, filling->n_bits);
            filling->row[(at - filling->first) / WORD_BITS] |= UINT64_C(1) << (at - filling->first) % WORD_BITS;
        }
    filling->n_waiting = 0;
}

/* Sets the k bits of each hash of postings that are checked in a row of n_bits; only those from `first` on, below `stop`.
 * Bit `first` is the first of `row`. `n_cut` is as in tile_t. Returns 0, or PMBF_REFUSED for damaged postings. */
EXPORT int64_t pmbf_fill_row(const postings_t *from, uint64_t n_bits, uint32_t k, uint32_t n_cut, uint64_t first, uint64_t stop, uint64_t *row) {
    filling_t filling = {row, n_bits, first, k, 0, {0}};
    cursor_t cursor;
    list_t list;
    for (uint64_t bucket = 0; bucket < from->n_buckets; bucket++) {
        if (cursor_begin(&cursor, from, bucket)) return PMBF_REFUSED;
        for (int more; (more = cursor_next(&cursor, &list));) {
            if (more < 0) return more;
            const uint64_t mix = mixed((uint32_t)(list.hash >> n_cut)), block = block_of(mix, n_bits);
            if (block < first || block >= stop) continue;
            __builtin_prefetch(row + (block - first) / WORD_BITS, 1);
            filling.waiting[filling.n_waiting++] = mix;
            if (filling.n_waiting == 2 * AHEAD) fill_waiting(&filling);
        }
    }
    fill_waiting(&filling);
    return 0;
}
