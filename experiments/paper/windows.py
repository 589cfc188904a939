"""Rows with more hits in a window of a query than chance explains: the screening that the paper's experiments measure.

pmbf itself weighs each hit by the rarity of its hash (`docs/decisions/0011-hits-are-weighed-by-rarity.md`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pmbf.base.thresholds import thresholds
from pmbf.filter import CROWDED_RATE, PseudoMatrixBloomFilter, Tile

Rows = NDArray[np.int64]
WINDOW_HASHES = (12, 24, 120)
"""Sizes of windows, in sampled hashes: about 40, 75 and 360 words at 5 % density."""


@lru_cache(maxsize=256)
def windows(n_hashes: int) -> NDArray[np.int64]:
    """Return the windows of a query, `(n, 2) int64`: the whole query, then windows of each size that half overlap.

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


def hits_of_rows(tile: Tile, hashes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return which rows of a tile each hash hits, `(q, n_rows) bool`."""
    bits = np.unpackbits(tile.hits(hashes).view(np.uint8), axis=1, bitorder="little")
    return np.asarray(bits[:, : tile.n_rows], np.bool_)


def rows_by_hashes(
    matrix: PseudoMatrixBloomFilter, hashes: NDArray[np.uint32], *, false_rows: float
) -> Iterator[tuple[int, Rows]]:
    """Yield each tile's number and its rows with more hits in some window than chance explains, ascending.

    Args:
        matrix: The filter.
        hashes: `(q,) uint32`, the query in text order.
        false_rows: Expected number of rows that pass by chance, over all windows and tiles, above 0. Crowded rows pass
            besides.
    """
    spans = windows(len(hashes)) if len(hashes) else np.empty((0, 2), np.int64)
    chance = false_rows / max(1, len(spans) * matrix.n_rows)
    sizes = spans[:, 1] - spans[:, 0]
    for number in sorted(matrix.tiles):
        tile = matrix.tiles[number]
        rates = tile.rates()
        upto = np.zeros((len(hashes) + 1, tile.n_rows), np.int32)
        np.cumsum(hits_of_rows(tile, hashes), axis=0, out=upto[1:])
        over = rates > CROWDED_RATE
        for size in np.unique(sizes).tolist():
            counts = np.diff(upto[spans[sizes == size]], axis=1)[:, 0]
            over |= (counts >= np.clip(thresholds(size, rates, chance), 1, size)).any(axis=0)
        yield number, np.flatnonzero(over)


def rows_by_bits(
    matrix: PseudoMatrixBloomFilter, hashes: NDArray[np.uint32], *, false_rows: float
) -> Iterator[tuple[int, Rows]]:
    """Yield each tile's number and its rows that share more bits with a query than chance explains, as in the paper."""
    yield from matrix.rows_with_common_bits(hashes, false_rows=false_rows)


ROWS_OVER = {"hashes": rows_by_hashes, "bits": rows_by_bits}
"""The name of each way to count, and the function that yields the rows that pass."""
