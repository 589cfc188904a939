/* One file: its bytes, whether they are clean text, its sample and its record. */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "../records/write.h"

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

/* Adds the sample of a text, and its record. Returns false if out of memory. */
static bool keep(taken_t *taken, file_t *file) {
    const array_t *hashes = &taken->sampler.kept, *bounds = &taken->sampler.bounds;
    size_t n_parts = bounds->size / 4 - 1;
    uint8_t *numbers = array_room(&taken->numbers, hashes->size + bounds->size);
    uint8_t *record = array_room(&taken->records, record_room(hashes->size / 4, n_parts));
    if (!numbers || !record) return false;
    if (hashes->size) memcpy(numbers, hashes->bytes, hashes->size);
    memcpy(numbers + hashes->size, bounds->bytes, bounds->size);
    file->record_size = record_write((const uint32_t *)numbers, (const uint32_t *)bounds->bytes, (uint32_t)n_parts, record);
    file->n_hashes = hashes->size / 4;
    file->n_bounds = bounds->size / 4;
    taken->numbers.size += hashes->size + bounds->size;
    taken->records.size += file->record_size;
    return true;
}

int file_take(taken_t *taken, const table_t *table, const char *path, const options_t *options, file_t *file) {
    if (!read_file(path, file->bytes, file->size) || !is_clean(file->bytes, file->size)) return TEXT_NOT_UTF8;
    int status = sampler_take(&taken->sampler, table, file->bytes, file->size, options);
    if (status != TEXT_OK) return status;
    if (!keep(taken, file)) return TEXT_NO_MEMORY;
    file->n_chars = taken->sampler.n_chars;
    file->n_tokens = taken->sampler.cuts.n_tokens;
    return TEXT_OK;
}

void taken_free(taken_t *taken) {
    sampler_free(&taken->sampler);
    free(taken->numbers.bytes);
    free(taken->records.bytes);
}
