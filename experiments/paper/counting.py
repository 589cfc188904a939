"""Rows that a query hits more often than chance explains: its hashes counted in windows.

pmbf weighs hits by their rarity instead (docs/decisions/0011); the paper's open question of thresholds is asked here of
plain counts, and of common bits, which the product has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.errors import ParameterError
from pmbf.filter import CROWDED_RATE, PseudoMatrixBloomFilter
from pmbf.thresholds import thresholds
from pmbf.tile import Tile

Windows = Sequence[tuple[int, int]] | NDArray[np.int64]
"""Half-open ranges of a query's hashes, `(n, 2)`."""

_WINDOWS_AT_ONCE = 2048
"""At 512 rows their counts take 4 MB."""


def rows_over(
    matrix: PseudoMatrixBloomFilter, hashes: NDArray[np.uint32], windows: Windows, *, false_rows: float, method: str
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield each tile's number and its rows that a query hits more often than chance explains, by number.

    A row that all hashes of a window hit passes whatever its ε, so a stored text no longer than a window is never
    missed.

    Args:
        matrix: The tiles.
        hashes: `(q,) uint32`, the query in text order.
        windows: Half-open ranges of `hashes`.
        false_rows: Rows that may pass by chance, expected over all windows and tiles, above 0; crowded rows, see
            `CROWDED_RATE`, pass besides.
        method: `hashes` counts the hashes that hit in each window; `popcount` the bits in common with the whole query.

    Raises:
        ParameterError: An argument is outside its range.
    """
    if method == "popcount":
        yield from matrix.rows_with_common_bits(hashes, false_rows=false_rows)
    elif method == "hashes":
        spans = np.asarray(windows, np.int64).reshape(-1, 2)
        spans = spans[spans[:, 0] != spans[:, 1]]
        chance = false_rows / max(1, len(spans) * matrix.n_rows)
        for number in sorted(matrix.tiles):
            yield number, _over_in_windows(matrix.tiles[number], hashes, spans, chance)
    else:
        raise ParameterError(f"method is {method!r}, expected 'hashes' or 'popcount'")


def _over_in_windows(
    tile: Tile, hashes: NDArray[np.uint32], spans: NDArray[np.int64], chance: float
) -> NDArray[np.int64]:
    """Return the rows that reach what they need in a window, which passes an unrelated row with so much chance."""
    rates, hits = tile.rates(), tile.hits(hashes)
    passed = np.zeros(tile.n_rows, np.bool_)
    sizes = spans[:, 1] - spans[:, 0]
    for size in np.unique(sizes).tolist():
        needed = np.clip(thresholds(size, _rounded_up(rates), chance), 1, size)
        needed[rates > CROWDED_RATE] = 0
        starts, stops = np.ascontiguousarray(spans[sizes == size].T)
        for first in range(0, len(starts), _WINDOWS_AT_ONCE):
            part = slice(first, first + _WINDOWS_AT_ONCE)
            passed |= kernels.window_counts(hits, tile.n_rows, starts[part], stops[part]).max(axis=0) >= needed
    return np.flatnonzero(passed)


def _rounded_up(rates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rates on a grid of 2^(1/4), so that the rows of a tile share a few thresholds."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.minimum(np.exp2(np.ceil(4 * np.log2(rates)) / 4), 1.0))
