"""Less memory than there is: a group of processes with a limit, and files whose pages are dropped.

The limit counts all that the processes hold, the pages of mapped files too. To set one, root is needed, and Linux with
control groups of version 1 or 2.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pmbf.base.errors import UnsupportedError

_GROUPS = Path("/sys/fs/cgroup")
_LIMITS = (("", "memory.max"), ("memory", "memory.limit_in_bytes"))
"""Where the groups with a limit of memory are, and the file of the limit: version 2, and version 1."""


@contextmanager
def limited(n_bytes: int) -> Iterator[Path]:
    """Give a file for the number of a process, which then holds at most `n_bytes`. Its group goes afterwards.

    Raises:
        UnsupportedError: No group can be made here.
    """
    root, limit = _where()
    group = root / f"pmbf-{os.getpid()}"
    try:
        group.mkdir()
        (group / limit).write_text(str(n_bytes), encoding="ascii")
    except OSError as error:
        if group.exists():
            group.rmdir()
        raise UnsupportedError(f"memory cannot be limited ({error}); run as root") from None
    try:
        yield group / "cgroup.procs"
    finally:
        group.rmdir()


def drop_pages(folder: Path) -> None:
    """Drop the pages of all files below a folder from memory, if the system can. Mapped pages stay."""
    if not hasattr(os, "posix_fadvise"):
        return
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _where() -> tuple[Path, str]:
    for folder, limit in _LIMITS:
        root = _GROUPS / folder
        controllers = root / "cgroup.subtree_control"
        is_second = controllers.is_file() and "memory" in controllers.read_text(encoding="ascii")
        if is_second or (folder and root.is_dir()):
            return root, limit
    raise UnsupportedError(f"memory cannot be limited: {_GROUPS} has no groups with a limit of memory")
