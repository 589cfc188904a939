"""Names in folders that outlast a power cut, and files that are replaced whole."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pmbf.base.contents import require_replaceable, without_waiting
from pmbf.base.errors import UnsupportedError


def make_folder(folder: Path, *, mode: int = 0o777) -> None:
    """Make a folder, and those above it that are missing, each durable; the umask takes some of the mode away.

    Raises:
        FileExistsError: There is a file in the place of one.
    """
    if folder.is_dir():
        return
    make_folder(folder.parent, mode=mode)
    folder.mkdir(mode=mode, exist_ok=True)
    sync_folder(folder.parent)


def require_folder(folder: Path) -> None:
    """Refuse a link in the place of a folder: what is deleted there would be another's.

    Raises:
        UnsupportedError: It is a link.
    """
    if folder.is_symlink():
        raise UnsupportedError(
            f"{folder}: is a link to {os.readlink(folder)}; files are written and deleted only where their folder "
            "stands: put the folder in the place of the link"
        )


def own_folder(folder: Path) -> Path:
    """Return a folder of the owner alone, made if it is not there.

    Raises:
        UnsupportedError: It is a link.
    """
    require_folder(folder)
    make_folder(folder, mode=0o700)
    return folder


@contextlib.contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """Yield a new folder of the user's own that is removed at the end, whatever ends it.

    `tempfile.TemporaryDirectory` knows its folder only after it has made it: a signal in between, which ends the
    process by `SystemExit`, would leave the folder behind.

    Raises:
        OSError: It cannot be made.
    """
    import shutil  # it and tempfile take 2 ms of each start
    from tempfile import gettempdir

    folder = Path(gettempdir()) / f"{prefix}{secrets.token_hex(8)}"  # 64 random bits: nobody else has the name
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sync_folder(folder: Path) -> None:
    """Make renames and new names in a folder durable; an error names the folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        error.filename = str(folder)
        raise
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def replacing(target: Path, *, beside_others: bool = False) -> Iterator[BinaryIO]:
    """Yield a file that replaces the target once it is written whole: after a crash either of the two is there.

    Only its owner may read it.

    Args:
        target: The file.
        beside_others: Whether the folder is the user's: the unfinished file then has a name that nobody else has.

    Raises:
        UnsupportedError: The target is a folder, a pipe or a device.
        OSError: The disk is full or the folder cannot be written; nothing is left behind.
    """
    require_replaceable(target)
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp" if beside_others else f"{target.name}.tmp")
    try:
        temporary.unlink(missing_ok=True)  # that a killed writer left; or a link, which leads to another's file
        with open(temporary, "xb", opener=without_waiting) as file:
            os.fchmod(file.fileno(), 0o600)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:  # that of a write names no file
            error.filename = str(target)
        raise
    sync_folder(target.parent)
