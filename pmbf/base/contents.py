"""A file's bytes, within limits: the one place where pmbf opens what others have written."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
import time
from collections.abc import Callable
from io import BufferedReader
from typing import cast

from pmbf.base.errors import IncompleteError, NotFoundError, UnsupportedError

_PIECE_BYTES = 1 << 20
_WITHOUT_WAITING = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


MAX_BYTES_HINT = "split it, or raise max_bytes (--param max_bytes)"
"""What to do about a file that is too large, if the limit is the option `max_bytes`."""


def size_of(text: str) -> int:
    """Return a number of bytes; 1K is 1024.

    Raises:
        ValueError: The text is no size.

    >>> size_of("500K")
    512000
    """
    units = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].isalpha() else (text, "")
    if not number.isdecimal() or unit not in units:
        raise ValueError(f"{text!r} is no size, expected a number of bytes such as 1000000, 500K, 20M or 1G")
    return int(number) * units[unit]


def read_bounded(path: str | os.PathLike[str], max_bytes: int, *, hint: str = "") -> bytes:
    """Return a regular file's bytes; never waits, as opening a pipe would.

    `hint` is what the error says about a larger file: what to do, or what was expected.

    Raises:
        NotFoundError: There is no such file.
        UnsupportedError: It is not a regular file.
        IncompleteError: It is larger than `max_bytes`.
        OSError: It cannot be read.
    """
    name = os.fspath(path)
    try:
        descriptor = open_regular(name)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError(f"{name}: no such file") from None
    except ValueError as error:  # a NUL in the name
        raise NotFoundError(f"{name!r}: no such file: {error}") from None
    try:
        content = _read(descriptor, os.fstat(descriptor).st_size, max_bytes)
    finally:
        os.close(descriptor)
    if len(content) > max_bytes:
        raise _too_large(name, max_bytes, hint)
    return content


def without_waiting(path: str, flags: int) -> int:
    """Return the descriptor of a file. It never waits for the other end of a pipe; a new file is its owner's alone."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)


def open_regular(path: str | os.PathLike[str], flags: int = 0) -> int:
    """Return the descriptor of a regular file, opened for reading; never waits, as opening a pipe would.

    `flags` are not used. So the function is an `opener` of `open`. Anything else is an `UnsupportedError`.
    """
    name = os.fspath(path)
    _require_regular(name, os.stat(name).st_mode)  # before the open: opening a device can have an effect
    descriptor = os.open(name, _WITHOUT_WAITING)
    try:
        _require_regular(name, os.fstat(descriptor).st_mode)
    except UnsupportedError:
        os.close(descriptor)
        raise
    return descriptor


def require_replaceable(path: str | os.PathLike[str]) -> None:
    """Refuse a target that a new file cannot stand in for: a folder, a pipe, a device such as `/dev/null`."""
    name = os.fspath(path)
    try:
        mode = os.stat(name).st_mode
    except OSError:
        return
    if stat.S_ISDIR(mode):
        raise UnsupportedError(f"{name}: is a folder, expected the name of a file")
    _require_regular(name, mode)


def read_stream(file: str, max_bytes: int, *, wait_s: float | None = None, idle_s: float | None = None) -> bytes:
    """Return the bytes of a file, of a pipe such as `<(…)`, or of stdin (`-`), up to the option `max_bytes`.

    Args:
        file, max_bytes: Its path, and the most bytes there may be.
        wait_s: Seconds until a named pipe must have ended; None to wait for ever.
        idle_s: Seconds within which a named pipe must give its first and each next byte; None to wait for ever.

    Raises:
        NotFoundError, UnsupportedError, OSError: As for `read_bounded`.
        IncompleteError: There are more than `max_bytes`, stdin is closed, or a pipe does not end in time.
    """
    if file == "-":
        return read_stdin(max_bytes, hint=MAX_BYTES_HINT)
    if not is_stream(file):
        return read_bounded(file, max_bytes, hint=MAX_BYTES_HINT)
    descriptor = os.open(file, _WITHOUT_WAITING)  # a plain open waits for a writer
    try:
        return _piece_by_piece(_pieces_of_a_pipe(descriptor, file, wait_s, idle_s), file, max_bytes, MAX_BYTES_HINT)
    finally:
        os.close(descriptor)


def read_stdin(max_bytes: int, *, hint: str) -> bytes:
    """Return all bytes of stdin; an `IncompleteError` if there are more than `max_bytes`, or stdin is closed."""
    if sys.stdin is None:
        raise IncompleteError("stdin: is closed")
    stdin = cast(BufferedReader, sys.stdin.buffer)
    return _piece_by_piece(lambda: stdin.read1(_PIECE_BYTES), "stdin", max_bytes, hint)


def is_stream(file: str) -> bool:
    """Return whether a file is stdin or a pipe, whose bytes come once and for this process alone."""
    return file == "-" or (os.path.exists(file) and stat.S_ISFIFO(os.stat(file).st_mode))


def reason_of(error: Exception) -> str:
    """Return an error in words; of an error of the system its words alone, without number and path."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def _pieces_of_a_pipe(descriptor: int, name: str, wait_s: float | None, idle_s: float | None) -> Callable[[], bytes]:
    """Return a function that waits for a pipe's next bytes and returns them."""
    end = None if wait_s is None else time.monotonic() + wait_s
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)

    def piece() -> bytes:
        left = [end - time.monotonic()] if end is not None else []
        left += [idle_s] if idle_s is not None else []
        if not poll.poll(max(0, 1000 * min(left)) if left else None):
            waited = f"end within {wait_s:g} s" if wait_s is not None else f"give a byte for {idle_s:g} s"
            raise IncompleteError(f"{name}: a pipe that did not {waited} (timeout_s)")
        return os.read(descriptor, _PIECE_BYTES)

    return piece


def _piece_by_piece(next_piece: Callable[[], bytes], name: str, max_bytes: int, hint: str) -> bytes:
    # Read in pieces: between two of them Python looks for Ctrl-C, and memory is taken for bytes that are there.
    content = io.BytesIO()
    while content.tell() <= max_bytes and (piece := next_piece()):
        content.write(piece)
    if content.tell() > max_bytes:
        raise _too_large(name, max_bytes, hint)
    return content.getvalue()


def _too_large(name: str, max_bytes: int, hint: str) -> IncompleteError:
    return IncompleteError(f"{name}: larger than {max_bytes} bytes" + (f"; {hint}" if hint else ""))


def _require_regular(name: str, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise UnsupportedError(f"{name}: is a folder, expected a file; `pmbf load` takes folders")
    if not stat.S_ISREG(mode):
        raise UnsupportedError(f"{name}: is a pipe, socket or device, expected a regular file")


def _read(descriptor: int, size: int, max_bytes: int) -> bytes:
    """Return a file's bytes, at most one more than allowed. The file may have grown since `size` was measured."""
    room = max_bytes + 1
    first = os.read(descriptor, min(room, size + 1))
    if len(first) == size:
        return first
    parts = [first]
    while (room := room - len(parts[-1])) > 0 and (part := os.read(descriptor, min(room, _PIECE_BYTES))):
        parts.append(part)
    return b"".join(parts)
