/* What a word list is made of, for who writes it and who reads it: docs/text.md, section 6. */

#pragma once

#include <stdint.h>

enum { WORD_LETTERS = 4, NUMBERS_PER_WORD = 32, LIST_HEAD_BYTES = 8, FULL_GAP = 255 };

/* Returns the key of a pair of single letters by their mixed hashes. */
static inline uint32_t pair_key(uint64_t one, uint64_t other) { return (uint32_t)((one * 0x9E3779B97F4A7C15u + other) >> 32); }
