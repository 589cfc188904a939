"""How rare the words of a text are: the native twin of `reference_weigh`.

`native/align/weigh.c` does the work. The hash table of counts is made once, and kept with them.
"""

from __future__ import annotations

import math
from ctypes import Structure, addressof, c_int64, c_void_p
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import Words
from pmbf.kernels.asked import PAGE_WORDS, Counts, Weighed
from pmbf.kernels.native_library import address, function

__all__ = ["weigh"]

_at = address()
_fill_counts = function("pmbf_align_counts", *[c_void_p] * 3, c_int64, c_void_p, c_int64)
_weigh = function("pmbf_align_weigh", *[c_void_p] * 3, *[c_int64] * 3, *[c_void_p] * 3, returns=c_int64)

_COUNTED = np.dtype([("key", np.uint64), ("n_holding", np.int32), ("n_times", np.int32)])


class NativeCounts(Structure):
    """`counts_t` of native/align/weigh.h."""

    _fields_ = (
        ("slots", c_void_p),
        ("n_slots", c_int64),
        *((name, c_void_p) for name in ("logs", "like_logs")),
        *((name, c_int64) for name in ("n_pages", "n_words", "page_words")),
    )


def weigh(counts: Counts, text: Words, commonest: int) -> Weighed:
    """As `reference_weigh.weigh`."""
    n, (made, _kept) = len(text.keys), counts_of(counts)
    rarities, priors = (one.astype(np.int32) for one in counts.of_own(text.keys))
    given, room = (_at(text.keys), _at(text.types), n, len(text.types), commonest), np.empty((2, n), np.int32)
    n_like = _weigh(addressof(made), *given, _at(room), _at(rarities), _at(priors))
    if n_like < 0:
        raise MemoryError(f"no memory to weigh the words of a text of {len(text.types)} words")
    return Weighed(n_like, rarities, priors)


def counts_of(counts: Counts) -> tuple[NativeCounts, Any]:
    """Return counts for the kernels, and what must be kept as long. The hash table is made once for all queries."""
    slots, logs = _slots(counts), logs_to(counts.n_pages)
    made = NativeCounts(_at(slots), len(slots), *map(_at, logs), counts.n_pages, counts.n_words, PAGE_WORDS)
    return made, (slots, logs)


def _slots(counts: Counts) -> NDArray[Any]:
    """Return the hash table of the other texts' counts. If threads make two, then all use the first."""
    kept: NDArray[Any] | None = counts.tables.get("slots")
    if kept is None:
        given = [np.ascontiguousarray(one) for one in (counts.keys, counts.n_holding, counts.n_times)]
        slots = np.empty(n_slots(len(counts.keys)), _COUNTED)
        _fill_counts(*map(_at, given), len(counts.keys), _at(slots), len(slots))
        kept = counts.tables.setdefault("slots", slots)
    return kept


def logs_to(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two logarithms of each number from 0.5 to n + 0.5, and of some more: see `_logs`."""
    return _logs(n.bit_length())


@lru_cache(maxsize=64)
def _logs(n_bits: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two logarithms of n + 0.5 for each number n of so many bits: NumPy's, and that of `math`, which may
    differ."""
    halves = np.arange(1 << n_bits) + 0.5
    return np.log(halves), np.array([math.log(one) for one in halves.tolist()])


def n_slots(n: int) -> int:
    """Return the places of a hash table of n names."""
    return 1 << max(4, (2 * n).bit_length())
