"""What both twins of the kernels of sentences share: units and their codes, lists of sentences, the table of stems.

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
    "CODES",
    "GROUP_BITS",
    "MOST_LIST_HASHES",
    "NO_HASHES",
    "SENTENCE",
    "SHORT_COLUMNS",
    "WHOLE",
    "HashedSentences",
    "Likeness",
    "StemTable",
    "Units",
]

CODES = {"words": 10, "paper": 5}
"""How many keys a unit has, by the name of the code.

    words   the smallest hashes of its shingles under 10 hash functions; a shingle is 3 words in any order
    paper   100 bits, one of the smallest hash of its words under each of 100 functions; a key of every 20 bits

Sources:
    Broder 1997; Li & König 2010 (b-bit minwise hashing), with b = 1; Jiang (SolrCloud), five groups of 20 bits.
"""

GROUP_BITS = 20
"""Bits of the paper's code in a key. They are the top bits but 3, which are the number of the group."""

LEAST_COLUMNS, HIGH_COLUMNS, MOST_COLUMNS = 110, 190, 250
"""A unit ends with the first sentence that brings it to 110 columns. A sentence that would bring the unit above 250 is
cut, at the last gap from 110 to 190 columns."""
SHORT_COLUMNS = 40
"""A shorter rest of a paragraph belongs to the unit before; a shorter paragraph is no unit."""

HAN_COLUMNS, HANGUL_COLUMNS = 3, 2
"""Columns of a letter. A letter of another script, a space and a mark have 1: docs/sentences.md says how measured."""

UNIT_SHINGLE = 3
N_MINIMA = 100


class Units(NamedTuple):
    """The sentences and units of a text. All places are code points of the text.

    Args:
        sentences: `(n_sentences, 2) uint32`, start and stop of each, in text order.
        spans: `(n, 2) uint32`, start and stop of each unit. If a unit begins at each sentence, then units overlap.
        keys: `(n, n_keys) uint64`, the keys of each.
        n_chars: Code points of the text.
    """

    sentences: NDArray[np.uint32]
    spans: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    n_chars: int


def require_code(code: str) -> None:
    """Refuse a code that there is not."""
    if code not in CODES:
        raise ParameterError(f"code is {code!r}, expected one of: {', '.join(CODES)}")


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
