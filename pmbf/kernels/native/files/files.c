/* What bytes look like before they are decoded, in one pass over the bytes of each file that is checked; and one file: its bytes,
 * whether they are clean text, its sample. */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "../text/utf8.h"

enum { BLOCK = 64, SPACE = 0x20 };

static bool is_clean(const uint8_t *bytes, size_t size) {
    if (size >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3)) return false;
    uint8_t unclean = 0;
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = bytes[i];
        unclean |= (uint8_t)((byte < SPACE) & ((uint8_t)(byte - 9) > 4)) | (uint8_t)(byte == 0x7F);
    }
    return !unclean;
}

/* Returns which of up to 64 bytes are spaces or controls. */
static uint64_t spaces_of(const uint8_t *bytes, size_t size) {
    uint8_t block[BLOCK];
    if (size >= BLOCK) return mask_within(bytes, 0, SPACE);
    memset(block, 0xFF, sizeof block);
    memcpy(block, bytes, size);
    return mask_within(block, 0, SPACE);
}

looks_t looks_of(const uint8_t *bytes, size_t size) {
    size_t n_chars, start = 0;
    looks_t looks = {.is_clean = is_clean(bytes, size) && count_utf8_portable(bytes, size, &n_chars)};
    uint64_t before = 0; /* the spaces of the block before */
    for (size_t at = 0; at < size; at += BLOCK) {
        uint64_t spaces = spaces_of(bytes + at, size - at);
        looks.n_apart += count_bits(spaces & (spaces << 2 | before >> 62) & ~(spaces << 1 | before >> 63));
        before = spaces;
        for (; spaces; spaces &= spaces - 1) {
            size_t stop = at + (size_t)__builtin_ctzll(spaces);
            if (stop - start > looks.longest) looks.longest = stop - start;
            start = stop + 1;
        }
    }
    if (size > start && size - start > looks.longest) looks.longest = size - start;
    return looks;
}

/* Reads a file and returns whether it has exactly `size` bytes. One byte more is asked for: a file may have grown. */
static bool read_whole(int descriptor, uint8_t *bytes, size_t size) {
    size_t n = 0;
    ssize_t more;
    do {
        more = read(descriptor, bytes + n, size + 1 - n);
        if (more > 0) n += (size_t)more;
    } while ((more > 0 && n < size) || (more < 0 && errno == EINTR));
    return more >= 0 && n == size;
}

static bool read_file(const char *path, uint8_t *bytes, size_t size) {
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* opening a pipe does not wait */
    if (descriptor < 0) return false;
    bool whole = !fstat(descriptor, &status) && S_ISREG(status.st_mode) && (uint64_t)status.st_size == size &&
                 read_whole(descriptor, bytes, size);
    close(descriptor);
    return whole;
}

int file_take(samples_t *samples, const table_t *table, const char *path, const options_t *options, uint8_t *bytes,
              size_t size) {
    if (!read_file(path, bytes, size) || !is_clean(bytes, size)) return TEXT_NOT_UTF8;
    return samples_add(samples, table, bytes, size, options);
}
