"""The pseudo-matrix Bloom filter, and which of its rows a query hits more often than chance. Bits, never documents.

                     row 0      row 1     …   row 511
        tile 0   │ ░░▒░▒░░▒░ │ ▒░░▒░░▒▒░ │ … │ ░▒░░▒░▒░░ │   sealed    512 rows of one width
        tile 1   │ ▒░░░░▒░▒░░▒░ │ ░░▒░▒░▒░▒░░▒ │ …       │   sealed    512 rows, wider: documents had grown longer
        tile 2   │ ░▒░░░░▒░░▒░▒ │ ░░░░▒░░░ …                 open      takes the next documents

A row is one Bloom filter shared by several documents, or by parts of them; `tile.py` draws how its bits lie in memory,
`rowindex.py` knows which documents they are. In a matrix of one document a row short documents waste most of their
row: that is what the pseudo-matrix saves.

Rows are compared with a query by counting its hashes that hit, not common bits: at equal memory that separates a copy
from chance three to four times better, z = x sqrt(q (1 - ε) / ε) against x sqrt(q k / (e^(k/c) - 1)), where x is the
copied share, q the hashes of the query, c the bits of a row per hash it holds.

Sources:
    Tskhay, Butakov & Kim 2014, Fast filtering of texts by means of a modified Bloom filter: the pseudo-matrix.
    Geravand & Ahmadi 2011, Novel Adjustable Matrix Bloom Filter-Based Copy Detection System: AND and popcount.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels, thresholds
from pmbf.arrays import distinct
from pmbf.errors import ParameterError
from pmbf.tile import ROWS_PER_TILE, Hashes, Tile, Words

__all__ = ["ROWS_PER_TILE", "LookUp", "PseudoMatrixBloomFilter", "RowNeeds", "Tile"]

Windows = Sequence[tuple[int, int]] | NDArray[np.int64]
"""Half-open ranges of a query's hashes, `(n, 2)`."""

CROWDED_RATE = 0.2
"""A row that takes one absent hash in five for its own says little: its few, long documents are always looked at."""

_MOST_LIMITS = 1024
"""Limits of a tile that are kept, some hundred bytes each: queries of like lengths share them."""


@dataclass
class PseudoMatrixBloomFilter:
    """Tiles by number; a row is known by its tile's number and its own.

    Tiles may differ in width: each takes the width that suits the documents of its time. A tile that has been asked
    must not change any more: what its rows need is computed once.

    Args:
        tiles: By number.

    >>> matrix = PseudoMatrixBloomFilter({4: Tile.new(194, n_hashes=3, fpr=0.01)})
    >>> matrix.tiles[4].insert(matrix.tiles[4].add_row(), np.arange(50, dtype=np.uint32))
    >>> query = np.arange(20, 40, dtype=np.uint32)
    >>> [(tile, rows.tolist()) for tile, rows in matrix.rows_over(query, [(0, 20)], false_rows=0.01)]
    [(4, [0])]
    """

    tiles: dict[int, Tile] = field(default_factory=dict)
    _needs: dict[int, RowNeeds] = field(default_factory=dict, repr=False)

    @property
    def n_rows(self) -> int:
        """Rows of all tiles."""
        return sum(tile.n_rows for tile in self.tiles.values())

    @cached_property
    def n_false(self) -> float:
        """Rows that a hash of no document hits by chance, expected."""
        return sum(float(tile.rates().sum()) for tile in self.tiles.values())

    def look_up(self, hashes: Hashes) -> LookUp:
        """Return which rows may hold each hash of a query.

        Args:
            hashes: `(q,) uint32`, in text order; 64 bytes for each and each 512 rows are held.

        Raises:
            ParameterError: `hashes` is not `(q,) uint32`.
        """
        return LookUp(
            self, *kernels.look_up([self.tiles[number].probed(hashes) for number in sorted(self.tiles)], hashes)
        )

    def rows_over(
        self, hashes: Hashes, windows: Windows, *, false_rows: float, method: str = "hashes"
    ) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield each tile's number and its rows that a query hits more often than chance explains, by number.

        A row that all hashes of a window hit passes whatever its ε, so a stored text no longer than a window is never
        missed.

        Args:
            hashes: `(q,) uint32`, the query in text order.
            windows: Half-open ranges of `hashes`.
            false_rows: Rows that may pass by chance, expected over all windows and tiles, above 0; crowded rows, see
                `CROWDED_RATE`, pass besides.
            method: `hashes` counts the hashes that hit in each window; `popcount` the bits in common, see
                `RowNeeds.over_in_bits`.

        Raises:
            ParameterError: An argument is outside its range.
        """
        if method == "hashes":
            yield from self._over_in_windows(hashes, np.asarray(windows, np.int64).reshape(-1, 2), false_rows)
        elif method == "popcount":
            for number in sorted(self.tiles):
                yield number, self.needs(number).over_in_bits(hashes, false_rows / max(1, self.n_rows))
        else:
            raise ParameterError(f"method is {method!r}, expected 'hashes' or 'popcount'")

    def _over_in_windows(
        self, hashes: Hashes, spans: NDArray[np.int64], false_rows: float
    ) -> Iterator[tuple[int, NDArray[np.int64]]]:
        spans = spans[spans[:, 0] != spans[:, 1]]
        chance = false_rows / max(1, len(spans) * self.n_rows)
        sizes = distinct(spans[:, 1] - spans[:, 0])
        kinds = np.searchsorted(sizes, spans[:, 1] - spans[:, 0])
        for number in sorted(self.tiles):
            limits = self.needs(number).limits(sizes.tolist(), chance)
            yield number, kernels.rows_over(self.tiles[number].hits(hashes), spans, kinds, sizes, limits)

    def needs(self, number: int) -> RowNeeds:
        """Return what the rows of a tile need."""
        if number not in self._needs:
            self._needs[number] = RowNeeds(self.tiles[number])
        return self._needs[number]


@dataclass(frozen=True, slots=True, eq=False)
class LookUp:
    """Which rows of a filter may hold each hash of a query.

    Args:
        matrix: The filter.
        hits: `(q, S) uint64`, those of tile after tile, by number; see `Tile.hits`.
        n_hit: `(q,) int64`, how many rows each hash hits.
    """

    matrix: PseudoMatrixBloomFilter
    hits: Words
    n_hit: NDArray[np.int64]

    def by_tile(self, rows: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield each tile's number and those of some rows that are its own, by number.

        Args:
            rows: `(n,) int64`, ascending: bits of a line of `hits`.
        """
        listed, first, start = rows.tolist(), 0, 0
        for number in sorted(self.matrix.tiles):
            after = first + -(-self.matrix.tiles[number].n_rows // 64) * 64
            stop = bisect_left(listed, after, start)
            yield number, rows[start:stop] - first
            first, start = after, stop


class RowNeeds:
    """How much each row of a tile needs to stand out; computed once for queries of like lengths.

    Args:
        tile: The rows; they must not change any more.
    """

    def __init__(self, tile: Tile) -> None:
        rates = tile.rates()
        self._tile = tile
        self._always = np.flatnonzero(rates > CROWDED_RATE)
        rounded = _rounded_up(rates)
        self._rates = distinct(rounded)
        self._rate_of = np.searchsorted(self._rates, rounded)
        self._limits: dict[tuple[int, float], NDArray[np.int32]] = {}

    def limits(self, sizes: Sequence[int], chance: float) -> NDArray[np.int32]:
        """Return how many hits each row needs in windows of each size, `(n_sizes, n_rows) int32`.

        Args:
            sizes: Of the windows, in hashes.
            chance: That one window of one unrelated row passes, above 0.
        """
        found = [self._limits_of(*thresholds.grid_point(size, chance)) for size in sizes]
        lines = np.array(found, np.int32).reshape(len(sizes), len(self._rates))
        np.minimum(lines, np.array(sizes, np.int32)[:, None], out=lines)
        of_rows = lines.take(self._rate_of, axis=1)
        of_rows[:, self._always] = 0
        return of_rows

    def over_in_bits(self, hashes: Hashes, chance: float) -> NDArray[np.int64]:
        """Return the rows that share more bits with a query, as a row of its own, than chance explains, ascending.

        The paper's measure. Of B query bits an unrelated row shares about Bin(B, its fill); sharing is less than
        binomial, since B positions are distinct, unless common phrases set k bits at once. With k = 1 it counts what
        counting hashes in the whole query counts, but for hashes that fall on one position.

        Raises:
            ParameterError: `hashes` is not `(q,) uint32`, or `chance` is not above 0.
        """
        tile = self._tile
        at = kernels.positions(hashes, row_bits=tile.row_bits, n_hashes=tile.n_hashes)
        n_bits = len(distinct(at.ravel()))
        fills = tile.popcounts / tile.row_bits
        over = tile.common_bits(hashes) >= _limits(n_bits, fills, chance) if n_bits else fills > 1
        over[self._always] = True
        return np.flatnonzero(over)

    def _limits_of(self, size: int, chance: float) -> NDArray[np.int32]:
        """Return how many hits each rate needs in a window, of a size and a chance on the grid."""
        point = size, chance
        if point not in self._limits:
            if len(self._limits) >= _MOST_LIMITS:
                del self._limits[next(iter(self._limits))]
            self._limits[point] = _limits(size, self._rates, chance)
        return self._limits[point]


def _rounded_up(rates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rates on a grid of 2^(1/4), so that the rows of a tile share a few."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.minimum(np.exp2(np.ceil(4 * np.log2(rates)) / 4), 1.0))


def _limits(n: int, rates: NDArray[np.float64], chance: float) -> NDArray[np.int32]:
    """Return how many of n must be found: at least one, and all of them always suffice."""
    return np.clip(thresholds.thresholds(n, rates, chance), 1, n)
