"""Everyone with everyone: the highest counts of each document.

    lists ─invert─► index ─shared_counts, a block of lists at a time─► counts ─Highest─► the best of each document

The kernels count; this module keeps what is asked for. A caller that counts ranges of features elsewhere sums the
ranges with `kernels.merge_counts` and gives the sums to `Highest`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.errors import ParameterError
from pmbf.kernels import SharedCounts

Numbers = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """For each document the documents that share most with it.

    Args:
        offsets: `(n + 1,) uint64`; row i is `documents[offsets[i]:offsets[i + 1]]`.
        documents: `(offsets[-1],) uint32`, the highest count first; of equal counts the least rank first.
        counts: `(offsets[-1],) uint32`, shared features.
        totals: `(n,) uint32`, how many documents were offered to each row.
    """

    offsets: NDArray[np.uint64]
    documents: Numbers
    counts: Numbers
    totals: Numbers

    @property
    def is_cut(self) -> NDArray[np.bool_]:
        """`(n,) bool`, whether a row lacks some of the documents that were offered to it."""
        return self.totals > np.diff(self.offsets)


class Highest:
    """Rows that keep the highest of the counts that are offered to them, whatever the order of the offers.

    It takes 8 bytes for each count it may keep. The pairs themselves are not held.

    `ranks` is a permutation, `(n_documents,) uint32`. Of equal counts the least ranks are kept.
    """

    def __init__(self, n_rows: int, keep: int, ranks: Numbers) -> None:
        if keep < 1:
            raise ParameterError(f"keep is {keep}, expected at least 1")
        if (np.bincount(ranks, minlength=len(ranks)) != 1).any():
            raise ParameterError(f"ranks is no permutation of 0 to {len(ranks) - 1}")
        self._ranks, self._at_rank = ranks, np.empty_like(ranks)
        self._at_rank[ranks] = np.arange(len(ranks), dtype=np.uint32)
        self._kept = np.zeros((n_rows, keep), np.uint64)
        self._totals = np.zeros(n_rows, np.uint32)

    def add(self, counts: SharedCounts, rows: Numbers, *, mirrored: bool = False) -> None:
        """Offer counts to rows: list i to row `rows[i]`. No row may be offered a document twice, in all calls.

        If `mirrored`, then each list's row, as a document, is offered to the rows of its documents too. Then rows are
        documents, and counts of pairs i < j alone give both directions.
        """
        kernels.add_highest(self._kept, self._totals, counts, rows, self._ranks, mirrored=mirrored)

    def add_pairs(self, rows: Numbers, documents: Numbers, shared: Numbers) -> None:
        """Offer pairs to rows, in any order: `shared[i]` of `documents[i]` to row `rows[i]`."""
        n_rows = len(self._totals)
        order = np.argsort(rows.astype(np.uint64) << np.uint64(32) | documents)
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(rows, minlength=n_rows))])
        counts = SharedCounts(offsets.astype(np.uint64), documents[order], shared[order])
        self.add(counts, np.arange(n_rows, dtype=np.uint32))

    def ranked(self) -> Ranked:
        """Return what the rows keep."""
        keys = np.sort(self._kept, axis=1)[:, ::-1]
        held = keys > 0
        offsets = np.append(0, np.cumsum(held.sum(axis=1))).astype(np.uint64)
        some = keys[held]
        ranks = np.uint64(0xFFFFFFFF) - (some & np.uint64(0xFFFFFFFF))
        return Ranked(offsets, self._at_rank[ranks], (some >> np.uint64(32)).astype(np.uint32), self._totals.copy())
