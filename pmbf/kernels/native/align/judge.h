/* The judging of a pair: from chains of equal runs and alignments to passages. */

#ifndef PMBF_ALIGN_JUDGE_H
#define PMBF_ALIGN_JUDGE_H

#include "judged.h"

/* Writes the passages into a block of malloc's memory. The alignments are put in order. Returns the number of
 * passages, or ALIGN_NO_MEMORY. */
int64_t judge(judged_t *judged, found_t *found, line_t **lines);

#endif
