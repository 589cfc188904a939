"""Names in folders that outlast a power cut."""

from __future__ import annotations

import os
from pathlib import Path


def make_folder(folder: Path, *, mode: int = 0o777) -> None:
    """Make a folder, and those above it that are missing, each durable.

    Raises:
        FileExistsError: There is a file in the place of one.
        OSError: It cannot be made.
    """
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(mode=mode, exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make renames and new names in a folder durable.

    Raises:
        OSError: The disk failed; the error names the folder.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        error.filename = str(folder)
        raise
    finally:
        os.close(descriptor)
