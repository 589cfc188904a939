/* How far two lists of symbols are apart. A symbol is a letter or the key of a word. */

#ifndef PMBF_ALIGN_DISTANCE_H
#define PMBF_ALIGN_DISTANCE_H

#include "align.h"

typedef struct {
    const uint64_t *symbols;
    int64_t n;
} list_t;

/* Returns the Levenshtein distance of two lists, or ALIGN_NO_MEMORY. */
int64_t edit_distance(list_t one, list_t other);
/* Returns the length of the longest common subsequence of two lists, or ALIGN_NO_MEMORY. */
int64_t common_length(list_t one, list_t other);

#endif
