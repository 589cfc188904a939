"""Rows of the table of similarities with their figures, each compared with what the last run committed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.similar.database import SimilarState
from pmbf.alike.similar.known import Ids, TableRows


class Figures:
    """Rows with their similarities, which follow from chunks that documents have and share.

    Args:
        state: The database.
        known: `KNOWN` rows of the documents that rows name, by ascending id.
    """

    def __init__(self, state: SimilarState, known: NDArray[np.void]) -> None:
        self._state, self._known = state, known

    @classmethod
    def of_all(cls, state: SimilarState) -> Figures:
        """Return the figures of all documents."""
        return cls(state, state.documents())

    def rows_of(self, ids: Ids) -> NDArray[np.void]:
        """Return the `KNOWN` rows of some documents.

        Raises:
            CorruptError: There is none of one of them.
        """
        places = np.minimum(np.searchsorted(self._known["id"], ids), max(0, len(self._known) - 1))
        if len(ids) and (not len(self._known) or (self._known["id"][places] != ids).any()):
            raise self._state.damage("a row names a document that has no list")
        return np.asarray(self._known[places])

    def shares(self, rows: TableRows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the similarity of each row, and that of the other direction; raise what `rows_of` raises."""
        sizes = [self.rows_of(ids)["n_counted"] for ids in (rows.documents, rows.others)]
        if len(rows) and (rows.shared < 1).any() | (rows.shared > np.minimum(*sizes)).any():
            raise self._state.damage("a row shares more chunks than a document has")
        return rows.shared / sizes[0], rows.shared / sizes[1]

    def each_rows(self, threshold: float = 0.0) -> Iterator[TableRows]:
        """Yield all rows whose similarity is not below a threshold, some at a time."""
        for rows in self._state.each_rows(self._known):
            yield rows.chosen(self.shares(rows)[0] >= threshold)

    def highest_first(self, rows: TableRows) -> Ids:
        """Return the places of rows, those of the highest similarity first."""
        return np.lexsort((rows.others, rows.documents, -rows.shared, -self.shares(rows)[0]))
