"""The documents of a table of similarities and its rows, as arrays."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

KNOWN = np.dtype(
    [
        ("id", "<i8"),
        ("key", "<i8"),
        ("segment", "<i8"),
        ("place", "<i8"),
        ("n_chunks", "<i8"),
        ("n_counted", "<i8"),
        ("n_similar", "<i8"),
        ("least", "<i8"),
        ("rows_crc", "<i8"),
    ]
)
"""A document of the table, its columns in order.

    id          the document's in the collection
    key         of its contents
    segment     serial of the file that has its list
    place       of the list in the file
    n_chunks    distinct chunks of the document
    n_counted   of these, chunks that are not common
    n_similar   documents that are similar; if more than are kept, then its rows are cut
    least       fewest shared chunks of its rows if they are cut, otherwise 0
    rows_crc    CRC-32 of its rows
"""

COLUMNS = KNOWN.names or ()

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class TableRows:
    """Rows of the table of similarities, those of a document together.

    Args:
        documents: `(n,) int64`, ids.
        others: `(n,) int64`, ids of the documents that share chunks with them.
        shared: `(n,) int64`, how many chunks.
    """

    documents: Ids
    others: Ids
    shared: Ids

    @classmethod
    def none(cls) -> TableRows:
        """Return no rows."""
        return cls(*(np.empty(0, np.int64) for _ in range(3)))

    def __len__(self) -> int:
        return len(self.documents)

    def chosen(self, which: NDArray[np.bool_] | Ids) -> TableRows:
        """Return some of the rows, by a mask or by places."""
        return TableRows(self.documents[which], self.others[which], self.shared[which])

    def turned(self) -> TableRows:
        """Return the rows as those of the other document."""
        return TableRows(self.others, self.documents, self.shared)

    def and_also(self, others: TableRows) -> TableRows:
        """Return these rows and others."""
        columns = (self.documents, others.documents), (self.others, others.others), (self.shared, others.shared)
        return TableRows(*(np.concatenate(both) for both in columns))

    def ordered(self) -> TableRows:
        """Return the rows by document, then by the other document."""
        return self.chosen(np.lexsort((self.others, self.documents)))

    def among(self, others: TableRows) -> NDArray[np.bool_]:
        """Return which of the rows are among others, `(n,) bool`."""
        if not len(others):
            return np.zeros(len(self), np.bool_)
        ordered = others.ordered()
        mine, theirs = (one.documents << 32 | one.others for one in (self, ordered))
        at = np.minimum(np.searchsorted(theirs, mine), len(theirs) - 1)
        return np.asarray((theirs[at] == mine) & (ordered.shared[at] == self.shared))

    def checksums(self, ids: Ids) -> Ids:
        """Return the CRC-32 of the rows of some documents: other and shared of each, by ascending other.

        Args:
            ids: Any order. A document without rows has 0.
        """
        ordered = self.ordered()
        starts, stops = (np.searchsorted(ordered.documents, ids, side).tolist() for side in ("left", "right"))
        pairs = memoryview(np.stack([ordered.others, ordered.shared], axis=1).astype("<u4").tobytes())
        crcs = [zlib.crc32(pairs[8 * start : 8 * stop]) for start, stop in zip(starts, stops, strict=True)]
        return np.array(crcs, np.int64)
