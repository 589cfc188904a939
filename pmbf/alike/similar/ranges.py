"""A range of chunk IDs: the holder that inverts its part of some documents' lists, and counts what lists share with it.

    lists ─cut to the range, without common chunks─► Inverted ◄─probed by─ lists of any documents ─► partial counts

The similarity of two documents is a sum over all ranges. So counts of one range are never cut to the highest.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.alike.similar.segments import ChunkSegment, ListBatch
from pmbf.base import arrays
from pmbf.kernels import Inverted, Lists, SharedCounts
from pmbf.store.files import Identity

Numbers = NDArray[np.uint32]


class Range:
    """A holder of one range.

    Args:
        folder: The collection's, or one with the same segments.
        identity: The collection's.
        bits: Of a chunk ID.
        number: Of the range, from 0.
        n_ranges: How many ranges there are.
    """

    def __init__(self, folder: Path, identity: Identity, bits: int, number: int, n_ranges: int) -> None:
        self._folder, self._identity = folder, identity
        self._first, stop = (-(-one * 2**bits // n_ranges) for one in (number, number + 1))
        self._width = stop - self._first
        self._is_all = n_ranges == 1
        self._segments: dict[int, ChunkSegment] = {}
        self._index: Inverted | None = None

    def common(self, batches: Sequence[ListBatch], n_documents: int) -> Numbers:
        """Return the chunks of the range that more than `n_documents` documents have, ascending."""
        ordered = np.concatenate([np.empty(0, np.uint32), *(self._cut(one).features for one in batches)])
        ordered.sort()
        n = max(0, len(ordered) - n_documents)
        return arrays.distinct(ordered[:n][ordered[:n] == ordered[len(ordered) - n :]])

    def hold(self, batches: Sequence[ListBatch], common: Numbers) -> list[Numbers]:
        """Invert the lists of documents, in place of those held before.

        Args:
            batches: The documents, whose numbers ascend through all batches.
            common: Chunks that count for nothing, ascending.

        Returns:
            For each batch how many chunks of the range each of its documents has, common ones left out.
        """
        self._index = None
        lists = [kernels.drop_features(self._cut(one), common) for one in batches]
        documents = np.concatenate([np.empty(0, np.uint32), *(one.documents for one in batches)])
        self._index = kernels.invert(kernels.join_lists(lists), documents)
        return [one.sizes for one in lists]

    def count(self, batch: ListBatch, min_shared: int, once: bool) -> SharedCounts:
        """Return which documents held share how many chunks of the range with each list of a batch.

        Args:
            batch: The lists.
            min_shared: Fewest shared chunks that are told.
            once: Whether to tell only documents above the list's own number: each pair once.
        """
        assert self._index is not None, "documents are held before lists are counted"
        after = batch.documents if once else None
        return kernels.shared_counts(self._index, self._lists(batch), min_shared=min_shared, after=after)

    def _lists(self, batch: ListBatch) -> Lists:
        serial = batch.file.serial
        if serial not in self._segments:
            self._segments[serial] = ChunkSegment(self._folder, batch.file, self._identity)
        return self._segments[serial].take(batch.places)

    def _cut(self, batch: ListBatch) -> Lists:
        lists = self._lists(batch)
        return lists if self._is_all else within(lists, self._first, self._width)


def within(lists: Lists, first: int, width: int) -> Lists:
    """Return the lists with their features from `first` on, below `first + width`.

    >>> within(Lists.of([np.array([1, 5, 9], np.uint32)]), 4, 5).features.tolist()
    [5]
    """
    inside = lists.features - np.uint32(first) < width
    n_before = np.zeros(len(inside) + 1, np.uint64)
    np.cumsum(inside, out=n_before[1:])
    return Lists(n_before[lists.offsets], lists.features[inside])
