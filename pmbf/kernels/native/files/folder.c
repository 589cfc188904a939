/* What is in a folder: each name with its kind, and of files the size and the time. */

#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "folder.h"

#ifdef __APPLE__
#define st_mtim st_mtimespec
#endif

enum { NANOSECONDS = 1000000000 };

static int kind_of(mode_t mode) {
    return S_ISREG(mode) ? ENTRY_FILE : S_ISDIR(mode) ? ENTRY_FOLDER : S_ISLNK(mode) ? ENTRY_LINK : ENTRY_OTHER;
}

/* Looks at an entry whose kind the folder tells, or not. */
static entry_t look_at(int folder, const struct dirent *one) {
    struct stat status;
    entry_t entry = {.kind = one->d_type == DT_DIR ? ENTRY_FOLDER : one->d_type == DT_LNK ? ENTRY_LINK : ENTRY_OTHER};
    if (one->d_type != DT_REG && one->d_type != DT_UNKNOWN) return entry;
    if (fstatat(folder, one->d_name, &status, AT_SYMLINK_NOFOLLOW))
        return (entry_t){.kind = one->d_type == DT_REG ? ENTRY_FILE : ENTRY_OTHER, .size = -1, .time = errno};
    entry.kind = one->d_type == DT_REG ? ENTRY_FILE : kind_of(status.st_mode);
    if (entry.kind == ENTRY_FILE) {
        entry.size = status.st_size;
        entry.time = (int64_t)status.st_mtim.tv_sec * NANOSECONDS + status.st_mtim.tv_nsec;
    }
    return entry;
}

static int add(int folder, const struct dirent *one, array_t *entries, array_t *names) {
    const size_t size = strlen(one->d_name) + 1;
    if (!strcmp(one->d_name, ".") || !strcmp(one->d_name, "..")) return 0;
    char *name = array_room(names, size);
    entry_t *entry = array_room(entries, sizeof *entry);
    if (!name || !entry) return ENOMEM;
    memcpy(name, one->d_name, size);
    *entry = look_at(folder, one);
    names->size += size;
    entries->size += sizeof *entry;
    return 0;
}

int folder_list(const char *path, array_t *entries, array_t *names) {
    DIR *folder = opendir(path);
    if (!folder) return errno;
    int status = 0;
    for (struct dirent *one; !status; status = add(dirfd(folder), one, entries, names)) {
        errno = 0;
        if (!(one = readdir(folder))) {
            status = errno;
            break;
        }
    }
    closedir(folder);
    return status;
}
