"""Shared features counted in C: the names, results and errors of `reference_counts`."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import Structure, byref, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.inverted_checks import require_highest, require_join, require_mergeable, require_probe
from pmbf.kernels.inverted_layout import Inverted, Jaccard, Lists, Numbers, SharedCounts
from pmbf.kernels.native_inverted import PassedInverted, PassedLists, contiguous, contiguous_index, invert, refuse
from pmbf.kernels.native_library import address, function
from pmbf.kernels.native_memory import array_of

__all__ = ["add_highest", "jaccard_join", "merge_counts", "shared_counts"]

_AT, _N = c_void_p, c_size_t

_at = address()


class _Telling(Structure):
    """`telling_t` of `native/inverted/inverted.h`."""

    _fields_ = (("min_shared", c_uint64), ("threshold", c_double), ("list_sizes", _AT), ("sizes", _AT))


class _Pairs(Structure):
    """`pairs_t` of `native/inverted/inverted.h`."""

    _fields_ = (("documents", _AT), ("counts", _AT), ("n", c_uint64), ("room", c_uint64), ("offsets", _AT))


class _Rows(Structure):
    """`rows_t` of `native/inverted/highest.c`."""

    _fields_ = (("kept", _AT), ("totals", _AT), ("keep", _N))


_shared = function("pmbf_shared_counts", _AT, _AT, _AT, _AT, _AT, returns=c_int64)
_merge = function("pmbf_merge_counts", _AT, _N, _N, _N, _AT, _AT, returns=c_int64)
_add_highest = function("pmbf_add_highest", _AT, _AT, _N, _AT, _AT, c_int)
_join = function("pmbf_jaccard_join", _AT, _AT, _AT, _AT, _AT, _AT, returns=c_int64)


def shared_counts(
    inverted: Inverted,
    lists: Lists,
    *,
    min_shared: int = 1,
    after: Numbers | None = None,
    jaccard: Jaccard | None = None,
) -> SharedCounts:
    """See `reference_counts.shared_counts`. A feature takes some 30 ns, a posting of it some 1 ns."""
    require_probe(inverted, lists, min_shared, after, jaccard)
    inverted, lists = contiguous_index(inverted), contiguous(lists)
    floor = None if after is None else np.ascontiguousarray(after)
    index, probes = PassedInverted.of(inverted), PassedLists.of(lists)
    told = Told(len(lists), min_shared, jaccard)
    return told.counts(_shared(byref(index), byref(probes), None if floor is None else _at(floor), *told.passed()))


def merge_counts(many: Sequence[SharedCounts], *, min_shared: int = 1, jaccard: Jaccard | None = None) -> SharedCounts:
    """See `reference_counts.merge_counts`. A pair takes some 3 ns."""
    n_documents = require_mergeable(many, min_shared, jaccard)
    many = [_contiguous_counts(one) for one in many]
    parts = (_Pairs * len(many))(*map(_passed, many))
    told = Told(len(many[0]), min_shared, jaccard)
    return told.counts(_merge(parts, len(many), len(many[0]), n_documents, *told.passed()))


def add_highest(
    kept: NDArray[np.uint64], totals: Numbers, counts: SharedCounts, rows: Numbers, ranks: Numbers, *, mirrored: bool
) -> None:
    """See `reference_counts.add_highest`. A pair takes some 10 ns."""
    require_highest(kept, totals, counts, rows, ranks, mirrored)
    counts, rows, ranks = _contiguous_counts(counts), np.ascontiguousarray(rows), np.ascontiguousarray(ranks)
    into = _Rows(_at(kept), _at(totals), kept.shape[1])
    _add_highest(byref(into), byref(_passed(counts)), len(counts), _at(rows), _at(ranks), mirrored)


class Told:
    """Pairs that a kernel tells, and which ones it is to tell."""

    def __init__(self, n_lists: int, min_shared: int = 1, jaccard: Jaccard | None = None) -> None:
        self._offsets = np.zeros(n_lists + 1, np.uint64)
        self._pairs = _Pairs(None, None, 0, 0, _at(self._offsets))
        self._telling = _Telling(min_shared, 0, None, None)
        if jaccard:
            self._sizes = np.ascontiguousarray(jaccard.list_sizes), np.ascontiguousarray(jaccard.sizes)
            self._telling = _Telling(min_shared, jaccard.threshold, *map(_at, self._sizes))

    def passed(self) -> tuple[Any, Any]:
        """Return what C takes."""
        return byref(self._telling), byref(self._pairs)

    def counts(self, status: int) -> SharedCounts:
        """Return the pairs, or raise the error that a status stands for. The pairs are taken once."""
        documents, counts = (
            array_of(place, np.uint32, self._pairs.n) for place in (self._pairs.documents, self._pairs.counts)
        )
        refuse(status)
        return SharedCounts(self._offsets, documents, counts)


def _contiguous_counts(counts: SharedCounts) -> SharedCounts:
    return SharedCounts(*map(np.ascontiguousarray, (counts.offsets, counts.documents, counts.counts)))


def _passed(counts: SharedCounts) -> _Pairs:
    return _Pairs(_at(counts.documents), _at(counts.counts), counts.n_pairs, counts.n_pairs, _at(counts.offsets))


def jaccard_join(
    lists: Lists, threshold: float, *, probes: Lists | None = None, inverted: Inverted | None = None
) -> SharedCounts:
    """See `reference_counts.jaccard_join`. A list of 200 features takes some 5 µs, a pair that is compared 1 µs."""
    inverted = invert(lists) if inverted is None else inverted
    require_join(lists, threshold, probes, inverted)
    inverted, lists = contiguous_index(inverted), contiguous(lists)
    asked = lists if probes is None else contiguous(probes)
    after = np.arange(len(lists), dtype=np.uint32) if probes is None else None
    index, of, those = PassedInverted.of(inverted), PassedLists.of(lists), PassedLists.of(asked)
    told = Told(len(asked), jaccard=Jaccard(threshold, asked.sizes, lists.sizes))
    floor = None if after is None else _at(after)
    return told.counts(_join(byref(index), byref(of), byref(those), floor, *told.passed()))
