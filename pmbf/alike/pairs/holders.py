"""What each process of a run holds: its share of the texts, or of the features.

    by texts        TextShare        each n-th text         it probes a block of the index, which all holders map
    by features     FeatureRange     a range of features    each text probes it: a part of what the text shares

Source: Zhang, Yu, Zhang & Huang, section 2.2: doc-split and term-split.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from pmbf import kernels
from pmbf.kernels import Inverted, Jaccard, Lists, SharedCounts

Kept = TypeVar("Kept", Lists, Inverted)


class TextShare:
    """Each n-th text.

    Args:
        folder: Has the features of all texts and a block of their index, by `keep_arrays`. All holders open it.
        share: The number of the holder.
        n_shares: How many holders there are.
        threshold: Least Jaccard index of a pair, in (0, 1].
    """

    def __init__(self, folder: Path, share: int, n_shares: int, threshold: float) -> None:
        self._lists, self._inverted = mapped(folder, Lists), mapped(folder, Inverted)
        self._sizes, self._share, self._n_shares, self._threshold = self._lists.sizes, share, n_shares, threshold

    def pairs(self, start: int, stop: int) -> SharedCounts:
        """Return which later texts of the block the own ones of some consecutive texts are pairs with."""
        own = np.arange(start + self._share, stop, self._n_shares, dtype=np.uint32)
        lists = Lists.of([self._lists[number] for number in own.tolist()])
        jaccard = Jaccard(self._threshold, lists.sizes, self._sizes)
        return kernels.shared_counts(self._inverted, lists, after=own, jaccard=jaccard)


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


def keep_arrays(folder: Path, kept: Lists | Inverted) -> None:
    """Write lists or an index to a folder, a file for each array or number.

    Raises:
        OSError: The disk is full, or the folder cannot be written.
    """
    for one in fields(kept):
        np.save(_path(folder, type(kept), one.name), getattr(kept, one.name))


def mapped(folder: Path, kind: type[Kept]) -> Kept:
    """Return what `keep_arrays` wrote. Its arrays are in memory once, for all processes that map them."""
    arrays = [np.asarray(np.load(_path(folder, kind, one.name), mmap_mode="r")) for one in fields(kind)]
    kept: list[Any] = [array if array.ndim else array.item() for array in arrays]
    return kind(*kept)


def _path(folder: Path, kind: type[Lists] | type[Inverted], name: str) -> Path:
    return folder / f"{kind.__name__}-{name}.npy".lower()
