"""What both twins of the kernels of result sets share: when two lists are alike, and the table of stems.

A *list* has the hashes of one article, ascending and distinct. The list knows the hashes of its article up to its
limit: a trimmed list up to its last hash, a whole list up to 2^32 - 1. Two lists are compared up to the smaller limit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import ParameterError
from pmbf.kernels import checks

__all__ = [
    "MOST_LIST_HASHES",
    "NO_HASHES",
    "SENTENCE",
    "WHOLE",
    "HashedSentences",
    "Likeness",
    "StemTable",
]

Hashes = NDArray[np.uint32]
Keys = NDArray[np.uint64]

WHOLE = 2**32 - 1
"""The limit of a list that was not trimmed."""

MOST_LIST_HASHES = 2**16 - 1
"""Hashes of a list at most: they are counted in 16 bits."""

SENTENCE = np.dtype([("hash", np.uint32), ("start", np.uint32), ("stop", np.uint32)])
UNKNOWN = np.dtype([("key", np.uint64), ("start", np.uint32), ("stop", np.uint32)])

NO_HASHES = np.zeros(0, np.uint32)
"""No hashes."""

_LEAST_SLOTS = 1 << 10


class Likeness(NamedTuple):
    """How many hashes two lists must share to be alike.

    Args:
        share: Shared hashes by those of both lists together; or, if `of_smaller`, by those of the smaller list.
        of_smaller: Whether the smaller list counts alone.
    """

    share: float
    of_smaller: bool = False

    def needed(self, n_first: int, n_second: int) -> int:
        """Return the hashes that lists of two lengths must share.

        One equal hash may be chance, unless it is all that both lists have.

        >>> Likeness(0.25).needed(6, 6), Likeness(0.25).needed(1, 1), Likeness(0.5, of_smaller=True).needed(2, 9)
        (3, 1, 2)
        """
        of = min(n_first, n_second) if self.of_smaller else n_first + n_second
        # The small number keeps a share that is a whole number from being rounded up by a wrong last bit.
        return max(math.ceil(self.share * float(of) - 1e-9), 2 if max(n_first, n_second) > 1 else 1)


class TrimmedList(NamedTuple):
    """A list, ascending and distinct, and up to which hash it knows its article."""

    limit: int
    hashes: list[int]


def lists_of(packed: Sequence[bytes], without: Hashes) -> list[TrimmedList]:
    """Return the lists in some bytes, without some hashes.

    Raises:
        ParameterError: The bytes hold no list, a list does not ascend or is too long, or `without` is no such array.
    """
    checks.require("without", without, np.uint32, "(n,)", 1)
    if not isinstance(packed, list) or not all(isinstance(one, bytes) and one and not len(one) % 4 for one in packed):
        raise ParameterError("lists are no list of bytes, expected of each list its limit and its hashes, 4 bytes each")
    left_out, lists = set(without.tolist()), []
    for one in packed:
        limit, *hashes = np.frombuffer(one, "<u4").tolist()
        if len(hashes) > MOST_LIST_HASHES:
            raise ParameterError(f"a list has {len(hashes)} hashes, expected at most {MOST_LIST_HASHES}")
        if any(after <= before for before, after in pairwise(hashes)):
            raise ParameterError("a list does not ascend, expected distinct hashes from the smallest on")
        lists.append(TrimmedList(limit, [hash for hash in hashes if hash not in left_out]))
    return lists


def require_pairs(pairs: NDArray[np.int32], order: NDArray[np.int64]) -> None:
    """Refuse pairs of places that the order does not have, and an order that does not have each place once."""
    checks.require("pairs", pairs, np.int32, "(n_pairs, 5)", 2)
    checks.require("order", order, np.int64, "(n,)", 1)
    if sorted(order.tolist()) != list(range(len(order))):
        raise ParameterError(f"order does not have each of {len(order)} places once")
    if pairs.shape[1] != 5 or (len(pairs) and not 0 <= pairs[:, :2].min() <= pairs[:, :2].max() < len(order)):
        raise ParameterError(f"pairs have places outside the {len(order)} of the order")


class HashedSentences(NamedTuple):
    """The sentences of a text that count.

    Args:
        found: `(n,) SENTENCE`: hash, start and stop of each in text order. If words are unknown, then it is empty.
        unknown: `(n,) UNKNOWN`: key, and start and stop in bytes, of each word that the table of stems lacks.
        n_chars: Code points of the text.
    """

    found: NDArray[np.void]
    unknown: NDArray[np.void]
    n_chars: int


class StemTable:
    """The hashes of the stems of words, by the words' keys: a hash table with open addressing, at most half full.

    The key of a word is the hash of its bytes as they stand in a text. So words that only fold to the same letters have
    keys of their own. One thread changes a table at a time.

    Args:
        factor: Odd; spreads the keys. A secret one keeps others from choosing words that meet in one slot.

    >>> table = StemTable(0x9E3779B97F4A7C15)
    >>> table.put({7: 70, 8: 80})
    >>> len(table), [table.look_up(key) for key in (8, 9, 7)]
    (2, [80, None, 70])
    """

    def __init__(self, factor: int) -> None:
        self.factor = factor | 1
        self.clear()

    def __len__(self) -> int:
        return self._n

    def clear(self) -> None:
        """Forget all words."""
        self.slots: Keys = np.zeros((_LEAST_SLOTS, 2), np.uint64)
        self._n = 0

    def put(self, stems: dict[int, int]) -> None:
        """Take stems by key. A key that is there stays as it is.

        Readers of `slots` see a table before or after a call of `put` if they are kept out meanwhile.
        """
        n_slots = len(self.slots)
        while 2 * (self._n + len(stems)) > n_slots:
            n_slots *= 2
        if n_slots > len(self.slots):
            held = self.slots[self.slots[:, 0] != 0].tolist()
            self.slots = np.zeros((n_slots, 2), np.uint64)
            for key, stem in held:
                self.slots[self._slot(key)] = key, stem
        for key, stem in stems.items():
            at = self._slot(key)
            if not self.slots[at, 0]:
                self.slots[at] = key, stem
                self._n += 1

    def look_up(self, key: int) -> int | None:
        """Return the stem of a word, if it is there."""
        held, stem = self.slots[self._slot(key)].tolist()
        return stem if held else None

    def _slot(self, key: int) -> int:
        """Return the slot that has a key, or the empty one where it would be."""
        n_slots = len(self.slots)
        at = (key * self.factor & 2**64 - 1) >> 64 - (n_slots.bit_length() - 1)
        while self.slots[at, 0] not in (0, key):
            at = (at + 1) % n_slots
        return at
