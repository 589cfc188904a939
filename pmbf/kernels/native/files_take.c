/* One file: its bytes, whether they are clean text, and what is stored of it. */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "records_write.h"

/* Reads up to `size` bytes; returns how many came, or -1. */
static ssize_t read_all(int descriptor, uint8_t *bytes, size_t size) {
    size_t n = 0;
    while (n < size) {
        ssize_t more = read(descriptor, bytes + n, size - n);
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) return -1;
        if (more == 0) break;
        n += (size_t)more;
    }
    return (ssize_t)n;
}

static int take_bytes(int descriptor, uint64_t max_bytes, file_t *file) {
    struct stat status;
    if (fstat(descriptor, &status) || !S_ISREG(status.st_mode) || (uint64_t)status.st_size > max_bytes)
        return TEXT_NOT_UTF8;
    file->size = (size_t)status.st_size;
    file->bytes = malloc(file->size + 1);
    if (!file->bytes) return TEXT_NO_MEMORY;
    /* A byte more than there should be: a file that has grown since is left alone. */
    return read_all(descriptor, file->bytes, file->size + 1) == (ssize_t)file->size ? TEXT_OK : TEXT_NOT_UTF8;
}

static int read_file(const char *path, uint64_t max_bytes, file_t *file) {
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* opening a pipe does not wait */
    if (descriptor < 0) return TEXT_NOT_UTF8;
    int status = take_bytes(descriptor, max_bytes, file);
    close(descriptor);
    return status;
}

/* Whether there is no byte order mark and no control character but U+0009 to U+000D. */
static bool is_clean(const uint8_t *bytes, size_t size) {
    if (size >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3)) return false;
    uint8_t unclean = 0;
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = bytes[i];
        unclean |= (uint8_t)((byte < 0x20) & ((uint8_t)(byte - 9) > 4)) | (uint8_t)(byte == 0x7F);
    }
    return !unclean;
}

static int make_record(file_t *file) {
    size_t n_hashes = file->sample.sizes[0] / 4, n_parts = file->sample.sizes[3] / 4 - 1;
    file->record = malloc(record_room(n_hashes, n_parts));
    if (!file->record) return TEXT_NO_MEMORY;
    file->record_size = record_write(file->sample.parts[0], file->sample.parts[3], (uint32_t)n_parts, file->record);
    return TEXT_OK;
}

int file_take(const table_t *table, const char *path, uint64_t max_bytes, const options_t *options, file_t *file) {
    int status = read_file(path, max_bytes, file);
    if (status == TEXT_OK && !is_clean(file->bytes, file->size)) status = TEXT_NOT_UTF8;
    if (status == TEXT_OK) status = text_sample(table, file->bytes, file->size, options, &file->sample);
    if (status == TEXT_OK) status = make_record(file);
    if (status == TEXT_OK)
        sha256_hex(file->bytes, file->size, file->sha256);
    else
        file_free(file);
    return status;
}

void file_free(file_t *file) {
    free(file->bytes);
    free(file->record);
    result_free(&file->sample);
    *file = (file_t){0};
}
