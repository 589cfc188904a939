"""What bytes look like, and plain texts read from their files: the native twin of `reference_files`."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np

from pmbf.base.params import Sampling
from pmbf.kernels.native_library import module
from pmbf.kernels.native_text import numbers_of, samples_of, text_table
from pmbf.kernels.types import Looks, TextsRead

__all__ = ["looks", "read_texts"]

_looks, _read_texts = module().looks, module().read_texts


def looks(content: bytes) -> Looks:
    """As `reference_files.looks`."""
    return Looks(*_looks(content))


def read_texts(paths: Sequence[str], sizes: Sequence[int], how: Sampling) -> TextsRead:
    """As `reference_files.read_texts`. The interpreter's lock is released once for all files."""
    made = _read_texts(text_table(), list(paths), list(sizes), numbers_of(how))
    content, is_read, buffer, n_parts, n_hashes = made
    numbers = np.flatnonzero(np.ndarray(len(paths), np.bool_, is_read))
    ends = np.cumsum([0, *sizes], dtype=np.int64)
    starts, stops = ends[numbers], ends[numbers + 1]
    view = memoryview(content)
    sums = [sha256(view[start:stop]).hexdigest() for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
    return TextsRead(numbers, sums, content, starts, stops, samples_of(buffer, len(numbers), n_parts, n_hashes, how))
