"""What bytes look like, and plain texts read from their files, in Python: the reference of the file kernels."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Sequence

import numpy as np

from pmbf.base.errors import ParameterError
from pmbf.base.params import Sampling
from pmbf.kernels.reference_text import decoded, sample_texts
from pmbf.kernels.types import Looks, TextsRead

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


def read_texts(paths: Sequence[str], sizes: Sequence[int], how: Sampling) -> TextsRead:
    """Return the texts of the files of clean text.

    Left out are files that cannot be read, have another size, or are not clean.

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
    read = [_bytes(path, size) for path, size in zip(paths, sizes, strict=True)]
    clean = [(number, one) for number, one in enumerate(read) if one is not None and _is_clean(one)]
    texts = [one for _, one in clean]
    stops = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    content = b"".join(texts)
    sums = [hashlib.sha256(one).hexdigest() for one in texts]
    samples = sample_texts(content, stops[:-1], stops[1:], how)
    return TextsRead(np.array([at for at, _ in clean], np.int64), sums, content, stops[:-1], stops[1:], samples)


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
