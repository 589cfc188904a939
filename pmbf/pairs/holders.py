"""What each process of a run holds: a part of the inverted index, by texts or by features.

    by texts        TextBlock        some texts, all their features      a list probes it: all it shares, at once
    by features     FeatureRange     all texts, a range of features      a list probes it: a part of what it shares

Source: Zhang, Yu, Zhang & Huang, section 2.2: doc-split and term-split.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.kernels import Jaccard, Lists, SharedCounts

Numbers = NDArray[np.uint32]


class TextBlock:
    """Some texts with all their features.

    Args:
        lists: Their features.
        numbers: `(n_lists,) uint32`, the number of each text, ascending.
        sizes: `(n_texts,) uint32`, the features of each text of the run.
        threshold: Least Jaccard index of a pair, in (0, 1].
    """

    def __init__(self, lists: Lists, numbers: Numbers, sizes: Numbers, threshold: float) -> None:
        self._inverted = kernels.invert(lists, numbers)
        self._sizes, self._threshold = sizes, threshold

    def pairs(self, lists: Lists, start: int) -> SharedCounts:
        """Return which later texts of the block each of some consecutive texts is a pair with.

        Args:
            lists: Their features.
            start: The number of the first one.
        """
        stop = start + len(lists)
        jaccard = Jaccard(self._threshold, self._sizes[start:stop], self._sizes)
        after = np.arange(start, stop, dtype=np.uint32)
        return kernels.shared_counts(self._inverted, lists, after=after, jaccard=jaccard)


class FeatureRange:
    """All texts, each with its features of one range.

    Args:
        lists: The features of the range.
    """

    def __init__(self, lists: Lists) -> None:
        self._inverted, self._lists = kernels.invert(lists), lists

    def counts(self, start: int, stop: int) -> SharedCounts:
        """Return how many features of the range consecutive texts share with each later text."""
        after = np.arange(start, stop, dtype=np.uint32)
        return kernels.shared_counts(self._inverted, self._lists.part(start, stop), after=after)
