/* Builds the tables of the kernels from the shipped fold table. */

#include "murmur.h"
#include "pages.h"
#include "utf8.h"

/* Returns whether a code point is a conjoining jamo that may join the one before it: a vowel or a final. */
static bool is_joining(uint32_t code) {
    return (code >= 0x1161 && code <= 0x1175) || (code >= 0x11A8 && code <= 0x11C2);
}

static uint32_t ready_entry(uint32_t code, uint32_t entry) {
    uint8_t letter[4] = {0};
    uint32_t kind = entry_class(entry), ready = 0;
    if (is_joining(code) || entry & (ENTRY_EXPANSION | ENTRY_INVISIBLE | ENTRY_HYPHEN)) return READY_SPECIAL;
    if (kind == NOTHING) return 0;
    size_t width = utf8_write(letter, entry & ENTRY_CODE);
    if (width > 1u + (code >= 0x80) + (code >= 0x800)) return READY_SPECIAL;
    memcpy(&ready, letter, 3);
    ready |= (uint32_t)width << 24;
    return ready | (kind == SEPARATOR ? READY_GAP : kind == SINGLE ? READY_SINGLE : kind == WORD ? READY_WORD : 0);
}

/* Returns the hashes of single letters, or NULL if out of memory. */
static uint64_t *single_hashes(const uint32_t *ready) {
    uint64_t *hashes = calloc(0x10000, sizeof *hashes);
    for (uint32_t code = 0x800; hashes && code < 0x10000; code++) {
        uint8_t letter[3 + SLACK] = {0};
        if (ready[code] & READY_SINGLE) hashes[code] = murmur(letter, utf8_write(letter, code));
    }
    return hashes;
}

static const ops_t *best_ops(int level) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (level >= 2 && text_avx512_runs()) return &text_avx512;
    if (level >= 1 && text_avx2_runs()) return &text_avx2;
#endif
    (void)level;
    return &text_portable;
}

/* Returns a table that lives until `pmbf_text_table_free`, or NULL if out of memory. The arrays must outlive the table.
 * `level` is the best instruction set to use, if the processor has it: 0 portable, 1 AVX2, 2 AVX-512. */
EXPORT table_t *pmbf_text_table(const uint32_t *entries, const uint32_t *expansions, const uint8_t *shape,
                                const uint32_t *letters, const uint8_t *scripts, int level) {
    table_t *table = malloc(sizeof *table);
    uint32_t *ready = malloc(0x10000 * sizeof *ready);
    if (ready)
        for (uint32_t code = 0; code < 0x10000; code++) ready[code] = ready_entry(code, entries[code]);
    uint8_t *pages = ready ? pages_build(ready) : NULL;
    uint64_t *hashes = ready ? single_hashes(ready) : NULL;
    if (!table || !pages || !hashes) {
        free(table);
        free(ready);
        free(pages);
        free(hashes);
        return NULL;
    }
    *table = (table_t){entries, expansions, shape, letters, scripts, ready, hashes, pages, best_ops(level)};
    return table;
}

EXPORT void pmbf_text_table_free(table_t *table) {
    if (!table) return;
    free(table->ready);
    free(table->single_hashes);
    free(table->pages);
    free(table);
}

/* Returns the level of the table's kernels. */
EXPORT int pmbf_text_level(const table_t *table) {
#if defined(__x86_64__)
    if (table->ops == &text_avx512) return 2;
    if (table->ops == &text_avx2) return 1;
#endif
    (void)table;
    return 0;
}
