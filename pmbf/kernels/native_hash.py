"""SipHash-2-4 in C: the name, results and errors of `reference_hash`."""

from __future__ import annotations

from ctypes import c_size_t, c_void_p

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import checks
from pmbf.kernels.native_library import address, function

__all__ = ["siphash_windows"]

_at = address()
_siphash_windows = function("pmbf_siphash_windows", c_void_p, c_size_t, c_size_t, c_void_p, c_void_p)


def siphash_windows(words: NDArray[np.uint64], *, width: int, key: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """See `reference_hash.siphash_windows`."""
    checks.require_keyed(words, width, key)
    words, key = np.ascontiguousarray(words), np.ascontiguousarray(key)
    hashes = np.empty(max(0, len(words) - width + 1), np.uint64)
    _siphash_windows(_at(words), len(hashes), width, _at(key), _at(hashes))
    return hashes
