"""Inverted indexes in C: the names, results and errors of `reference_inverted`."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import Structure, byref, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import inverted_checks as checks
from pmbf.kernels.inverted_layout import Inverted, Jaccard, Lists, Numbers, SharedCounts, shift_of
from pmbf.kernels.native_library import address, function
from pmbf.kernels.native_memory import array_of

__all__ = ["add_highest", "drop_features", "invert", "jaccard_join", "merge_counts", "shared_counts"]

_AT, _N = c_void_p, c_size_t
_NO_MEMORY, _REFUSED, _UNSORTED = -1, -2, -3

_at = address()


class _Lists(Structure):
    """`lists_t` of `native/inverted/inverted.h`."""

    _fields_ = (("offsets", _AT), ("features", _AT), ("n", c_uint64))


class _Inverted(Structure):
    """`inverted_t` of `native/inverted/inverted.h`."""

    _fields_ = (
        *((name, _AT) for name in ("features", "starts", "documents", "directory")),
        *((name, c_uint64) for name in ("n_features", "n_postings", "n_slots", "shift", "n_documents")),
    )


class _Telling(Structure):
    """`telling_t` of `native/inverted/inverted.h`."""

    _fields_ = (("min_shared", c_uint64), ("threshold", c_double), ("list_sizes", _AT), ("sizes", _AT))


class _ToldPairs(Structure):
    """`pairs_t` of `native/inverted/inverted.h`."""

    _fields_ = (("documents", _AT), ("counts", _AT), ("n", c_uint64), ("room", c_uint64), ("offsets", _AT))


class _KeptRows(Structure):
    """`rows_t` of `native/inverted/highest.c`."""

    _fields_ = (("kept", _AT), ("totals", _AT), ("keep", _N))


_invert = function("pmbf_invert", _AT, _AT, _N, _AT, _AT, _AT, returns=c_int64)
_directory = function("pmbf_directory", _AT, _N, c_uint64, _AT, _N)
_drop = function("pmbf_drop_features", _AT, _AT, _N, _AT, _AT, returns=c_int64)
_shared = function("pmbf_shared_counts", _AT, _AT, _AT, _AT, _AT, returns=c_int64)
_merge = function("pmbf_merge_counts", _AT, _N, _N, _N, _AT, _AT, returns=c_int64)
_add_highest = function("pmbf_add_highest", _AT, _AT, _N, _AT, _AT, c_int)
_join = function("pmbf_jaccard_join", _AT, _AT, _AT, returns=c_int64)


def invert(lists: Lists, documents: Numbers | None = None) -> Inverted:
    """See `reference_inverted.invert`. A posting takes some 80 ns."""
    checks.require_invertible(lists, documents)
    numbers = None if documents is None else np.ascontiguousarray(documents)
    n = len(lists.features)
    features, starts, postings = np.empty(n, np.uint32), np.empty(n + 1, np.uint32), np.empty(n, np.uint32)
    passed, into = _passed_lists(lists), (_at(features), _at(starts), _at(postings))
    n_features = _invert(byref(passed), None if numbers is None else _at(numbers), 1, *into)
    _refuse(n_features)
    n_documents = len(lists) if numbers is None else int(numbers[-1]) + 1 if len(numbers) else 0
    # The ends of arrays that are longer than they need be are given back to the system.
    features.resize(n_features, refcheck=False)
    starts.resize(n_features + 1, refcheck=False)
    shift = shift_of(features)
    n_slots = ((int(features[-1]) - int(features[0])) >> shift) + 1 if n_features else 0
    directory = np.empty(n_slots + 1, np.uint32)
    _directory(_at(features), n_features, shift, _at(directory), n_slots)
    return Inverted(features, starts, postings, directory, shift, n_documents)


def drop_features(lists: Lists, stop: Numbers) -> Lists:
    """See `reference_inverted.drop_features`. A feature takes some 2 ns."""
    checks.require_lists(lists)
    checks.require_ascending("stop", stop)
    passed, stop = _passed_lists(lists), np.ascontiguousarray(stop)
    offsets, left = np.empty(len(lists) + 1, np.uint64), np.empty(len(lists.features) + 1, np.uint32)
    n_left = _drop(byref(passed), _at(stop), len(stop), _at(offsets), _at(left))
    _refuse(n_left)
    left.resize(n_left, refcheck=False)
    return Lists(offsets, left)


def shared_counts(
    inverted: Inverted,
    lists: Lists,
    *,
    min_shared: int = 1,
    after: Numbers | None = None,
    jaccard: Jaccard | None = None,
) -> SharedCounts:
    """See `reference_inverted.shared_counts`. A feature takes some 30 ns, a posting of it some 1 ns."""
    checks.require_probe(inverted, lists, min_shared, after, jaccard)
    index, probes = _passed_index(inverted), _passed_lists(lists)
    floor = None if after is None else np.ascontiguousarray(after)
    given = byref(index), byref(probes), None if floor is None else _at(floor)
    return _told(_shared, given, len(lists), min_shared, jaccard)


def merge_counts(many: Sequence[SharedCounts], *, min_shared: int = 1, jaccard: Jaccard | None = None) -> SharedCounts:
    """See `reference_inverted.merge_counts`. A pair takes some 3 ns."""
    n_documents = checks.require_mergeable(many, min_shared, jaccard)
    passed = [_passed_counts(one) for one in many]
    given = (_ToldPairs * len(many))(*passed), len(many), len(many[0]), n_documents
    return _told(_merge, given, len(many[0]), min_shared, jaccard)


def add_highest(
    kept: NDArray[np.uint64], totals: Numbers, counts: SharedCounts, rows: Numbers, ranks: Numbers, *, mirrored: bool
) -> None:
    """See `reference_inverted.add_highest`. A pair takes some 10 ns."""
    checks.require_highest(kept, totals, counts, rows, ranks, mirrored)
    rows, ranks, passed = np.ascontiguousarray(rows), np.ascontiguousarray(ranks), _passed_counts(counts)
    into = _KeptRows(_at(kept), _at(totals), kept.shape[1])
    _add_highest(byref(into), byref(passed), len(counts), _at(rows), _at(ranks), mirrored)


def jaccard_join(lists: Lists, threshold: float) -> SharedCounts:
    """See `reference_inverted.jaccard_join`. A feature takes some 50 ns, a pair that is told 1 µs."""
    checks.require_threshold(threshold)
    checks.require_invertible(lists, None)
    passed = _passed_lists(lists)
    return _told(_join, (byref(passed),), len(lists), 1, Jaccard(threshold, lists.sizes, lists.sizes))


def _told(kernel: Any, given: tuple[Any, ...], n_lists: int, min_shared: int, jaccard: Jaccard | None) -> SharedCounts:
    """Return the pairs that a kernel tells."""
    offsets, telling = np.zeros(n_lists + 1, np.uint64), _Telling(min_shared, 0, None, None)
    pairs = _ToldPairs(None, None, 0, 0, _at(offsets))
    if jaccard:
        sizes = np.ascontiguousarray(jaccard.list_sizes), np.ascontiguousarray(jaccard.sizes)
        telling = _Telling(min_shared, jaccard.threshold, *map(_at, sizes))
    status = kernel(*given, byref(telling), byref(pairs))
    documents, counts = (array_of(place, np.uint32, pairs.n) for place in (pairs.documents, pairs.counts))
    _refuse(status)
    return SharedCounts(offsets, documents, counts)


def _refuse(status: int) -> None:
    """Raise the error that a kernel's status stands for, if it stands for one."""
    if status == _NO_MEMORY:
        raise MemoryError
    if status == _UNSORTED:
        raise checks.malformed_lists()
    if status < 0:
        raise checks.damaged_index()


def _passed(made: Any, arrays: Sequence[NDArray[Any]], *numbers: int) -> Any:
    """Return a structure of the addresses of arrays, and of numbers. Arrays that are not contiguous are copied."""
    kept = [np.ascontiguousarray(array) for array in arrays]
    passed = made(*map(_at, kept), *numbers)
    passed.kept = kept  # as long as the structure lives
    return passed


def _passed_lists(lists: Lists) -> _Lists:
    passed: _Lists = _passed(_Lists, (lists.offsets, lists.features), len(lists))
    return passed


def _passed_index(inverted: Inverted) -> _Inverted:
    arrays = inverted.features, inverted.starts, inverted.documents, inverted.directory
    sizes = len(inverted.features), len(inverted.documents), len(inverted.directory) - 1
    passed: _Inverted = _passed(_Inverted, arrays, *sizes, inverted.shift, inverted.n_documents)
    return passed


def _passed_counts(counts: SharedCounts) -> _ToldPairs:
    kept = [np.ascontiguousarray(array) for array in (counts.documents, counts.counts, counts.offsets)]
    documents, its_counts, offsets = map(_at, kept)
    passed = _ToldPairs(documents, its_counts, counts.n_pairs, counts.n_pairs, offsets)
    passed.kept = kept
    return passed
