/* Plain texts straight from their files: what a load does for most files, with the interpreter's lock released. */

#ifndef PMBF_FILES_H
#define PMBF_FILES_H

#include "text_result.h"

enum { SHA256_HEX = 64 };

/* A file read and taken apart; all that was allocated is freed by `file_free`. */
typedef struct {
    uint8_t *bytes; /* the text, all the file holds */
    size_t size;
    char sha256[SHA256_HEX];
    result_t sample; /* without positions */
    uint8_t *record;
    size_t record_size;
} file_t;

/* Reads a regular file of at most `max_bytes` bytes that is clean text: UTF-8 without a byte order mark, without control
 * characters but those that end lines and pages and tabs. Returns TEXT_OK with the text, its sample and its record;
 * TEXT_NOT_UTF8 for any file that cannot be read, is larger, or not clean; TEXT_NO_MEMORY. */
int file_take(const table_t *table, const char *path, uint64_t max_bytes, const options_t *options, file_t *file);
void file_free(file_t *file);

/* Writes the SHA-256 of some bytes in hexadecimal digits, without an end. */
void sha256_hex(const uint8_t *bytes, size_t size, char *hex);

#endif
