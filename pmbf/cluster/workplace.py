"""Folders in which a process makes volumes, on the node's disk. What a killed process left goes at the next start."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import shutil
import weakref
from collections.abc import Iterator
from pathlib import Path

from pmbf.store.folders import own_folder

_NAME = re.compile("[0-9a-f]{16}")
"""What a process calls its folder. Others are not its own, and stay."""


class Workplace:
    """A folder of one process among those of others, held by a lock as long as the process lives.

    Folders that nobody holds are deleted. `UnsupportedError`: the folder with those of all processes is a link.
    """

    def __init__(self, folder: Path) -> None:
        own_folder(folder)
        for one in folder.iterdir():
            if _NAME.fullmatch(one.name):
                _clear(one)
        self.folder, held = _new(folder)
        self._end = weakref.finalize(self, _leave, self.folder, held)

    @contextlib.contextmanager
    def new_folder(self) -> Iterator[Path]:
        """Yield a new folder, which is removed at the end."""
        folder = self.folder / secrets.token_hex(8)
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _new(folder: Path) -> tuple[Path, int]:
    """Return a new folder, and the descriptor that holds it."""
    while True:
        made = folder / secrets.token_hex(8)
        made.mkdir(mode=0o700)
        held = _held(made)
        if held is not None and made.exists():  # otherwise a process that started meanwhile has cleared it away
            return made, held


def _held(folder: Path) -> int | None:
    """Return a descriptor that holds a folder, or None if another process holds it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except (FileNotFoundError, NotADirectoryError):  # a link is no folder, either
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _clear(folder: Path) -> None:
    held = _held(folder)
    if held is not None:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def _leave(folder: Path, held: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(held)
