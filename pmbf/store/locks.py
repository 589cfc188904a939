"""The locks of a collection's folder: one writer, any number of readers, and nobody at all.

`writer.lock` is held alone by the one writer. `readers.lock` is shared by readers: while one holds it, old files stay.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from pmbf.base.errors import BusyError


@contextlib.contextmanager
def writer_lock(folder: Path) -> Iterator[None]:
    """Hold the one writer's lock of a collection.

    Raises:
        BusyError: Another process is writing.
    """
    with held(folder / "writer.lock", f"{folder}: another process is writing to it"):
        yield


@contextlib.contextmanager
def held(path: Path, busy: str) -> Iterator[None]:
    """Hold a lock file alone; it is made if it is not there.

    Raises:
        BusyError: Another process holds it; `busy` says what that means.
    """
    with _open_lock(path, os.O_RDWR | os.O_CREAT) as descriptor:
        if not _flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB):
            raise BusyError(f"{busy}; wait for it to end, then try again")
        yield


@contextlib.contextmanager
def reader_lock(folder: Path) -> Iterator[None]:
    """Keep the files of the present generation from being cleaned away; write permission is not needed."""
    path = folder / "readers.lock"
    may_make = os.access(folder, os.W_OK) and not path.exists()
    with _open_lock(path, os.O_RDWR | os.O_CREAT if may_make else os.O_RDONLY) as descriptor:
        _flock(descriptor, fcntl.LOCK_SH)
        yield


@contextlib.contextmanager
def no_readers(folder: Path) -> Iterator[bool]:
    """Yield whether nobody is reading, and keep it so meanwhile."""
    with _open_lock(folder / "readers.lock", os.O_RDWR | os.O_CREAT) as descriptor:
        yield _flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def no_writer(folder: Path, lock: str = "writer.lock") -> Iterator[bool]:
    """Yield whether nobody is writing, and keep it so meanwhile; nothing is written for that."""
    with contextlib.ExitStack() as stack:
        try:
            descriptor = stack.enter_context(_open_lock(folder / lock, os.O_RDONLY))
        except OSError:  # no lock to hold, none to be sure by
            yield False
        else:
            yield _flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)


@contextlib.contextmanager
def _open_lock(path: Path, flags: int) -> Iterator[int]:
    descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)  # of a pipe, too: it does not wait
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _flock(descriptor: int, mode: int) -> bool:
    """Return whether the lock was taken; without LOCK_NB it always is."""
    try:
        fcntl.flock(descriptor, mode)
    except BlockingIOError:
        return False
    return True
