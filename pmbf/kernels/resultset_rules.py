"""What both twins of the kernels of result sets share: when two lists are alike, and the table of stems.

A *list* has the hashes of one article, ascending and distinct. The list knows the hashes of its article up to its
limit: a trimmed list up to its last hash, a whole list up to 2^32 - 1. Two lists are compared up to the smaller limit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
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
    "Likeness",
    "Sentences",
    "StemTable",
    "TrimmedLists",
    "lists_of",
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


class TrimmedLists(NamedTuple):
    """Some lists, end to end.

    Args:
        hashes: `(n,) uint32`, each list ascending and distinct.
        bounds: `(n_lists + 1,) int64`; list i is `hashes[bounds[i]:bounds[i + 1]]`.
        limits: `(n_lists,) uint32`, up to which hash each list knows its article.
    """

    hashes: Hashes
    bounds: NDArray[np.int64]
    limits: Hashes


def lists_of(packed: Sequence[bytes], without: Hashes) -> TrimmedLists:
    """Return the lists in some bytes.

    Args:
        packed: Of each list the limit, then its hashes, little-endian.
        without: `(n,) uint32`, ascending: hashes that are left out.

    Raises:
        ParameterError: The bytes hold no list, a list does not ascend or is too long, or `without` is no such array.
    """
    checks.require("without", without, np.uint32, "(n,)", 1)
    if not isinstance(packed, list) or not all(isinstance(one, bytes) and one and not len(one) % 4 for one in packed):
        raise ParameterError("lists are no list of bytes, expected of each list its limit and its hashes, 4 bytes each")
    lists = [np.frombuffer(one, "<u4") for one in packed]
    for one in lists:
        if len(one) > MOST_LIST_HASHES + 1:
            raise ParameterError(f"a list has {len(one) - 1} hashes, expected at most {MOST_LIST_HASHES}")
        if (one[2:] <= one[1:-1]).any():
            raise ParameterError("a list does not ascend, expected distinct hashes from the smallest on")
    kept = [one[1:][~np.isin(one[1:], without)] for one in lists]
    bounds = np.append(0, np.cumsum([len(one) for one in kept], dtype=np.int64))
    limits = np.array([one[0] for one in lists], np.uint32)
    return TrimmedLists(np.concatenate([*kept, np.zeros(0, np.uint32)]), bounds, limits)


def require_pairs(pairs: NDArray[np.int32], order: NDArray[np.int64]) -> None:
    """Refuse pairs of places that the order does not have, and an order that does not have each place once."""
    checks.require("pairs", pairs, np.int32, "(n_pairs, 5)", 2)
    checks.require("order", order, np.int64, "(n,)", 1)
    if sorted(order.tolist()) != list(range(len(order))):
        raise ParameterError(f"order does not have each of {len(order)} places once")
    if pairs.shape[1] != 5 or (len(pairs) and not 0 <= pairs[:, :2].min() <= pairs[:, :2].max() < len(order)):
        raise ParameterError(f"pairs have places outside the {len(order)} of the order")


class Sentences(NamedTuple):
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
    >>> len(table), table.look_up(np.array([8, 9, 7], np.uint64)).tolist()
    (2, [[1, 80], [0, 0], [1, 70]])
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
        if 2 * (self._n + len(stems)) > len(self.slots):
            held = self.slots[self.slots[:, 0] != 0]
            n_slots = len(self.slots)
            while 2 * (self._n + len(stems)) > n_slots:
                n_slots *= 2
            self.slots = np.zeros((n_slots, 2), np.uint64)
            self._n = 0
            self._place(held)
        keys = np.fromiter(stems.keys(), np.uint64, len(stems))
        self._place(np.stack([keys, np.fromiter(stems.values(), np.uint64, len(stems))], axis=1))

    def look_up(self, keys: Keys) -> Keys:
        """Return for each key whether it is there, and its stem, `(n, 2) uint64`."""
        found = np.zeros((len(keys), 2), np.uint64)
        open_, at = np.arange(len(keys)), self._first_slots(keys)
        while len(open_):
            held = self.slots[at, 0]
            hit = held == keys[open_]
            found[open_[hit]] = np.stack([np.ones(hit.sum(), np.uint64), self.slots[at[hit], 1]], axis=1)
            goes_on = ~hit & (held != 0)
            open_, at = open_[goes_on], (at[goes_on] + 1) & (len(self.slots) - 1)
        return found

    def _place(self, entries: Keys) -> None:
        mask = len(self.slots) - 1
        for at, entry in zip(self._first_slots(entries[:, 0]).tolist(), entries, strict=True):
            while self.slots[at, 0] not in (0, entry[0]):
                at = (at + 1) & mask
            self._n += not self.slots[at, 0]
            self.slots[at] = entry

    def _first_slots(self, keys: Keys) -> NDArray[np.intp]:
        shift = 64 - (len(self.slots).bit_length() - 1)
        return (keys * np.uint64(self.factor) >> np.uint64(shift)).astype(np.intp)
