/* Distances, 64 rows of the matrix at once: Hyyrö 2003, A bit-vector algorithm for computing Levenshtein and Damerau edit
 * distances; Hyyrö 2004, Bit-parallel LCS-length computation revisited. A row of bits tells where a symbol stands in the
 * one list, the pattern. */

#include "judged.h"

#define TOP ((uint64_t)1 << 63)
enum { MOST_ROWS = 1 << 14 }; /* words of 64 bits in the rows of all symbols, if they are kept */

/* Where each symbol stands in the pattern: as rows of bits if these are few, else as lists of places. */
typedef struct {
    int64_t n_blocks, n_slots, n_symbols;
    uint64_t *names; /* of each slot */
    int32_t *slots;  /* the number of the symbol in each slot, -1 for none */
    int32_t *numbers, *firsts, *next; /* number of each place's symbol; first place of a symbol; next place, -1 for none */
    uint64_t *rows;
    uint64_t *row; /* of one symbol, all zero between two uses; NULL if all rows are kept */
    int64_t last;  /* the symbol in that row, -1 for none */
    void *memory;
} pattern_t;

static int64_t slot_of(const pattern_t *pattern, uint64_t symbol) {
    int64_t slot = (int64_t)((symbol * 0x9E3779B97F4A7C15u) >> 32 & (uint64_t)(pattern->n_slots - 1));
    while (pattern->slots[slot] >= 0 && pattern->names[slot] != symbol) slot = (slot + 1) & (pattern->n_slots - 1);
    return slot;
}

static void number_symbols(pattern_t *pattern, list_t list) {
    for (int64_t slot = 0; slot < pattern->n_slots; slot++) pattern->slots[slot] = -1;
    for (int64_t place = 0; place < list.n; place++) {
        int64_t slot = slot_of(pattern, list.symbols[place]);
        if (pattern->slots[slot] < 0) {
            pattern->names[slot] = list.symbols[place];
            pattern->slots[slot] = (int32_t)pattern->n_symbols;
            pattern->firsts[pattern->n_symbols++] = -1;
        }
        int32_t number = pattern->numbers[place] = pattern->slots[slot];
        pattern->next[place] = pattern->firsts[number];
        pattern->firsts[number] = (int32_t)place;
    }
}

static void pattern_free(pattern_t *pattern) {
    free(pattern->memory);
    free(pattern->rows);
}

static bool pattern_make(pattern_t *pattern, list_t list) {
    *pattern = (pattern_t){.n_blocks = (list.n + 63) / 64, .n_slots = 16, .last = -1};
    while (pattern->n_slots < 2 * list.n) pattern->n_slots *= 2;
    size_t n = (size_t)list.n, n_slots = (size_t)pattern->n_slots;
    pattern->memory = pattern->names = malloc(n_slots * 12 + n * 12);
    if (!pattern->memory) return false;
    pattern->slots = (int32_t *)(void *)(pattern->names + n_slots);
    pattern->numbers = pattern->slots + n_slots;
    pattern->firsts = pattern->numbers + n;
    pattern->next = pattern->firsts + n;
    number_symbols(pattern, list);
    bool kept = pattern->n_symbols * pattern->n_blocks <= MOST_ROWS;
    pattern->rows = calloc((size_t)((kept ? pattern->n_symbols : 0) + 1) * (size_t)pattern->n_blocks, sizeof *pattern->rows);
    if (!pattern->rows) return false;
    if (!kept) pattern->row = pattern->rows;
    for (int64_t place = 0; kept && place < list.n; place++)
        pattern->rows[pattern->numbers[place] * pattern->n_blocks + place / 64] |= (uint64_t)1 << place % 64;
    return true;
}

/* Writes or clears the bits of a symbol in the one row. */
static void turn_bits(const pattern_t *pattern, int64_t number) {
    for (int32_t place = number < 0 ? -1 : pattern->firsts[number]; place >= 0; place = pattern->next[place])
        pattern->row[place / 64] ^= (uint64_t)1 << place % 64;
}

/* Returns the row of a symbol, or NULL if the pattern does not have the symbol. */
static const uint64_t *row_of(pattern_t *pattern, uint64_t symbol) {
    int64_t number = pattern->slots[slot_of(pattern, symbol)];
    if (number < 0) return NULL;
    if (!pattern->row) return pattern->rows + number * pattern->n_blocks;
    turn_bits(pattern, pattern->last);
    turn_bits(pattern, number);
    pattern->last = number;
    return pattern->row;
}

/* Cuts what both lists begin and end with. Returns how many symbols that is. */
static int64_t cut_ends(list_t *one, list_t *other) {
    int64_t n = least(one->n, other->n), front = 0, back = 0;
    while (front < n && one->symbols[front] == other->symbols[front]) front++;
    while (back < n - front && one->symbols[one->n - 1 - back] == other->symbols[other->n - 1 - back]) back++;
    *one = (list_t){one->symbols + front, one->n - front - back};
    *other = (list_t){other->symbols + front, other->n - front - back};
    return front + back;
}

/* What a column of the matrix rises (`up`) and falls (`down`) by from row to row, one bit for each row. */
typedef struct {
    uint64_t up, down;
} column_t;

/* Returns by how much the last row of the next column is higher. */
static int64_t next_column(column_t *columns, const uint64_t *row, int64_t n_blocks, uint64_t last) {
    uint64_t rise = 1, fall = 0;
    for (int64_t block = 0; block < n_blocks; block++) {
        column_t column = columns[block];
        uint64_t equal = (row ? row[block] : 0) | fall, bit = block + 1 < n_blocks ? TOP : last;
        uint64_t same = (((equal & column.up) + column.up) ^ column.up) | equal | column.down;
        uint64_t higher = column.down | ~(same | column.up), lower = same & column.up;
        uint64_t risen = (higher & bit) != 0, fallen = (lower & bit) != 0;
        higher = higher << 1 | rise;
        columns[block] = (column_t){(lower << 1 | fall) | ~(same | higher), higher & same};
        rise = risen;
        fall = fallen;
    }
    return (int64_t)rise - (int64_t)fall;
}

int64_t edit_distance(list_t one, list_t other) {
    cut_ends(&one, &other);
    if (one.n < other.n) {
        list_t shorter = one;
        one = other;
        other = shorter;
    }
    if (!other.n) return one.n;
    pattern_t pattern;
    bool done = pattern_make(&pattern, one);
    column_t *columns = done ? malloc((size_t)pattern.n_blocks * sizeof *columns) : NULL;
    int64_t distance = columns ? one.n : ALIGN_NO_MEMORY;
    for (int64_t block = 0; columns && block < pattern.n_blocks; block++) columns[block] = (column_t){UINT64_MAX, 0};
    for (int64_t at = 0; columns && at < other.n; at++)
        distance += next_column(columns, row_of(&pattern, other.symbols[at]), pattern.n_blocks, (uint64_t)1 << (one.n - 1) % 64);
    free(columns);
    pattern_free(&pattern);
    return distance;
}

/* Moves the places where the longest common subsequence of the pattern and the other list's front grows: a zero each. */
static void grow(uint64_t *steps, const uint64_t *row, int64_t n_blocks) {
    uint64_t carry = 0;
    for (int64_t block = 0; block < n_blocks; block++) {
        uint64_t met = steps[block] & row[block], sum = steps[block] + met, more = sum < met;
        sum += carry;
        carry = more | (sum < carry);
        steps[block] = sum | (steps[block] & ~row[block]);
    }
}

int64_t common_length(list_t one, list_t other) {
    int64_t n = cut_ends(&one, &other);
    if (!one.n || !other.n) return n;
    pattern_t pattern;
    bool done = pattern_make(&pattern, one);
    uint64_t *steps = done ? malloc((size_t)pattern.n_blocks * sizeof *steps) : NULL;
    if (steps) {
        memset(steps, 0xFF, (size_t)pattern.n_blocks * sizeof *steps);
        for (int64_t at = 0; at < other.n; at++) {
            const uint64_t *row = row_of(&pattern, other.symbols[at]);
            if (row) grow(steps, row, pattern.n_blocks);
        }
        if (one.n % 64) steps[pattern.n_blocks - 1] |= UINT64_MAX << one.n % 64;
        for (int64_t block = 0; block < pattern.n_blocks; block++) n += __builtin_popcountll(~steps[block]);
    }
    if (!steps) n = ALIGN_NO_MEMORY;
    free(steps);
    pattern_free(&pattern);
    return n;
}
