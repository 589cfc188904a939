"""All pairs of lists that are alike, in C: the name, results and errors of `reference_join`."""

from __future__ import annotations

from ctypes import byref, c_int64, c_void_p

import numpy as np

from pmbf.kernels.inverted_checks import require_join
from pmbf.kernels.inverted_layout import Inverted, Jaccard, Lists, SharedCounts
from pmbf.kernels.native_counts import Told
from pmbf.kernels.native_inverted import PassedInverted, PassedLists, contiguous, contiguous_index, invert
from pmbf.kernels.native_library import address, function

__all__ = ["jaccard_join"]

_AT = c_void_p

_at = address()
_join = function("pmbf_jaccard_join", _AT, _AT, _AT, _AT, _AT, _AT, returns=c_int64)


def jaccard_join(
    lists: Lists, threshold: float, *, probes: Lists | None = None, inverted: Inverted | None = None
) -> SharedCounts:
    """See `reference_join.jaccard_join`. A list of 200 features takes some 5 µs, a pair that is compared 1 µs."""
    inverted = invert(lists) if inverted is None else inverted
    require_join(lists, threshold, probes, inverted)
    inverted, lists = contiguous_index(inverted), contiguous(lists)
    asked = lists if probes is None else contiguous(probes)
    after = np.arange(len(lists), dtype=np.uint32) if probes is None else None
    index, of, those = PassedInverted.of(inverted), PassedLists.of(lists), PassedLists.of(asked)
    told = Told(len(asked), jaccard=Jaccard(threshold, asked.sizes, lists.sizes))
    floor = None if after is None else _at(after)
    return told.counts(_join(byref(index), byref(of), byref(those), floor, *told.passed()))
