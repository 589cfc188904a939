"""Inverted indexes in C: the names, results and errors of `reference_inverted`."""

from __future__ import annotations

from ctypes import Structure, byref, c_int64, c_size_t, c_uint64, c_void_p
from dataclasses import replace

import numpy as np

from pmbf.kernels.inverted_checks import (
    damaged_index,
    malformed_lists,
    require_ascending,
    require_invertible,
    require_lists,
)
from pmbf.kernels.inverted_layout import Inverted, Lists, Numbers, shift_of
from pmbf.kernels.native_library import address, function

__all__ = ["drop_features", "invert"]

_AT, _N = c_void_p, c_size_t
_NO_MEMORY, _REFUSED, _UNSORTED = -1, -2, -3

_at = address()


class PassedLists(Structure):
    """`lists_t` of `native/inverted/inverted.h`."""

    _fields_ = (("offsets", _AT), ("features", _AT), ("n", c_uint64))

    @classmethod
    def of(cls, lists: Lists) -> PassedLists:
        """Return lists as C takes them. Their arrays must be contiguous, and live as long."""
        return cls(_at(lists.offsets), _at(lists.features), len(lists))


class PassedInverted(Structure):
    """`inverted_t` of `native/inverted/inverted.h`."""

    _fields_ = (
        *((name, _AT) for name in ("features", "starts", "documents", "directory")),
        *((name, c_uint64) for name in ("n_features", "n_postings", "n_slots", "shift", "n_documents")),
    )

    @classmethod
    def of(cls, inverted: Inverted) -> PassedInverted:
        """Return an index as C takes it. Its arrays must be contiguous, and live as long."""
        arrays = inverted.features, inverted.starts, inverted.documents, inverted.directory
        sizes = len(inverted.features), len(inverted.documents), len(inverted.directory) - 1
        return cls(*map(_at, arrays), *sizes, inverted.shift, inverted.n_documents)


_invert = function("pmbf_invert", _AT, _AT, _AT, _AT, _AT, returns=c_int64)
_directory = function("pmbf_directory", _AT, _N, c_uint64, _AT, _N)
_drop = function("pmbf_drop_features", _AT, _AT, _N, _AT, _AT, returns=c_int64)


def invert(lists: Lists, documents: Numbers | None = None) -> Inverted:
    """See `reference_inverted.invert`. A posting takes some 80 ns."""
    require_invertible(lists, documents)
    lists = contiguous(lists)
    numbers = None if documents is None else np.ascontiguousarray(documents)
    n = len(lists.features)
    features, starts, postings = np.empty(n, np.uint32), np.empty(n + 1, np.uint32), np.empty(n, np.uint32)
    into = _at(features), _at(starts), _at(postings)
    n_features = _invert(byref(PassedLists.of(lists)), None if numbers is None else _at(numbers), *into)
    refuse(n_features)
    n_documents = len(lists) if numbers is None else int(numbers[-1]) + 1 if len(numbers) else 0
    return _finished(features, starts, postings, n_features, n_documents)


def drop_features(lists: Lists, stop: Numbers) -> Lists:
    """See `reference_inverted.drop_features`. A feature takes some 2 ns."""
    require_lists(lists)
    require_ascending("stop", stop)
    lists, stop = contiguous(lists), np.ascontiguousarray(stop)
    offsets, left = np.empty(len(lists) + 1, np.uint64), np.empty(len(lists.features) + 1, np.uint32)
    n_left = _drop(byref(PassedLists.of(lists)), _at(stop), len(stop), _at(offsets), _at(left))
    refuse(n_left)
    left.resize(n_left, refcheck=False)
    return Lists(offsets, left)


def contiguous(lists: Lists) -> Lists:
    """Return lists whose arrays C can read."""
    return Lists(np.ascontiguousarray(lists.offsets), np.ascontiguousarray(lists.features))


def contiguous_index(inverted: Inverted) -> Inverted:
    """Return an index whose arrays C can read."""
    return replace(
        inverted,
        features=np.ascontiguousarray(inverted.features),
        starts=np.ascontiguousarray(inverted.starts),
        documents=np.ascontiguousarray(inverted.documents),
        directory=np.ascontiguousarray(inverted.directory),
    )


def refuse(status: int) -> None:
    """Raise the error that a kernel's status stands for, if it stands for one."""
    if status == _NO_MEMORY:
        raise MemoryError
    if status == _UNSORTED:
        raise malformed_lists()
    if status < 0:
        raise damaged_index()


def _finished(features: Numbers, starts: Numbers, documents: Numbers, n_features: int, n_documents: int) -> Inverted:
    """Return the index of arrays that are longer than they need be. Their ends are given back to the system."""
    features.resize(n_features, refcheck=False)
    starts.resize(n_features + 1, refcheck=False)
    shift = shift_of(features)
    n_slots = ((int(features[-1]) - int(features[0])) >> shift) + 1 if n_features else 0
    directory = np.empty(n_slots + 1, np.uint32)
    _directory(_at(features), n_features, shift, _at(directory), n_slots)
    return Inverted(features, starts, documents, directory, shift, n_documents)
