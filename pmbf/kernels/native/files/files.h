/* Plain texts read from their files, as a load reads most files, with the interpreter's lock released. */

#pragma once

#include "../text/samples.h"

/* Reads a regular file that holds exactly `size` bytes of clean text: UTF-8 without a byte order mark, and without
 * control characters other than tabs and those that end lines and pages. There is room for the text and one byte more,
 * which may be overwritten. Returns TEXT_OK and adds the sample; TEXT_NOT_UTF8 if the file cannot be read, has another
 * size or is not clean; or TEXT_NO_MEMORY. */
int file_take(samples_t *samples, const table_t *table, const char *path, const options_t *options, uint8_t *bytes,
              size_t size);

/* Whether bytes are clean text; bytes of the longest run without spaces and controls; how often exactly one byte stands
 * between two of these. */
typedef struct {
    bool is_clean;
    size_t longest, n_apart;
} looks_t;

looks_t looks_of(const uint8_t *bytes, size_t size);
