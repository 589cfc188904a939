"""All documents of a run, numbered by where their lists lie, and cut into batches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.similar.known import Ids
from pmbf.alike.similar.segments import ListBatch
from pmbf.store.files import StoredFile

BATCH_CHUNKS = 2_000_000
"""Chunks whose counts are asked for in one call: some 1,600 documents of 1,300 chunks."""
_BATCH_DOCUMENTS = 4096


class KnownRows:
    """The documents of a run. Number i is that of the i-th list in the segments, in order of their serials.

    Args:
        known: `KNOWN` rows, any order. Row i becomes that of number i.
        files: The segments by serial.
        gone: `KNOWN` rows of documents that left, whose lists are still there; their numbers come last.
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
        """Return the lists of some documents or of all, in batches of some `BATCH_CHUNKS`.

        Args:
            numbers: Ascending, maybe with some that left; None: all that did not leave.
        """
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
