/* Plain texts straight from their files: what a load does for most files, with the interpreter's lock released. */

#ifndef PMBF_FILES_H
#define PMBF_FILES_H

#include "../text/sampler.h"

/* A file that is read and taken apart. */
typedef struct {
    uint8_t *bytes; /* given: room for its text, and a byte more, of any value afterwards */
    size_t size;    /* given: of the text */
    size_t n_hashes, n_bounds, n_chars, n_tokens, record_size;
} file_t;

/* What is made of many files, end to end; all zero at first. */
typedef struct {
    sampler_t sampler;
    array_t numbers; /* uint32: the hashes and then the bounds of each file */
    array_t records;
} taken_t;

/* Reads a regular file that holds just so many bytes of clean text: UTF-8 without a byte order mark, without control
 * characters but those that end lines and pages and tabs. Returns TEXT_OK with what is made of it; TEXT_NOT_UTF8 for any file
 * that cannot be read, is larger or smaller, or not clean; TEXT_NO_MEMORY. */
int file_take(taken_t *taken, const table_t *table, const char *path, const options_t *options, file_t *file);
void taken_free(taken_t *taken);

/* Whether there is no byte order mark and no control character but U+0009 to U+000D. */
bool is_clean(const uint8_t *bytes, size_t size);

/* Whether bytes are clean text; the bytes of the longest run without spaces and controls; how often just one byte stands
 * between two of these. */
typedef struct {
    bool is_clean;
    size_t longest, n_apart;
} looks_t;

looks_t looks_of(const uint8_t *bytes, size_t size);

#endif
