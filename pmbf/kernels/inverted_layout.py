"""Lists of features and the inverted index that is made of them, as both twins lay them out.

A feature is a number of 32 bits that stands for something a document has: the hash of some words in a row. A document
is a number too. Nothing here knows texts.

    Lists         of each document its features     offsets  0 2 5      features   7 90 │ 7 8 90
    Inverted      of each feature its documents     starts   0 2 3 5    documents  0 1 │ 1 │ 0 1     of 7, 8 and 90
    SharedCounts  of each list the documents that   offsets  0 2 4      documents  0 1 │ 0 1
                  share features with it, how many                      counts     2 2 │ 2 3

Source: Kasprzak, Brandejs & Brandejsová 2009, Distributed Aspects of the System for Discovering Similar Documents,
section 2.3: the inverted index as two arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import ParameterError

__all__ = ["Inverted", "Jaccard", "Lists", "SharedCounts", "cut_lists", "join_lists"]

Numbers = NDArray[np.uint32]
Offsets = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The features of some documents.

    Args:
        offsets: `(n + 1,) uint64`; list i is `features[offsets[i]:offsets[i + 1]]`.
        features: `(offsets[-1],) uint32`, ascending and distinct inside each list.
    """

    offsets: Offsets
    features: Numbers

    @classmethod
    def of(cls, lists: Sequence[Numbers]) -> Lists:
        """Return lists of arrays, each ascending and distinct.

        >>> Lists.of([np.array([7, 90], np.uint32), np.array([], np.uint32)]).sizes.tolist()
        [2, 0]
        """
        offsets = np.cumsum([0, *map(len, lists)], dtype=np.uint64)
        return cls(offsets, np.concatenate([np.empty(0, np.uint32), *lists]))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> Numbers:
        """Return list i, a view."""
        return self.features[int(self.offsets[i]) : int(self.offsets[i + 1])]

    @property
    def sizes(self) -> Numbers:
        """`(n,) uint32`, the number of features of each list."""
        return np.diff(self.offsets).astype(np.uint32)

    def part(self, start: int, stop: int) -> Lists:
        """Return the lists from `start` up to `stop`; the features are a view."""
        cut = self.offsets[start : stop + 1]
        return Lists(cut - cut[0], self.features[int(cut[0]) : int(cut[-1])])


@dataclass(frozen=True, slots=True, eq=False)
class Inverted:
    """For each feature, the documents that have it.

    Args:
        features: `(m,) uint32`, distinct, ascending.
        starts: `(m + 1,) uint32`; feature `features[i]` is in `documents[starts[i]:starts[i + 1]]`.
        documents: `(n_postings,) uint32`, ascending and distinct for each feature.
        directory: `(s + 1,) uint32`, where each slot begins in `features`. A feature f not before the first and not
            behind the last one is in slot `(f - features[0]) >> shift`. A slot holds one or two features on average.
        shift: 0 to 31.
        n_documents: All numbers of documents are below it, 1 to 2^32 - 1; 0 if there are none.
    """

    features: Numbers
    starts: Numbers
    documents: Numbers
    directory: Numbers
    shift: int
    n_documents: int

    @property
    def frequencies(self) -> Numbers:
        """`(m,) uint32`, in how many documents each feature is."""
        return np.diff(self.starts)


@dataclass(frozen=True, slots=True, eq=False)
class SharedCounts:
    """For each list of features, documents and how many features each shares with the list.

    Args:
        offsets: `(n + 1,) uint64`; list i has `documents[offsets[i]:offsets[i + 1]]`.
        documents: `(offsets[-1],) uint32`, ascending and distinct inside each list.
        counts: `(offsets[-1],) uint32`, at least 1.
    """

    offsets: Offsets
    documents: Numbers
    counts: Numbers

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_pairs(self) -> int:
        """Pairs of a list and a document."""
        return len(self.documents)

    def lists(self) -> Numbers:
        """`(n_pairs,) uint32`, the list of each pair."""
        return np.repeat(np.arange(len(self), dtype=np.uint32), np.diff(self.offsets).astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Jaccard:
    """Which pairs count: shared features / features of either, divided as float64, is at least the threshold.

    Args:
        threshold: In (0, 1].
        list_sizes: `(n,) uint32`, all features of each list that probes, also those outside its range.
        sizes: `(n_documents,) uint32`, all features of each document.
    """

    threshold: float
    list_sizes: Numbers
    sizes: Numbers


def cut_lists(lists: Lists, n_ranges: int, *, bits: int = 32) -> list[Lists]:
    """Return the lists cut into ranges of features of equal width: `n_ranges` times all lists, each with a part.

    What is counted in each range and summed with `merge_counts` is what is counted in the whole.

    Args:
        lists: Features below 2^bits.
        n_ranges: From 1 to 65,536. Feature f is in range `f · n_ranges >> bits`.
        bits: 1 to 32.

    Raises:
        ParameterError: A feature has more bits, or `n_ranges` is outside its range.

    >>> [part.features.tolist() for part in cut_lists(Lists.of([np.array([1, 2**31], np.uint32)]), 2)]
    [[1], [2147483648]]
    """
    if not (1 <= n_ranges <= 1 << 16 and 1 <= bits <= 32):
        raise ParameterError(f"{n_ranges} ranges of {bits} bits, expected 1 to 65,536 ranges and 1 to 32 bits")
    if n_ranges == 1:
        return [lists]
    if len(lists.features) and int(lists.features.max()) >> bits:
        raise ParameterError(f"a feature is {lists.features.max()}, expected less than 2^{bits}")
    firsts = [-(-(number << bits) // n_ranges) for number in range(n_ranges + 1)]
    return [_between(lists, first, last - 1) for first, last in pairwise(firsts)]


def join_lists(parts: Sequence[Lists]) -> Lists:
    """Return the lists of several, one after another."""
    ends = np.cumsum([0, *(len(part.features) for part in parts)], dtype=np.uint64)
    offsets = [part.offsets[1:] + end for part, end in zip(parts, ends, strict=False)]
    return Lists(
        np.concatenate([np.zeros(1, np.uint64), *offsets]),
        np.concatenate([np.empty(0, np.uint32), *(part.features for part in parts)]),
    )


def _between(lists: Lists, first: int, last: int) -> Lists:
    """Return the lists with the features from the first to the last."""
    chosen = (lists.features >= np.uint32(first)) & (lists.features <= np.uint32(last))
    n_before = np.zeros(len(chosen) + 1, np.uint64)
    np.cumsum(chosen, out=n_before[1:])
    return Lists(n_before[lists.offsets], lists.features[chosen])


def shift_of(features: Numbers) -> int:
    """Return the shift of a directory: the least with which no more slots than features are needed."""
    reach, shift = int(features[-1]) - int(features[0]) if len(features) else 0, 0
    while (reach >> shift) + 1 > max(1, len(features)):
        shift += 1
    return shift
