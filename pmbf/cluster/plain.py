"""Files and folders that stand where they are, and are no links: only such are read in a depot, and deleted from it.

A depot that another wrote may have a link to any file of this machine in the place of its own.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from pmbf.base.errors import CorruptError
from pmbf.cluster.content_names import MOST_BYTES


def open_plain(path: str | os.PathLike[str], flags: int = 0) -> int:
    """Return the descriptor of a file, opened for reading; never waits, as opening a pipe would.

    `flags` are not used. So the function is an `opener` of `open`.

    Raises:
        CorruptError: It is a link, a pipe or a device.
        OSError: It cannot be opened.
    """
    if not stat.S_ISREG(os.lstat(path).st_mode):  # before the open: opening a device can have an effect
        raise CorruptError(f"{os.fspath(path)}: is no file of its own but a link or a device; put back a copy")
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)


def bounded(pieces: Iterable[bytes], where: str) -> bytes:
    """Return the content of a small file.

    Raises:
        CorruptError: It is larger than a list or a manifest can be.
    """
    some, n_bytes = [], 0
    for piece in pieces:
        some.append(piece)
        n_bytes += len(piece)
        if n_bytes > MOST_BYTES:
            raise CorruptError(f"{where}: is larger than {MOST_BYTES:,} bytes, expected a list of files or volumes")
    return b"".join(some)


def require_plain(folder: Path) -> None:
    """Refuse a folder in which something is neither a file nor a folder.

    Raises:
        CorruptError: One is a link, a pipe or a device.
    """
    if one := next(_entries(folder), None):
        raise CorruptError(f"{one}: is no file of its own but a link or a device; delete {folder}, it is fetched anew")


def _entries(folder: Path) -> Iterator[str]:
    """Yield what is neither a file nor a folder, the folder itself included."""
    if folder.is_symlink() or not folder.is_dir():
        yield str(folder)
        return
    with os.scandir(folder) as entries:
        for one in entries:
            if one.is_dir(follow_symlinks=False):
                yield from _entries(Path(one.path))
            elif not one.is_file(follow_symlinks=False):
                yield one.path
