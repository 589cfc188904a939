/* What is in a folder. */

#pragma once

#include "../text/result.h"

/* Kinds of entries, as in base/listing.py. */
enum { ENTRY_FILE, ENTRY_FOLDER, ENTRY_LINK, ENTRY_OTHER };

/* An entry: of a file its size and its time in nanoseconds; size -1 and the number of an error if it cannot be looked
 * at. */
typedef struct {
    int64_t kind, size, time;
} entry_t;

/* Adds the entries of a folder, and their names, each with a zero behind it. Returns 0, or the number of an error. The
 * caller frees both arrays. */
int folder_list(const char *path, array_t *entries, array_t *names);
