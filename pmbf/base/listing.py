"""What is in a folder: the name, kind, size and time of each entry."""

from __future__ import annotations

import os

FILE, FOLDER, LINK, OTHER = range(4)
"""Kinds of entries: a regular file, a folder, a symbolic link, anything else."""

Entry = tuple[str, int, int, int]
"""The name of an entry, its kind, and of a file its size in bytes and its modification time in nanoseconds. If a file
cannot be looked at, then the size is -1, and in place of the time stands the number of the system's error."""


def list_folder(path: str) -> list[Entry]:
    """Return the entries of a folder, sorted by name, `.` and `..` left out. Links are not followed.

    Raises:
        OSError: The folder cannot be read.
    """
    with os.scandir(path) as entries:
        return sorted(map(_looked_at, entries))


def _looked_at(entry: os.DirEntry[str]) -> Entry:
    if not entry.is_file(follow_symlinks=False):
        kind = FOLDER if entry.is_dir(follow_symlinks=False) else LINK if entry.is_symlink() else OTHER
        return entry.name, kind, 0, 0
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError as error:
        return entry.name, FILE, -1, error.errno or 0
    return entry.name, FILE, status.st_size, status.st_mtime_ns
