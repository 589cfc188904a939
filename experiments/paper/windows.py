"""The windows in which the paper's experiments count a query's hashes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

WINDOW_HASHES = (12, 24, 120)
"""In sampled hashes: about 40, 75 and 360 words at 5 % density."""


@lru_cache(maxsize=256)
def windows(n_hashes: int) -> NDArray[np.int64]:
    """Return the windows a query is screened in: the whole first, then each size, half overlapping, `(n, 2) int64`.

    >>> windows(40).tolist()
    [[0, 40], [0, 12], [6, 18], [12, 24], [18, 30], [24, 36], [28, 40], [0, 24], [12, 36], [16, 40]]
    """
    spans = [(0, n_hashes)]
    for size in WINDOW_HASHES:
        if size < n_hashes:
            starts = [*range(0, n_hashes - size, size // 2), n_hashes - size]
            spans += [(start, start + size) for start in starts]
    found = np.array(spans, np.int64)
    found.flags.writeable = False
    return found
