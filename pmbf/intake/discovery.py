"""Which files a load looks at: roots, folders walked through, patterns."""

from __future__ import annotations

import errno
import fnmatch
import os
import select
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BufferedReader
from operator import attrgetter
from typing import NamedTuple, cast

from pmbf.errors import IncompleteError, NotFoundError, UnsupportedError

_name = attrgetter("name")
_PIECE_BYTES = 1 << 20


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
    hidden: bool = False,
) -> Iterator[FileFound | Problem]:
    """Yield the files below some roots, in alphabetical order per folder, or why one cannot be looked at.

    Folders are walked recursively; symbolic links in them are not followed, nor are collections and, unless asked for,
    hidden entries entered. A file named by the user is always taken.

    Args:
        roots: Files and folders.
        include: Glob patterns; a file found in a folder must fit one, if there are any.
        exclude: Glob patterns; a file or folder found in a folder must fit none.
        hidden: Whether hidden entries are entered, all but the `.git` of a repository.
    """
    for root in roots:
        path = os.path.abspath(os.fspath(root))
        try:
            status = os.stat(path)
        except (OSError, ValueError) as error:
            yield Problem(path, reason_of(error))
            continue
        if not stat.S_ISDIR(status.st_mode):
            yield FileFound(path, status.st_size, status.st_mtime_ns, named=True)
        elif is_collection(path):
            yield Problem(path, "is a collection, expected documents")
        else:
            yield from _walk(path, include, exclude, hidden)


def _walk(folder: str, include: Sequence[str], exclude: Sequence[str], hidden: bool) -> Iterator[FileFound | Problem]:
    waiting = [folder]  # a stack, not a recursion: folders may be nested a thousand deep
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=_name)
        except OSError as error:
            yield Problem(folder, reason_of(error))
            continue
        entries = [
            one for one in entries if not (_is_hidden(one.name, hidden) or one.is_symlink() or _fits(one.path, exclude))
        ]
        for entry in entries:
            if entry.is_file() and (not include or _fits(entry.path, include)):
                yield _looked_at(entry)
        waiting += [one.path for one in reversed(entries) if one.is_dir() and not is_collection(one.path)]


def _is_hidden(name: str, shown: bool) -> bool:
    return name == ".git" if shown else name.startswith(".")


def _looked_at(entry: os.DirEntry[str]) -> FileFound | Problem:
    try:
        status = entry.stat()
    except OSError as error:
        return Problem(entry.path, reason_of(error))
    return FileFound(entry.path, status.st_size, status.st_mtime_ns, False)


def is_collection(folder: str | os.PathLike[str]) -> bool:
    """Return whether a folder is a collection of pmbf."""
    return os.path.exists(os.path.join(folder, "catalog.sqlite"))


def _fits(path: str, patterns: Sequence[str]) -> bool:
    """Return whether a path or its last name fits one of the patterns, as in a .gitignore without negation."""
    if not patterns:
        return False
    name = os.path.basename(path)
    return any(fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(path, pattern) for pattern in patterns)


def read_content(file: str, max_bytes: int, *, wait_s: float | None = None) -> bytes:
    """Return a file's bytes; `-` is stdin, and pipes such as `<(…)` are read too.

    Args:
        file: Its path, or `-`.
        max_bytes: How many there may be.
        wait_s: How long a pipe that is named may take to come to its end; None for as long as it takes.

    Raises:
        NotFoundError, UnsupportedError, OSError: As for `read_bounded`.
        IncompleteError: There are more than `max_bytes`, stdin is closed, or a pipe does not end in time.
    """
    if file == "-":
        if sys.stdin is None:
            raise IncompleteError("stdin: is closed")
        stdin = cast(BufferedReader, sys.stdin.buffer)
        return _piece_by_piece(lambda: stdin.read1(_PIECE_BYTES), "stdin", max_bytes)
    if not os.path.exists(file) or not stat.S_ISFIFO(os.stat(file).st_mode):
        return read_bounded(file, max_bytes)
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a plain open waits for a writer
    try:
        return _piece_by_piece(_pieces_of_a_pipe(descriptor, file, wait_s), file, max_bytes)
    finally:
        os.close(descriptor)


def _pieces_of_a_pipe(descriptor: int, name: str, wait_s: float | None) -> Callable[[], bytes]:
    """Return what gives the next bytes of a pipe, waiting for them, and for who writes it."""
    end = None if wait_s is None else time.monotonic() + wait_s
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)

    def piece() -> bytes:
        if not poll.poll(None if end is None else max(0, 1000 * (end - time.monotonic()))):
            raise IncompleteError(f"{name}: a pipe that did not end within {wait_s:g} s (timeout_s, --timeout)")
        return os.read(descriptor, _PIECE_BYTES)

    return piece


def _piece_by_piece(next_piece: Callable[[], bytes], name: str, max_bytes: int) -> bytes:
    # Between two reads Python looks for Ctrl-C, and takes no more memory than there are bytes.
    content = bytearray()
    while len(content) <= max_bytes and (piece := next_piece()):
        content += piece
    if len(content) > max_bytes:
        raise IncompleteError(f"{name}: larger than {max_bytes} bytes; raise the limit with --max-bytes")
    return bytes(content)


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
    while (room := room - len(parts[-1])) > 0 and (part := os.read(descriptor, min(room, _PIECE_BYTES))):
        parts.append(part)
    return b"".join(parts)


def reason_of(error: Exception) -> str:
    """Return an error in words, without numbers and paths where the system has words for it."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
