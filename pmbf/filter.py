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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

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


@dataclass(slots=True)
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

    def look_up(self, hashes: Hashes) -> LookUp:
        """Return which rows may hold each hash of a query.

        Args:
            hashes: `(q,) uint32`, in text order; 64 bytes for each and each 512 rows are held.

        Raises:
            ParameterError: `hashes` is not `(q,) uint32`.
        """
        hits = {number: self.tiles[number].hits(hashes) for number in sorted(self.tiles)}
        n_holding = np.zeros(len(hashes))
        for number, found in hits.items():
            n_holding += kernels.popcounts(found) - self.needs(number).n_false
        return LookUp(self, hits, np.maximum(n_holding, 0.0))

    def rows_over(
        self, hashes: Hashes, windows: Windows, *, false_rows: float, method: str = "hashes"
    ) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield each tile's number and its rows above chance, by number.

        Args:
            hashes: `(q,) uint32`, the query in text order.
            windows: Half-open ranges of `hashes`.
            false_rows: Rows that may pass by chance, expected over all windows and tiles, above 0; crowded rows, see
                `CROWDED_RATE`, pass besides.
            method: `hashes` counts hashes in windows, see `LookUp.rows_over`; `popcount` common bits, see
                `RowNeeds.over_in_bits`.

        Raises:
            ParameterError: An argument is outside its range.
        """
        if method == "hashes":
            yield from self.look_up(hashes).rows_over(windows, false_rows=false_rows)
        elif method == "popcount":
            for number in sorted(self.tiles):
                yield number, self.needs(number).over_in_bits(hashes, false_rows / max(1, self.n_rows))
        else:
            raise ParameterError(f"method is {method!r}, expected 'hashes' or 'popcount'")

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
        hits: By tile number, `(q, ceil(n_rows / 64)) uint64`; see `Tile.hits`.
        n_holding: `(q,) float64`, at least 0, how many rows hold each hash: those that it hits, less the false ones.
            How common a hash is stands in the filter itself: a row holds some two dozen documents, so few rows are few
            documents. Off by the chance of false hits, two rows where 1,500 have ε = 0.3 %.
    """

    matrix: PseudoMatrixBloomFilter
    hits: dict[int, Words]
    n_holding: NDArray[np.float64]

    def some(self, places: NDArray[np.intp]) -> LookUp:
        """Return what was found of some of the hashes."""
        hits = {number: found[places] for number, found in self.hits.items()}
        return LookUp(self.matrix, hits, self.n_holding[places])

    def rows_over(self, windows: Windows, *, false_rows: float) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield each tile's number and the rows that a query hits, in any window, more often than chance explains.

        A window's hashes hit an unrelated row by the row's own ε, or since they are common: by the share of all rows
        that hold them, but for one, which may be the row in question. Shares are averaged over a window; for a tail
        beyond the mean that is on the safe side (Hoeffding 1956). A row that all hashes of a window hit passes
        whatever the rates, so a stored text no longer than a window is never missed.

        Args:
            windows: Half-open ranges of the hashes.
            false_rows: Rows that may pass by chance, expected over all windows and tiles, above 0.

        Raises:
            ParameterError: A window leaves the hashes, or `false_rows` is not above 0.
        """
        spans = np.asarray(windows, np.int64).reshape(-1, 2)
        spans = spans[spans[:, 0] != spans[:, 1]]
        chance = false_rows / max(1, len(spans) * self.matrix.n_rows)
        of, kinds = self._kinds(spans)
        for number, hits in self.hits.items():
            limits = self.matrix.needs(number).limits(kinds, chance)
            yield number, kernels.rows_over(hits, spans, of, np.array([n for n, _ in kinds], np.int64), limits)

    def _kinds(self, spans: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[tuple[int, int]]]:
        """Return the kind of each window, and of each kind the size and the step of `_rate` that is its background."""
        n_hashes = len(self.n_holding)
        sums = np.zeros(n_hashes + 1)
        np.cumsum(np.maximum(self.n_holding - 1, 0.0) / max(1, self.matrix.n_rows), out=sums[1:])
        inside = np.clip(spans, 0, n_hashes)  # windows that leave the hashes are refused by the kernel
        sizes = spans[:, 1] - spans[:, 0]
        shares = (sums[inside[:, 1]] - sums[inside[:, 0]]) / np.maximum(1, sizes)
        steps = np.ceil(np.log2(np.clip(shares, 2.0**_LOWEST_STEP, 1.0))).astype(np.int64)
        of_each = sizes * _STEPS + steps - _LOWEST_STEP
        keys = distinct(of_each)
        of = np.searchsorted(keys, of_each).astype(np.int64, copy=False)
        return of, [(key // _STEPS, key % _STEPS + _LOWEST_STEP) for key in keys.tolist()]


_LOWEST_STEP = -10
_STEPS = 1 - _LOWEST_STEP


def _rate(step: int) -> float:
    """Return a background rate: 2^step, or none at the lowest step, where it is less than any row's own."""
    return 0.0 if step == _LOWEST_STEP else 2.0**step


class RowNeeds:
    """How much each row of a tile needs to stand out; computed once for queries of like lengths.

    Args:
        tile: The rows; they must not change any more.
    """

    def __init__(self, tile: Tile) -> None:
        rates = tile.rates()
        self.n_false = float(rates.sum())
        """Rows that a hash hits by chance, expected."""
        self._tile = tile
        self._always = np.flatnonzero(rates > CROWDED_RATE)
        rounded = _rounded_up(rates)
        self._rates = distinct(rounded)
        self._rate_of = np.searchsorted(self._rates, rounded)
        self._limits: dict[tuple[int, float, int], NDArray[np.int32]] = {}

    def limits(self, kinds: Sequence[tuple[int, int]], chance: float) -> NDArray[np.int32]:
        """Return how many hits each row needs in each kind of window, `(n_kinds, n_rows) int32`.

        Args:
            kinds: Size and background step of each kind.
            chance: That one window of one unrelated row passes, above 0.
        """
        found = [self._limits_of(*thresholds.grid_point(size, chance), step) for size, step in kinds]
        lines = np.array(found, np.int32).reshape(len(kinds), len(self._rates))
        np.minimum(lines, np.array([size for size, _ in kinds], np.int32)[:, None], out=lines)
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

    def _limits_of(self, size: int, chance: float, step: int) -> NDArray[np.int32]:
        """Return how many hits each rate needs in a window, of a size and a chance on the grid."""
        point = size, chance, step
        if point not in self._limits:
            if len(self._limits) >= _MOST_LIMITS:
                del self._limits[next(iter(self._limits))]
            rates = 1 - (1 - self._rates) * (1 - _rate(step))
            self._limits[point] = _limits(size, rates, chance)
        return self._limits[point]


def _rounded_up(rates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rates on a grid of 2^(1/4), so that the rows of a tile share a few."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.minimum(np.exp2(np.ceil(4 * np.log2(rates)) / 4), 1.0))


def _limits(n: int, rates: NDArray[np.float64], chance: float) -> NDArray[np.int32]:
    """Return how many of n must be found: at least one, and all of them always suffice."""
    return np.clip(thresholds.thresholds(n, rates, chance), 1, n)
