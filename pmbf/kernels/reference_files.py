"""What bytes look like, and plain texts read from their files, in Python: the reference of the file kernels."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Sequence

import numpy as np

from pmbf.errors import ParameterError
from pmbf.kernels.reference_records import record
from pmbf.kernels.reference_text import decoded, sample
from pmbf.kernels.types import Looks, TextRead
from pmbf.params import Sampling

__all__ = ["looks", "read_texts"]

_UNCLEAN = re.compile(rb"\A\xef\xbb\xbf|[\0-\x08\x0e-\x1f\x7f]")


def looks(content: bytes) -> Looks:
    r"""Return what bytes look like.

    >>> looks(b"a b, c d")
    Looks(is_clean=True, longest=2, n_apart=1)
    >>> looks(b"\xff\xfea\0").is_clean
    False
    """
    spaces = np.flatnonzero(np.frombuffer(content, np.uint8) <= ord(" "))
    around = np.concatenate([[-1], spaces, [len(content)]])
    n_apart = int(np.count_nonzero(np.diff(spaces) == 2))
    return Looks(_is_clean(content), int(np.diff(around).max()) - 1, n_apart)


def _is_clean(content: bytes) -> bool:
    if _UNCLEAN.search(content):
        return False
    try:
        decoded(content)
    except ParameterError:
        return False
    return True


def read_texts(paths: Sequence[str], sizes: Sequence[int], how: Sampling) -> list[TextRead | None]:
    """Return the text of each file of clean text. None: the file cannot be read, has another size, or is not clean.

    `Looks` says what clean means. HTML and other sources count as clean text here. Only regular files are read; the
    call never waits for a pipe or device.

    Args:
        paths: Paths of the files, without zero characters.
        sizes: The size of each file in bytes, as seen before. Memory is taken for that size.
        how: As for `sample`.

    Raises:
        ValueError: A path has a zero character, or the numbers of sizes and paths differ.
    """
    if len(paths) != len(sizes):
        raise ValueError(f"{len(paths)} paths and {len(sizes)} sizes")
    found: list[TextRead | None] = []
    for path, size in zip(paths, sizes, strict=True):
        content = _bytes(path, size)
        if content is None or _UNCLEAN.search(content):
            found.append(None)
            continue
        try:
            taken = sample(content, how, positions=False)
        except ParameterError:  # not UTF-8
            found.append(None)
            continue
        made = record(taken.hashes, taken.bounds)
        sha256 = hashlib.sha256(content).hexdigest()
        found.append(TextRead(sha256, content, taken.hashes, taken.bounds, taken.n_chars, taken.n_tokens, made))
    return found


def _bytes(path: str, size: int) -> bytes | None:
    """Return the bytes of a regular file of `size` bytes; None for a file of another size and anything else."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size != size:
            return None
        content = os.read(descriptor, size + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return content if len(content) == size else None
