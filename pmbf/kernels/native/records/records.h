/* The functions that the kernels of files on disk share: checksums, and ascending hashes as gaps. */

#ifndef PMBF_RECORDS_H
#define PMBF_RECORDS_H

#include "../bits/bits.h"
#include "write.h"

/* Writes n ascending hashes as gaps; see gaps.c. */
int64_t encode_gaps(const uint32_t *hashes, size_t n, uint8_t *out);

/* Writes the n hashes whose gaps begin at `in`. Returns where the gaps end, or NULL if they go beyond `end`. */
const uint8_t *decode_gaps(const uint8_t *in, const uint8_t *end, size_t n, uint32_t *hashes);

/* Returns the instruction set in use: 0 plain, 1 AVX2 with carry-less products, 2 AVX-512. */
int bits_level(void);

#endif
