"""Which rows of the filter are looked into for a query. A choice can be sent to where the rows are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.filter import PseudoMatrixBloomFilter
from pmbf.kernels import HitRules

MOST_ROWS = 64
"""Most rows of a tile that are looked into for a run."""

_MOST_HITS_BYTES, _LEAST_PART = 64 << 20, 7
"""Most bytes of hits held at once. A longer run is looked up part by part, at least 7 hashes at a time."""

Rows = Iterator[tuple[int, NDArray[np.int64]]]
"""The number of each tile, and rows of the tile."""


@dataclass(frozen=True, slots=True, eq=False)
class WithRun:
    """The rows that hold a run of hashes: at most `MOST_ROWS` rows of a tile.

    Args:
        hashes: `(q,) uint32`, the first bits of consecutive hashes of the query.
        weights: `(q,) int32`, the weight of each.
        tokens: `(q,) uint32`, where each begins in the query, in tokens.
        rules: How hits near each other count together.
        least: Evidence that a row must have, in the unit of the weights.
    """

    hashes: NDArray[np.uint32]
    weights: NDArray[np.int32]
    tokens: NDArray[np.uint32]
    rules: HitRules
    least: int

    def rows(self, matrix: PseudoMatrixBloomFilter) -> Rows:
        """Yield the rows of each tile; a tile may come several times."""
        line_bytes = 8 * sum(-(-tile.n_rows // 64) for tile in matrix.tiles.values())
        size = max(_LEAST_PART, _MOST_HITS_BYTES // max(1, line_bytes))
        for first in range(0, len(self.hashes), size):
            part = slice(first, first + size)
            looked_up = matrix.look_up(self.hashes[part])
            found = kernels.rows_with_evidence(
                looked_up.hits, self.weights[part], self.tokens[part], self.rules, least=self.least
            )
            for number, some in looked_up.by_tile(found):
                yield number, some[:MOST_ROWS]


@dataclass(frozen=True, slots=True, eq=False)
class InCommon:
    """The rows that have more bits in common with a query than chance explains.

    Args:
        hashes: `(q,) uint32`, the distinct first bits of the hashes of the query.
        false_rows: Expected number of rows that pass by chance, over all tiles, above 0.
    """

    hashes: NDArray[np.uint32]
    false_rows: float

    def rows(self, matrix: PseudoMatrixBloomFilter) -> Rows:
        """Yield the rows of each tile."""
        return matrix.rows_with_common_bits(self.hashes, false_rows=self.false_rows)
