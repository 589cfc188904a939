/* One file: its bytes, whether they are clean text, its sample. */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

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
