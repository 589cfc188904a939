"""How far equal tokens go on: the NumPy reference of `native/align_runs.c`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import Runs

Borders = NDArray[np.int64]


def reach(query: Runs, source: Runs, here: Borders, there: Borders, *, forward: bool) -> Borders:
    """Return how many tokens are equal from each pair of borders on, by bisection over powers of two.

    Args:
        query: Names of the query's runs.
        source: Those of the source's.
        here: `(n,) int64`, borders in the query, from 0 to the number of its tokens.
        there: The same in the source.
        forward: Whether tokens after the borders are compared, or those before.
    """
    room = np.minimum(len(query.back) - here, len(source.back) - there) if forward else np.minimum(here, there)
    found = np.zeros_like(here)
    for power in reversed(range(int(room.max(initial=0)).bit_length())):
        step = 1 << power
        tried = np.flatnonzero(found + step <= room)
        near = found[tried] if forward else -found[tried] - step
        ours, theirs = here[tried] + near, there[tried] + near
        found[tried[query.names(ours, ours + step) == source.names(theirs, theirs + step)]] += step
    return found
