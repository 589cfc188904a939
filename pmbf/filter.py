"""The pseudo-matrix Bloom filter: which rows may hold a query's hashes. It knows bits, never documents.

                          a hash ─► k lines, one AND
                     row 0      row 1     …   row 16
        line 0    │   0          1        …     0    │
        line 1    │   1          1        …     0    │     a row holds all hashes of one segment of the postings,
          …       │   …          …        …     …    │     thousands of documents; the rows lie side by side
                     │          │               │
                  segment 0  segment 1  …  segment 16     asked for the hashes that their rows may have, and no others

A row is one Bloom filter shared by many documents. In a matrix with one document per row, a short document wastes most
of its row. The pseudo-matrix saves that space. Each query asks the filter first (`store.posted`, in C
`native/postings/rows.c`): a hash that is in no document, as half of a text's hashes are, costs k bits of one block. The
filter has no false negatives, so no answer depends on it. `kernels.SegmentRows` has the bits of such rows.

In a collection of the kind `rows`, the paper's own system, the rows are the index: a row holds some two dozen
documents, and there are no postings.

                     row 0      row 1     …   row 511
        tile 0   │ ░░▒░▒░░▒░ │ ▒░░▒░░▒▒░ │ … │ ░▒░░▒░▒░░ │   sealed    512 rows of one width
        tile 1   │ ▒░░░░▒░▒░░▒░ │ ░░▒░▒░▒░▒░░▒ │ …       │   sealed    512 wider rows: the documents had grown longer
        tile 2   │ ░▒░░░░▒░░▒░▒ │ ░░░░▒░░░ …                 open      takes the next documents

`tile.py` draws how these bits lie in memory; `rowindex.py` knows the documents of each row. A query looks up hash by
hash (`look_up`), and weighs the hits of each row (`kernels.rows_with_evidence`). With the method popcount, the paper's
way, `rows_with_common_bits` makes a row of the query and counts the bits that it shares with each row. At equal memory,
hits separate a copy from chance three to four times better than bits: z = x sqrt(q (1 - ε) / ε) against
x sqrt(q k / (e^(k/c) - 1)), where x is the copied share, q the number of the query's hashes, and c the bits of a row
per hash in it.

Sources:
    Tskhay, Butakov & Kim 2014, Fast filtering of texts by means of a modified Bloom filter: the pseudo-matrix.
    Geravand & Ahmadi 2011, Novel Adjustable Matrix Bloom Filter-Based Copy Detection System: AND and popcount.
    Chang et al. 2006, Bigtable: a filter for each file of a log-structured merge-tree.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base import thresholds
from pmbf.base.params import bits_per_row
from pmbf.tile import ROWS_PER_TILE, Bits, Hashes, Tile

__all__ = [
    "ROWS_PER_TILE",
    "SEGMENT_BITS",
    "SEGMENT_FPR",
    "LookUp",
    "PseudoMatrixBloomFilter",
    "Tile",
    "laid",
    "row_bits",
]

CROWDED_RATE = 0.2
"""An absent hash hits a crowded row with a chance over 0.2. Such a row says little, and has few, long documents: it
always passes."""


SEGMENT_BITS, SEGMENT_FPR, ROWS_AT_FPR = 3, 0.1, 4
"""Bits that a hash sets in the row of a segment, k, and the chance that an absent hash passes it, ε. A hash takes 4.8
bits. With 12.4 bits, ε is 0.01: then a tenth fewer look-ups are in vain, but of a collection that is larger than memory
the rows alone take what a quarter of the index takes."""

_LAID_WORDS = 1 << 13
"""Words of each row that are laid beside those of the others at once: they take 4 MB as lines of 64 bytes."""


def row_bits(n_hashes: int, n_rows: int = 1) -> int:
    """Return the bits of a row for a segment, m: whole blocks, as formula (3) gives them for ε.

    ε is `SEGMENT_FPR`. Of more than four rows side by side it is less, so that an absent hash passes 0.4 of them all.

    Args:
        n_hashes: Distinct hashes of the segment; of several rows side by side, those of the largest segment.
        n_rows: Rows side by side.

    >>> row_bits(1000), row_bits(1000, 4), row_bits(1000, 16)
    (5120, 5120, 8704)
    """
    fpr = SEGMENT_FPR * min(1.0, ROWS_AT_FPR / n_rows)
    wanted = bits_per_row(max(1, n_hashes), n_hashes=SEGMENT_BITS, fpr=fpr)
    return -(-wanted // kernels.BLOCK_LINES) * kernels.BLOCK_LINES


def laid(rows: Bits) -> Iterator[NDArray[np.uint8]]:
    """Yield rows of segments side by side, as `kernels.SegmentRows` has them, part after part.

    Args:
        rows: `(n_rows, W) uint64`, 1 to 512 rows.

    >>> b"".join(part.tobytes() for part in laid(np.array([[1], [3]], np.uint64)))[:4]
    b'\\x03\\x02\\x00\\x00'
    """
    if len(rows) == 1:
        yield rows[0].view(np.uint8)
        return
    n_bytes = kernels.line_bits(len(rows)) // 8
    for first in range(0, rows.shape[1], _LAID_WORDS):
        lines = kernels.seal(np.ascontiguousarray(rows[:, first : first + _LAID_WORDS]))
        yield np.ascontiguousarray(lines.view(np.uint8).reshape(len(lines), -1)[:, :n_bytes])


@dataclass
class PseudoMatrixBloomFilter:
    """Tiles by number. A row is named by the number of its tile and its number in the tile.

    Tiles may differ in width: a new tile takes the width that suits the documents seen by then.

    Args:
        tiles: The tiles by number.

    >>> matrix = PseudoMatrixBloomFilter({4: Tile.new(194, n_hashes=3, fpr=0.01)})
    >>> matrix.tiles[4].insert(matrix.tiles[4].add_row(), np.arange(50, dtype=np.uint32))
    >>> query = np.arange(20, 40, dtype=np.uint32)
    >>> [(tile, rows.tolist()) for tile, rows in matrix.rows_with_common_bits(query, false_rows=0.01)]
    [(4, [0])]
    """

    tiles: dict[int, Tile] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Rows of all tiles."""
        return sum(tile.n_rows for tile in self.tiles.values())

    @cached_property
    def n_false(self) -> float:
        """Expected number of rows that a hash of no document hits by chance."""
        return sum(float(tile.rates().sum()) for tile in self.tiles.values())

    def look_up(self, hashes: Hashes) -> LookUp:
        """Return which rows may hold each hash of a query.

        Args:
            hashes: `(q,) uint32`, in text order. The result takes 64 bytes for each hash and each 512 rows.

        Raises:
            ParameterError: `hashes` is not `(q,) uint32`.
        """
        return LookUp(self, *kernels.look_up([tile.probed(hashes) for _, tile in sorted(self.tiles.items())], hashes))

    def rows_with_common_bits(self, hashes: Hashes, *, false_rows: float) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield each tile's number and its rows that share more bits with a query than chance explains.

        This is the paper's measure. An unrelated row shares about Bin(B, fill) of the B bits of a query. The true
        number varies less, since the B positions are distinct, unless common phrases set k bits at once.

        Args:
            hashes: `(q,) uint32`, the query in any order.
            false_rows: Expected number of rows that pass by chance, over all tiles, above 0. Crowded rows pass as well;
                see `CROWDED_RATE`.

        Raises:
            ParameterError: An argument is outside its range.
        """
        for number in sorted(self.tiles):
            yield number, _over(self.tiles[number], hashes, false_rows / max(1, self.n_rows))


@dataclass(slots=True, eq=False)
class LookUp:
    """Which rows of a filter may hold each hash of a query. It is not frozen: to make one takes a third of the time.

    Args:
        matrix: The filter.
        hits: `(q, S) uint64`, the hits of each tile side by side, tiles by number; see `Tile.hits`.
        n_hit: `(q,) int64`, the number of rows that each hash hits.
    """

    matrix: PseudoMatrixBloomFilter
    hits: Bits
    n_hit: NDArray[np.int64]

    def by_tile(self, rows: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield each tile's number and those of the given rows that lie in the tile, numbered within the tile.

        Args:
            rows: `(n,) int64`, ascending: numbers of bits in a line of `hits`.
        """
        listed, first, start = rows.tolist(), 0, 0
        for number in sorted(self.matrix.tiles):
            after = first + -(-self.matrix.tiles[number].n_rows // 64) * 64
            stop = bisect_left(listed, after, start)
            yield number, rows[start:stop] - first
            first, start = after, stop


def _over(tile: Tile, hashes: Hashes, chance: float) -> NDArray[np.int64]:
    """Return the rows of a tile, ascending, that have more bits in common with a query than chance explains."""
    n_bits = len(tile.places(hashes))
    over = tile.rates() > CROWDED_RATE
    if n_bits:
        needed = thresholds.thresholds(n_bits, tile.popcounts / tile.row_bits, chance)
        over |= tile.common_bits(hashes) >= np.clip(needed, 1, n_bits)
    return np.flatnonzero(over)
