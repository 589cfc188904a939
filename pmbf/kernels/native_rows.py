"""The checksums of rows in C: the names, results and errors of `reference_rows`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.native_library import module

__all__ = ["sum_rows"]

_sum_rows = module().sum_rows


def sum_rows(rows: list[Any], kinds: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """See `reference_rows.sum_rows`. A row takes some 0.3 µs."""
    numbers, sums = _sum_rows(rows, kinds)
    return np.ndarray((len(rows), kinds.count("i")), np.int64, numbers), np.ndarray(len(rows), np.int64, sums)
