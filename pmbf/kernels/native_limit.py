"""What the machine can do at best: lines of the cache read anywhere, and one after another. For benchmarks."""

from __future__ import annotations

from ctypes import c_size_t, c_uint64, c_void_p

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.native_library import address, function

_AT, _N = c_void_p, c_size_t
_at = address()
_lines = function("pmbf_limit_lines", _AT, _N, _AT, _N, returns=c_uint64)
_stream = function("pmbf_limit_stream", _AT, _N, returns=c_uint64)


def read_lines(words: NDArray[np.uint64], places: NDArray[np.uint32]) -> int:
    """Read lines of 64 bytes, each asked for some lines before it is read, and return their sum.

    Args:
        words: `(n_lines, 8) uint64`, contiguous; aligned to 64 bytes, or each line is two of the cache.
        places: `(n,) uint32`, contiguous: where each line is, as a share of 2^32.
    """
    return int(_lines(_at(words), words.size // 8, _at(places), len(places)))


def read_all(words: NDArray[np.uint64]) -> int:
    """Read contiguous words from the first to the last and return their sum."""
    return int(_stream(_at(words), words.size // 8))
