"""What the system is told of mapped files. A system that has no such advice goes without."""

from __future__ import annotations

import contextlib
import mmap
import os
import resource
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import distinct

_IN_LARGE_PAGES = {"TILE", "ROWS", "POST"}
"""Kinds of files that a query reads all over. With pages of 2 MB it waits for the page table less often: the candidates
of a query among 100,000 and among 1,000,000 documents take 1.3 times less."""

_OWN_BYTES = 128 << 20
"""Bytes of memory that Python and its libraries take, about: they are not there for files."""

_GROUPS, _OWN_GROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def advise(content: mmap.mmap, kind: str) -> None:
    """Ask the system to read a file of some kinds into pages of 2 MB. Pages that are in memory stay as they are."""
    if kind in _IN_LARGE_PAGES and hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a kernel without large pages
            content.madvise(mmap.MADV_HUGEPAGE)


def read_apart(content: mmap.mmap) -> None:
    """Ask the system to read single pages of a file, and nothing around them.

    With pages of 2 MB, a query reads 2 MB for each of its hashes: of a file that memory does not hold, what the next
    query needs is dropped for that.
    """
    for advice in ("MADV_NOHUGEPAGE", "MADV_RANDOM"):
        if hasattr(mmap, advice):
            with contextlib.suppress(OSError):
                content.madvise(getattr(mmap, advice))


def read_ahead(content: mmap.mmap, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> None:
    """Ask the system to begin to read the pages of some ranges of a file, all at once, and not to wait for them."""
    first, last = starts // mmap.PAGESIZE, np.maximum(starts, stops - 1) // mmap.PAGESIZE
    pages = distinct(np.concatenate([first, last]))
    if hasattr(mmap, "MADV_WILLNEED"):
        for some in np.split(pages, np.flatnonzero(np.diff(pages) != 1) + 1) if len(pages) else ():
            content.madvise(mmap.MADV_WILLNEED, int(some[0]) * mmap.PAGESIZE, len(some) * mmap.PAGESIZE)


def read_blocks() -> int:
    """Return how many blocks of 512 bytes this thread has had read from disks, as far as the system counts them."""
    return resource.getrusage(getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)).ru_inblock


def fits(n_bytes: int) -> bool:
    """Return whether memory can hold so many bytes of files. What cannot be told counts as enough memory."""
    return n_bytes + _OWN_BYTES <= memory_bytes()


def memory_bytes() -> int:
    """Return the bytes of memory that this process may fill: the machine's, or what its control groups allow.

    >>> memory_bytes() > 1 << 20
    True
    """
    try:
        machine = os.sysconf("SC_PHYS_PAGES") * mmap.PAGESIZE
    except (OSError, ValueError, AttributeError):
        machine = 1 << 62
    try:
        return min([machine, *_limits(_OWN_GROUPS.read_text(encoding="ascii", errors="replace"))])
    except (OSError, ValueError):  # a system without control groups, or another form of their list
        return machine


@cache
def _limits(groups: str) -> list[int]:
    """Return the limits of memory of control groups, of version 1 and 2, as far as they can be read."""
    limits = []
    for line in groups.splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        root, name = (_GROUPS / "memory", "memory.limit_in_bytes") if controllers else (_GROUPS, "memory.max")
        inside = root / path.lstrip("/")
        for folder in [inside, *inside.parents]:
            if folder.is_relative_to(root):
                with contextlib.suppress(OSError, ValueError):
                    limits.append(int((folder / name).read_text(encoding="ascii")))
    return limits


def let_go(content: mmap.mmap, start: int, stop: int) -> None:
    """Take a range of a file out of this process's memory, until it is read again."""
    if hasattr(mmap, "MADV_DONTNEED"):
        first = start // mmap.PAGESIZE * mmap.PAGESIZE
        content.madvise(mmap.MADV_DONTNEED, first, stop - first)
