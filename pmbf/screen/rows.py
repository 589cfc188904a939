"""Which rows of the filter are looked into for a query: those of the paper's measure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf.filter import PseudoMatrixBloomFilter

FALSE_SHARE = 0.02
"""Share of the rows that may pass by chance, if no number of them is given."""

Rows = Iterator[tuple[int, NDArray[np.int64]]]
"""The number of each tile, and rows of the tile."""


@dataclass(frozen=True, slots=True, eq=False)
class InCommon:
    """The rows that have more bits in common with a query than chance explains.

    Args:
        hashes: `(q,) uint32`, the distinct first bits of the hashes of the query.
        false_rows: Expected number of rows that pass by chance, over all tiles, above 0; None: `FALSE_SHARE` of all.
    """

    hashes: NDArray[np.uint32]
    false_rows: float | None

    def rows(self, matrix: PseudoMatrixBloomFilter) -> Rows:
        """Yield the rows of each tile."""
        false_rows = self.false_rows or FALSE_SHARE * max(1, matrix.n_rows)
        return matrix.rows_with_common_bits(self.hashes, false_rows=false_rows)
