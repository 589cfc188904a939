"""Functions on arrays that NumPy lacks, or that cost less here: fewer imports, or less time on short arrays."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.generic)


def among(values: NDArray[Number], others: NDArray[Number]) -> NDArray[np.bool_]:
    """Return which values are among others, `(n,) bool`. `numpy.isin` takes three times as long on some hundred values.

    >>> among(np.array([3, 1, 3]), np.array([4, 3])).tolist()
    [True, False, True]
    """
    if not len(others):
        return np.zeros(len(values), np.bool_)
    ordered = np.sort(others)
    found: NDArray[np.bool_] = ordered[np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)] == values
    return found


def distinct(values: NDArray[Number]) -> NDArray[Number]:
    """Return the values ascending, each once. `numpy.unique` would import `numpy.ma`, 20 ms of each command.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered = np.sort(values, axis=None)
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def spans(begins: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of several spans, end to end.

    Args:
        begins: `(n,)`, the first number of each span.
        counts: `(n,)`, how many numbers each span has.

    >>> spans(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    ends = np.cumsum(counts)
    shifts = np.repeat(begins - ends + counts, counts)
    return np.asarray(shifts + np.arange(len(shifts)))
