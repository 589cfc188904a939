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
from pmbf.errors import ParameterError
from pmbf.tile import ROWS_PER_TILE, Hashes, Tile, Words

__all__ = ["ROWS_PER_TILE", "PseudoMatrixBloomFilter", "Tile", "rows_over"]

Windows = Sequence[tuple[int, int]] | NDArray[np.int64]
"""Half-open ranges of a query's hashes, `(n, 2)`."""

CROWDED_RATE = 0.2
"""A row that takes one absent hash in five for its own says little: its few, long documents are always looked at."""

_MOST_LIMITS = 48
"""Limits of a tile that are kept, 2 KB each: queries of like lengths share them."""


@dataclass(slots=True)
class PseudoMatrixBloomFilter:
    """Tiles by number; a row is known by its tile's number and its own.

    Tiles may differ in width: each takes the width that suits the documents of its time. A tile that has been asked
    must not change any more: what its rows need is computed once.

    Args:
        tiles: By number.
        background: By tile number, `(n_rows,)`: share of unrelated hashes that hit each row beyond its false positives,
            since its documents have common phrases; nothing where a tile is missing.

    >>> matrix = PseudoMatrixBloomFilter({4: Tile.new(194, n_hashes=3, fpr=0.01)})
    >>> matrix.tiles[4].insert(matrix.tiles[4].add_row(), np.arange(50, dtype=np.uint32))
    >>> query = np.arange(20, 40, dtype=np.uint32)
    >>> [(tile, rows.tolist()) for tile, rows in matrix.rows_over(query, [(0, 20)], false_rows=0.01)]
    [(4, [0])]
    """

    tiles: dict[int, Tile] = field(default_factory=dict)
    background: dict[int, NDArray[np.float32]] = field(default_factory=dict)
    _needs: dict[int, RowNeeds] = field(default_factory=dict, repr=False)

    @property
    def n_rows(self) -> int:
        """Rows of all tiles."""
        return sum(tile.n_rows for tile in self.tiles.values())

    def hits(self, hashes: Hashes) -> Iterator[tuple[int, Words]]:
        """Yield each tile's number and hits, by number; see `Tile.hits`."""
        for number in sorted(self.tiles):
            yield number, self.tiles[number].hits(hashes)

    def rows_over(
        self, hashes: Hashes, windows: Windows, *, false_rows: float, method: str = "hashes"
    ) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield each tile's number and its rows above chance, by number.

        Args:
            hashes: `(q,) uint32`, the query in text order.
            windows: Half-open ranges of `hashes`.
            false_rows: Rows that may pass by chance, expected over all windows and tiles, above 0; crowded rows, see
                `CROWDED_RATE`, pass besides.
            method: `hashes` or `popcount`; see `rows_over`.

        Raises:
            ParameterError: An argument is outside its range.
        """
        for number, _, rows in self.rows_over_each([(hashes, windows)], false_rows=false_rows, method=method):
            yield number, rows

    def rows_over_each(
        self, queries: Sequence[tuple[Hashes, Windows]], *, false_rows: float, method: str = "hashes"
    ) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
        """Yield tile by tile, and in a tile query by query, its number, the query's index and the rows above chance.

        All queries meet one tile while it is in the processor's cache. See `rows_over`.
        """
        chances = [false_rows / max(1, len(windows) * self.n_rows) for _, windows in queries]
        asked = [Asked.of(*query) for query in queries]
        for number in sorted(self.tiles):
            needs = self._needs_of(number)
            for index, (query, chance) in enumerate(zip(asked, chances, strict=True)):
                yield number, index, needs.rows_over(query, chance, method)

    def _needs_of(self, number: int) -> RowNeeds:
        if number not in self._needs:
            tile = self.tiles[number]
            rates = 1 - (1 - tile.rates()) * (1 - self.background.get(number, np.float32(0)))
            self._needs[number] = RowNeeds(tile, rates, tile.rates() > CROWDED_RATE)
        return self._needs[number]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A query as tiles are asked: its hashes, its windows as an array, and the sizes of those that are not empty."""

    hashes: Hashes
    windows: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, hashes: Hashes, windows: Windows) -> Asked:
        """Return a query of some windows, half-open ranges of its hashes."""
        spans = np.asarray(windows, np.int64).reshape(-1, 2)
        sizes = sorted({size for size in (spans[:, 1] - spans[:, 0]).tolist() if size > 0})
        return cls(hashes, spans, np.array(sizes, np.int64))


class RowNeeds:
    """How many hits each row of a tile needs, by the size of the window; computed once for queries of like lengths.

    Args:
        tile: The rows; they must not change any more.
        rates: `(n_rows,) float64`, chance that an unrelated hash hits each row: `tile.rates()`, or more.
        always: `(n_rows,) bool`, rows that pass whatever hits them; None for no row.

    Raises:
        ParameterError: `rates` has another shape.
    """

    def __init__(self, tile: Tile, rates: NDArray[np.float64], always: NDArray[np.bool_] | None = None) -> None:
        rates = np.asarray(rates, np.float64)
        if rates.shape != (tile.n_rows,):
            raise ParameterError(f"rates is {rates.dtype} {rates.shape}, expected float64 ({tile.n_rows},)")
        self._tile = tile
        self._rates = rates
        self._always = np.flatnonzero(always) if always is not None else np.empty(0, np.intp)
        self._limits: dict[tuple[int, float], NDArray[np.int32]] = {}

    def rows_over(self, asked: Asked, chance: float, method: str) -> NDArray[np.int64]:
        """Return the rows above chance, ascending; see the function `rows_over`."""
        if method == "hashes":
            return self._over_in_windows(asked, chance)
        if method == "popcount":
            over = _over_in_bits(self._tile, asked.hashes, self._rates, chance * len(asked.windows))
            over[self._always] = True
            return np.flatnonzero(over)
        raise ParameterError(f"method is {method!r}, expected 'hashes' or 'popcount'")

    def _over_in_windows(self, asked: Asked, chance: float) -> NDArray[np.int64]:
        limits = np.empty((len(asked.sizes), len(self._rates)), np.int32)
        for line, size in zip(limits, asked.sizes.tolist(), strict=True):
            np.minimum(self._limits_of(size, chance), size, out=line)
        return self._tile.rows_over(asked.hashes, asked.windows, asked.sizes, limits)

    def _limits_of(self, size: int, chance: float) -> NDArray[np.int32]:
        """Return how many hits each row needs in a window: those of a little longer window, at a little less chance."""
        point = thresholds.grid_point(size, chance)
        if point not in self._limits:
            if len(self._limits) >= _MOST_LIMITS:
                del self._limits[next(iter(self._limits))]
            limits = _limits(point[0], self._rates, point[1])
            limits[self._always] = 0
            self._limits[point] = limits
        return self._limits[point]


def rows_over(
    tile: Tile,
    hashes: Hashes,
    windows: Windows,
    *,
    rates: NDArray[np.float64],
    chance: float,
    method: str = "hashes",
) -> NDArray[np.int64]:
    """Return the rows of a tile that a query hits more often than chance explains, ascending.

    `hashes` counts, window by window, the query's hashes that hit a row. A row that all hashes of a window hit passes
    whatever its rate, so a stored text no longer than a window is never missed. `popcount` is the paper's: the bits
    that the whole query, as a row, shares with the row; windows are not looked at. Of B query bits an unrelated row
    shares about Bin(B, its fill); sharing is less than binomial, since B positions are distinct, unless common phrases
    set k bits at once. With k = 1 both count the same, but for hashes that fall on one position.

    Args:
        tile: The rows.
        hashes: `(q,) uint32`, the query in text order.
        windows: Half-open ranges of `hashes`; empty ones find nothing.
        rates: `(n_rows,) float64`, chance that an unrelated hash hits each row: `tile.rates()`, or more.
        chance: That one window of one unrelated row passes, above 0.
        method: `hashes` or `popcount`.

    Raises:
        ParameterError: A window leaves the hashes, a number is outside its range, or `method` is another.
    """
    return RowNeeds(tile, rates).rows_over(Asked.of(hashes, windows), chance, method)


def _over_in_bits(tile: Tile, hashes: Hashes, rates: NDArray[np.float64], chance: float) -> NDArray[np.bool_]:
    """Return which rows share more bits with the query; a hash that hits beyond a row's ε counts with all its bits."""
    at = kernels.positions(hashes, row_bits=tile.row_bits, n_hashes=tile.n_hashes)
    n_bits = len(np.unique(at))
    if not n_bits:
        return np.zeros(tile.n_rows, np.bool_)
    unset = 1 - tile.popcounts / tile.row_bits
    bit_rates = 1 - unset * (1 - rates) / np.maximum(1 - tile.rates(), np.finfo(float).tiny)
    return tile.common_bits(hashes) >= _limits(n_bits, np.clip(bit_rates, 0.0, 1.0), chance)


def _limits(n: int, rates: NDArray[np.float64], chance: float) -> NDArray[np.int32]:
    """Return how many of n must be found: at least one, and all of them always suffice."""
    return np.clip(thresholds.thresholds(n, rates, chance), 1, n)
