"""Which files a load looks at: roots, folders walked through, patterns."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that was not loaded, or not whole, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileFound:
    """A file a load will look at; `named` when the user gave its very path."""

    path: str
    size: int
    mtime_ns: int
    named: bool


def discover(
    roots: Iterable[str | os.PathLike[str]],
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> Iterator[FileFound | Problem]:
    """Yield the files below some roots, in alphabetical order per folder, or why one cannot be looked at.

    Folders are walked recursively; symbolic links in them are not followed, nor are collections and hidden
    entries entered. A file named by the user is always taken.

    Args:
        roots: Files and folders.
        include: Glob patterns; a file found in a folder must fit one, if there are any.
        exclude: Glob patterns; a file or folder found in a folder must fit none.
    """
    for root in roots:
        path = os.path.abspath(os.fspath(root))
        if is_collection(path):
            yield Problem(path, "is a collection, expected documents")
        elif os.path.isdir(path):
            yield from _walk(path, include, exclude)
        else:
            yield _looked_at(path, named=True)


def _walk(folder: str, include: Sequence[str], exclude: Sequence[str]) -> Iterator[FileFound | Problem]:
    waiting = [folder]  # a stack, not a recursion: folders may be nested a thousand deep
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            yield Problem(folder, reason_of(error))
            continue
        entries = [
            one for one in entries if not (one.name.startswith(".") or one.is_symlink() or _fits(one.path, exclude))
        ]
        for entry in entries:
            if entry.is_file() and (not include or _fits(entry.path, include)):
                yield _looked_at(entry.path, named=False)
        waiting += [one.path for one in reversed(entries) if one.is_dir() and not is_collection(one.path)]


def _looked_at(path: str, *, named: bool) -> FileFound | Problem:
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        return Problem(path, reason_of(error))
    return FileFound(path, status.st_size, status.st_mtime_ns, named)


def is_collection(folder: str | os.PathLike[str]) -> bool:
    """Return whether a folder is a collection of pmbf."""
    return os.path.exists(os.path.join(folder, "catalog.sqlite"))


def _fits(path: str, patterns: Sequence[str]) -> bool:
    """Return whether a path or its last name fits one of the patterns, as in a .gitignore without negation."""
    name = os.path.basename(path)
    return any(fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(path, pattern) for pattern in patterns)


def reason_of(error: Exception) -> str:
    """Return an error in words, without numbers and paths where the system has words for it."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
