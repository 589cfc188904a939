"""The documents of a table of similarities and its rows, as arrays; the documents of a run, in batches."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.similar.segments import ListBatch
from pmbf.store.files import StoredFile

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

BATCH_CHUNKS = 2_000_000
"""Chunks whose counts are asked for in one call: some 1,600 documents of 1,300 chunks."""
_BATCH_DOCUMENTS = 4096


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
    def joined(cls, parts: Sequence[TableRows]) -> TableRows:
        """Return the rows of all parts, in their order."""
        columns = [(one.documents, one.others, one.shared) for one in parts]
        return cls(*(np.concatenate(column) for column in zip([np.empty(0, np.int64)] * 3, *columns, strict=True)))

    def __len__(self) -> int:
        return len(self.documents)

    def chosen(self, which: NDArray[np.bool_] | Ids) -> TableRows:
        """Return some of the rows, by a mask or by places."""
        return TableRows(self.documents[which], self.others[which], self.shared[which])

    def turned(self) -> TableRows:
        """Return the rows as those of the other document."""
        return TableRows(self.others, self.documents, self.shared)

    @property
    def keys(self) -> NDArray[np.uint64]:
        """`(n,) uint64`, document << 32 | other."""
        return self.documents.astype(np.uint64) << np.uint64(32) | self.others.astype(np.uint32)

    def ordered(self) -> TableRows:
        """Return the rows by document, then by the other document."""
        keys = self.keys
        return self if (keys[1:] >= keys[:-1]).all() else self.chosen(np.argsort(keys, kind="stable"))

    def among(self, others: TableRows) -> NDArray[np.bool_]:
        """Return which of the rows are among others, `(n,) bool`."""
        if not len(others):
            return np.zeros(len(self), np.bool_)
        ordered = others.ordered()
        mine, theirs = self.keys, ordered.keys
        at = np.minimum(np.searchsorted(theirs, mine), len(theirs) - 1)
        return np.asarray((theirs[at] == mine) & (ordered.shared[at] == self.shared))

    def checksums(self, ids: Ids) -> Ids:
        """Return the CRC-32 of the rows of some documents: other and shared of each, by ascending other.

        A document without rows has 0.
        """
        ordered = self.ordered()
        starts, stops = (np.searchsorted(ordered.documents, ids, side).tolist() for side in ("left", "right"))
        pairs = memoryview(np.stack([ordered.others, ordered.shared], axis=1).astype("<u4").tobytes())
        crcs = [zlib.crc32(pairs[8 * start : 8 * stop]) for start, stop in zip(starts, stops, strict=True)]
        return np.array(crcs, np.int64)


class KnownRows:
    """The documents of a run. Number i is that of the i-th list in the segments, which are given by serial.

    Rows of `KNOWN` are given in any order; row i becomes that of number i. The lists of documents that are `gone` are
    still there; their numbers come last.
    """

    def __init__(
        self, known: NDArray[np.void], files: Mapping[int, StoredFile], gone: NDArray[np.void] | None = None
    ) -> None:
        self.known = _in_order(known)
        self._all = self.known if gone is None else np.concatenate([self.known, _in_order(gone)])
        self._files = files

    def __len__(self) -> int:
        """Return how many documents there are, those that left not counted."""
        return len(self.known)

    @property
    def n_all(self) -> int:
        """How many documents there are, with those that left."""
        return len(self._all)

    @cached_property
    def ranks(self) -> NDArray[np.uint32]:
        """`(n,) uint32`, the place of each number by ascending key: the order of equal similarities."""
        ranks = np.empty(len(self), np.uint32)
        ranks[np.lexsort((self.known["id"], self.known["key"]))] = np.arange(len(self), dtype=np.uint32)
        return ranks

    def numbers(self, ids: Ids) -> Ids:
        """Return the numbers of documents of the archive, by id."""
        return self._by_id[np.searchsorted(self.known["id"][self._by_id], ids)]

    @cached_property
    def _by_id(self) -> Ids:
        return np.argsort(self.known["id"])

    def batches(self, numbers: Ids | None = None) -> list[ListBatch]:
        """Return the lists of some documents, by ascending number, or of all that did not leave, in batches."""
        chosen = np.arange(len(self)) if numbers is None else numbers
        known = self._all[chosen]
        is_next = (np.diff(known["segment"]) != 0) | (np.diff(chosen >= len(self)) != 0)
        cuts = np.flatnonzero(is_next) + 1
        parts = zip(np.split(chosen, cuts), np.split(known, cuts), strict=True)
        return [batch for some, rows in parts if len(rows) for batch in self._split(some, rows)]

    def _split(self, numbers: Ids, known: NDArray[np.void]) -> Iterable[ListBatch]:
        file, ends, start = self._files[int(known["segment"][0])], np.cumsum(known["n_chunks"]), 0
        while start < len(known):
            before = ends[start - 1] if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, before + BATCH_CHUNKS, "right")))
            stop = min(stop, start + _BATCH_DOCUMENTS)
            yield ListBatch(file, known["place"][start:stop].copy(), numbers[start:stop].astype(np.uint32))
            start = stop


def _in_order(known: NDArray[np.void]) -> NDArray[np.void]:
    return np.asarray(known[np.lexsort((known["place"], known["segment"]))])
