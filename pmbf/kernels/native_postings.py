"""The kernels of postings in C: the names, results and errors of `reference_postings`."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_int64, c_size_t, c_uint64, c_void_p
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.native_library import address, function
from pmbf.kernels.postings_layout import (
    PADDING_BYTES,
    Chosen,
    Hashes,
    Keys,
    Postings,
    Shape,
    damaged_postings,
    require_mergeable,
    require_postings,
    require_size,
    require_sortable,
)

__all__ = ["find_postings", "list_postings", "merge_postings", "sort_keys"]

_AT, _N = c_void_p, c_size_t

_LIST = np.dtype([("hash", "<u4"), ("count", "<u4"), ("at", "<u8")])
"""The list of a hash, `list_t` of `native/postings/postings.h`."""

_NO_MEMORY = -1

_at = address()
_find = function("pmbf_find_postings", _AT, _N, _AT, _N, _AT, _AT, returns=c_int64)
_take = function("pmbf_take_postings", _AT, _N, _N, c_int64, _AT, _AT, _AT, returns=c_int64)
_list = function("pmbf_list_postings", _AT, c_uint64, _AT, returns=c_int64)
_sort = function("pmbf_sort_keys", _AT, _N, returns=c_int64)
_merge = function("pmbf_merge_postings", _AT, _AT, _AT, _N, _AT, _AT, returns=c_int64)


def find_postings(
    postings: Sequence[Postings], hashes: Hashes, *, limit: int, chosen: Sequence[Chosen] | None = None
) -> tuple[NDArray[np.int64], Keys]:
    """See `reference_postings.find_postings`. A hash takes some 60 ns in each of the postings."""
    require_postings(postings, hashes, chosen)
    hashes, counts = np.ascontiguousarray(hashes), np.empty(len(hashes), np.int64)
    lists, passed = np.empty((len(postings), len(hashes)), _LIST), as_passed(postings, chosen)
    if _find(_at(passed), len(postings), _at(hashes), len(hashes), _at(lists), _at(counts)) < 0:
        raise damaged_postings()
    taking = _at(passed), len(postings), len(hashes), limit, _at(lists), _at(counts)
    room = int(counts[counts <= limit].sum()) if chosen is None else _take(*taking, None)
    keys = np.empty(max(0, room), np.uint64)
    status = room if room < 0 else _take(*taking, _at(keys))
    if status == _NO_MEMORY:
        raise MemoryError
    if status < 0:
        raise damaged_postings()
    if (keys[1:] < keys[:-1]).any():  # a later one of the postings has an earlier document
        keys.sort()
    return counts, keys


def list_postings(postings: Postings) -> Keys:
    """See `reference_postings.list_postings`."""
    require_postings([postings], postings.documents)
    require_size(postings)
    keys = np.empty(postings.n_postings, np.uint64)
    passed = as_passed([postings])
    if _list(_at(passed), len(keys), _at(keys)) != len(keys):
        raise damaged_postings()
    return keys


def merge_postings(old: Postings, renumbered: Hashes, keys: Keys, documents: Hashes) -> Postings:
    """See `reference_postings.merge_postings`. A posting takes some 10 ns."""
    require_mergeable(old, renumbered, keys, documents)
    require_postings([old], documents)
    shape = Shape.of(old, keys, len(documents))
    bits, directory = np.empty(shape.room + PADDING_BYTES, np.uint8), np.empty(shape.n_buckets + 1, np.uint32)
    made = Postings(documents, directory, bits, shape.shift, shape.rice, shape.id_bits, 0, 0)
    renumbered, keys, written = np.ascontiguousarray(renumbered), np.ascontiguousarray(keys), np.zeros(3, np.uint64)
    into, of = as_passed([made]), as_passed([old])
    status = _merge(_at(of), _at(renumbered), _at(keys), len(keys), _at(into), _at(written))
    if status == _NO_MEMORY:
        raise MemoryError
    if status < 0:
        raise damaged_postings()
    n_bytes, n_hashes, n_postings = written.tolist()
    bits[n_bytes : n_bytes + PADDING_BYTES] = 0
    used = bits[: n_bytes + PADDING_BYTES]
    return Postings(documents, directory, used, shape.shift, shape.rice, shape.id_bits, n_hashes, n_postings)


def sort_keys(keys: Keys) -> None:
    """See `reference_postings.sort_keys`. A key of postings takes some 14 ns."""
    require_sortable(keys)
    if _sort(_at(keys), len(keys)) == _NO_MEMORY:
        raise MemoryError


def as_passed(postings: Sequence[Postings], chosen: Sequence[Chosen] | None = None) -> Keys:
    """Return postings as C takes them, `postings_t` of `native/postings/postings.h`, `(n, 10) uint64`.

    The arrays of the postings must be contiguous and stay alive.
    """
    return np.array(
        [
            (
                _at(one.bits),
                _at(one.directory),
                _at(one.documents),
                _at(some) if some is not None else 0,
                one.n_bit_bytes,
                one.n_buckets,
                len(one.documents),
                one.shift,
                one.rice,
                one.id_bits,
            )
            for one, some in zip(postings, chosen or repeat(None), strict=False)
        ],
        np.uint64,
    ).reshape(len(postings), 10)
