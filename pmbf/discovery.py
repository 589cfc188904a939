"""Which files a load looks at: roots, folders walked through, patterns."""

from __future__ import annotations

import errno
import fnmatch
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pmbf.errors import IncompleteError, NotFoundError, UnsupportedError


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that was not loaded, or not whole, and why."""

    path: str
    reason: str


class FileFound(NamedTuple):
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
    if not patterns:
        return False
    name = os.path.basename(path)
    return any(fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(path, pattern) for pattern in patterns)


def read_bounded(path: str | os.PathLike[str], max_bytes: int) -> bytes:
    """Return a regular file's bytes; never waits, as opening a pipe would.

    Raises:
        NotFoundError: There is no such file.
        UnsupportedError: It is not a regular file.
        IncompleteError: It is larger than `max_bytes`.
        OSError: It cannot be read.
    """
    name = os.fspath(path)
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise NotFoundError(f"{name}: no such file") from None
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise UnsupportedError(f"{name}: not a regular file") from None
        raise
    try:
        status = os.fstat(descriptor)
        _require_regular(name, status.st_mode)
        content = _read(descriptor, status.st_size, max_bytes)
    finally:
        os.close(descriptor)
    if len(content) > max_bytes:
        raise IncompleteError(f"{name}: larger than {max_bytes} bytes; raise the limit with --max-bytes")
    return content


def _require_regular(name: str, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise UnsupportedError(f"{name}: is a folder, expected a file; `pmbf load` takes folders")
    if not stat.S_ISREG(mode):
        raise UnsupportedError(f"{name}: not a regular file")


def _read(descriptor: int, size: int, max_bytes: int) -> bytes:
    """Return a file's bytes, up to one more than allowed; it may have grown since it was measured."""
    room = max_bytes + 1
    first = os.read(descriptor, min(room, size + 1))
    if len(first) == size:
        return first
    parts = [first]
    while (room := room - len(parts[-1])) > 0 and (part := os.read(descriptor, min(room, 1 << 20))):
        parts.append(part)
    return b"".join(parts)


def reason_of(error: Exception) -> str:
    """Return an error in words, without numbers and paths where the system has words for it."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
