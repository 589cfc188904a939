"""How rare the words of a text are: the native twin of `reference_weigh`.

`native/align/weigh.c` does the work. The hash table of counts is made once, and kept with them.
"""

from __future__ import annotations

import math
from ctypes import Structure, addressof, c_int64, c_void_p
from typing import Any

import numpy as np

from pmbf.kernels.align_rules import Words
from pmbf.kernels.asked import PAGE_WORDS, Counts, Weighed
from pmbf.kernels.native_library import address, function

__all__ = ["weigh"]

_at = address()
_fill_counts = function("pmbf_align_counts", *[c_void_p] * 3, c_int64, c_void_p, c_int64)
_weigh = function("pmbf_align_weigh", *[c_void_p] * 3, *[c_int64] * 3, *[c_void_p] * 2, returns=c_int64)

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
    n, made = len(text.keys), counts_of(counts)
    rarities, priors = np.empty(n, np.int32), np.empty(n, np.int32)
    given = _at(text.keys), _at(text.types), n, len(text.types), commonest
    n_like = _weigh(addressof(made), *given, _at(rarities), _at(priors))
    if n_like < 0:
        raise MemoryError(f"no memory to weigh the words of a text of {len(text.types)} words")
    return Weighed(n_like, rarities, priors)


def counts_of(counts: Counts) -> NativeCounts:
    """Return counts with their hash table, made once. If threads make two, then all use the first."""
    kept: tuple[NativeCounts, Any] | None = counts.tables.get("native")
    if kept is None:
        n, holding = len(counts.keys), np.arange(counts.n_pages + 1)
        given = [np.ascontiguousarray(one) for one in (counts.keys, counts.n_holding, counts.n_times)]
        slots = np.empty(n_slots(n), _COUNTED)
        _fill_counts(*map(_at, given), n, _at(slots), len(slots))
        logs = np.log(holding + 0.5), np.array([math.log(n + 0.5) for n in holding.tolist()])
        made = NativeCounts(_at(slots), len(slots), *map(_at, logs), counts.n_pages, counts.n_words, PAGE_WORDS)
        kept = counts.tables.setdefault("native", (made, (slots, logs)))
    return kept[0]


def n_slots(n: int) -> int:
    """Return the places of a hash table of n names."""
    return 1 << max(4, (2 * n).bit_length())
