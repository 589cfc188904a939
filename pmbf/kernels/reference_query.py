"""Whole queries of a tile in one call, in NumPy: the rows that enough of a query's hashes hit.

Built from the kernels of `reference_bits`; the native twin does the same in one pass over the query.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import checks
from pmbf.kernels.reference_bits import Hashes, Words, hits_open, hits_sealed, window_counts

Windows = NDArray[np.int64]
Sizes = NDArray[np.int64]
Limits = NDArray[np.int32]

_WINDOWS_AT_ONCE = 2048
"""Windows counted together: at 512 rows their counts take 4 MB."""


def rows_over_sealed(
    slices: Words, hashes: Hashes, windows: Windows, sizes: Sizes, limits: Limits, *, n_hashes: int
) -> NDArray[np.int64]:
    """Return the rows that reach their limit in at least one window of a query, ascending, `(n,) int64`.

    Args:
        slices: `(64 W, S) uint64`, W at least 1.
        hashes: `(q,) uint32`, in the order the windows mean.
        windows: `(n_windows, 2) int64`, half-open ranges of `hashes`; an empty one finds nothing.
        sizes: `(n_sizes,) int64`, ascending: the size of every window that is not empty, and any others.
        limits: `(n_sizes, n_rows) int32`, for each size the hits each row needs; from 0 down every row has them.
        n_hashes: Bits per hash, k.

    Raises:
        ParameterError: An array has another dtype or shape, a window leaves the hashes or has no size in `sizes`.
    """
    checks.require("slices", slices, np.uint64, "(64 W, S)", 2)
    checks.require_limits(hashes, windows, sizes, limits)
    checks.require_rows("slices", slices, limits.shape[1])
    return _over(hits_sealed(slices, hashes, n_hashes=n_hashes), windows, sizes, limits)


def rows_over_open(
    rows: Words, hashes: Hashes, windows: Windows, sizes: Sizes, limits: Limits, *, n_hashes: int
) -> NDArray[np.int64]:
    """Return what `rows_over_sealed` returns, from rows.

    Args:
        rows: `(n_rows, W) uint64`, W at least 1.
        hashes, windows, sizes, limits, n_hashes: As for `rows_over_sealed`.

    Raises:
        ParameterError: As for `rows_over_sealed`.
    """
    checks.require("rows", rows, np.uint64, "(n_rows, W)", 2)
    checks.require_limits(hashes, windows, sizes, limits)
    checks.require_row_limits(rows, limits)
    return _over(hits_open(rows, hashes, n_hashes=n_hashes), windows, sizes, limits)


def _over(hits: Words, windows: Windows, sizes: Sizes, limits: Limits) -> NDArray[np.int64]:
    n_rows = limits.shape[1]
    passed = np.zeros(n_rows, np.bool_)
    windows = windows[windows[:, 0] < windows[:, 1]]
    for first in range(0, len(windows), _WINDOWS_AT_ONCE):
        starts, stops = np.ascontiguousarray(windows[first : first + _WINDOWS_AT_ONCE].T)
        counts, lines = window_counts(hits, n_rows, starts, stops), np.searchsorted(sizes, stops - starts)
        for line in np.unique(lines):
            passed |= counts[lines == line].max(axis=0) >= limits[line]
    return np.flatnonzero(passed)
