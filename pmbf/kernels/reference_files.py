"""What bytes look like, and plain texts straight from their files, in Python: the reference of the kernels of files."""

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
    """Return what files of clean text gave; None for one that cannot be read, has another size or is something else.

    `Looks` says what is clean. Whether a text is the source of something else, as HTML is, is not asked here. Only
    regular files are read, nothing is waited for.

    Args:
        paths: Of the files, without zero characters.
        sizes: Of the files in bytes, as many: memory is taken for what a file was seen to hold.
        how: As for `sample`.

    Raises:
        ValueError: A path has a zero character, or there are more or fewer sizes than paths.
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
    """Return the bytes of a regular file, None for anything else, and for a file that has not that size."""
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
