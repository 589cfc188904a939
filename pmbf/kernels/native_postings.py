"""The kernels of postings in C: the names, results and errors of `reference_postings`."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_int64, c_size_t, c_void_p

import numpy as np
from numpy.typing import NDArray

from pmbf.hashes import Hashes
from pmbf.kernels.native_library import address, function
from pmbf.kernels.postings_layout import (
    PADDING_BYTES,
    Buckets,
    Chosen,
    Keys,
    Numbers,
    Postings,
    PostingsShape,
    Renumbered,
    damaged_postings,
    hashes_of,
    no_hashes,
    numbers_of,
    require_joinable,
    require_makeable,
    require_postings,
    require_sortable,
    shape_of,
    sought_in,
)

__all__ = ["find_postings", "join_postings", "list_postings", "make_postings", "sort_keys"]

_AT, _N = c_void_p, c_size_t

_LIST = np.dtype([("hash", "<u8"), ("at", "<u8"), ("count", "<u8")])
"""The list of a hash, `list_t` of `native/postings/postings.h`."""

_NO_MEMORY = -1

_at = address()
_find = function("pmbf_find_postings", _AT, _N, _AT, _N, _AT, _AT, returns=c_int64)
_take = function("pmbf_take_postings", _AT, _N, _N, c_int64, _AT, _AT, _AT, _N, _AT, returns=c_int64)
_list = function("pmbf_list_postings", _AT, _AT, _N, _AT, _AT, returns=c_int64)
_make = function("pmbf_make_postings", _AT, _AT, _N, _AT, _AT, _AT, _AT, returns=c_int64)
_join = function("pmbf_join_postings", _AT, _N, _AT, _AT, _AT, _AT, _AT, _AT, _AT, returns=c_int64)
_sort = function("pmbf_sort_keys", _AT, _N, returns=c_int64)


def find_postings(
    postings: Sequence[Postings], hashes: Hashes, *, limit: int, chosen: Chosen | None = None
) -> tuple[NDArray[np.int64], Keys]:
    """See `reference_postings.find_postings`. A hash takes some 60 ns in each of the postings."""
    require_postings(postings, hashes, chosen)
    sought, counts = sought_in(postings, hashes), np.empty(len(hashes), np.int64)
    lists, passed = np.empty((len(postings), len(hashes)), _LIST), as_passed(postings)
    if _find(_at(passed), len(postings), _at(sought), len(hashes), _at(lists), _at(counts)) < 0:
        raise damaged_postings()
    keys = np.empty(int(counts[counts <= limit].sum()), np.uint64)
    among = (0, 0) if chosen is None else (_at(chosen := np.ascontiguousarray(chosen)), len(chosen))
    n_taken = _take(_at(passed), len(postings), len(hashes), limit, _at(lists), _at(counts), *among, _at(keys))
    if n_taken < 0:
        raise damaged_postings()
    keys = keys[:n_taken]
    keys.sort()
    return counts, keys


def list_postings(postings: Postings, start: int = 0, stop: int | None = None) -> tuple[Hashes, Numbers]:
    """See `reference_postings.list_postings`."""
    require_postings([postings], no_hashes([postings]))
    stop = postings.end if stop is None else min(stop, postings.end)
    most = postings.most_postings(start, max(start, stop)) if start < stop else 0
    listed, numbers = np.empty(most, np.uint64), np.empty(most, np.uint32)
    passed, n_listed = as_passed([postings]), 0
    if start < stop:
        inclusive = np.array([start, stop - 1], np.uint64)
        n_listed = _list(_at(passed), _at(inclusive), most, _at(listed), _at(numbers))
    if n_listed < 0:
        raise damaged_postings()
    return hashes_of(listed[:n_listed], postings.hash_bits), numbers[:n_listed]


def make_postings(hashes: Hashes, numbers: Numbers, documents: Numbers, hash_bits: int = 32) -> Postings:
    """See `reference_postings.make_postings`. A posting takes some 10 ns."""
    require_makeable(hashes, numbers, documents, hash_bits)
    owned, numbers = numbers_of(hashes, hash_bits), np.ascontiguousarray(numbers)
    shape = shape_of(owned, len(documents), hash_bits)
    passed = _passed_shape(shape, len(owned), 0, shape.n_buckets)
    directory, written = np.zeros(shape.n_buckets + 1, np.uint32), np.zeros(3, np.uint64)
    bits = np.empty(int(passed[-1]) + PADDING_BYTES, np.uint8)
    made = _at(passed), _at(directory) + 4, _at(bits), _at(written)
    require_done(_make(_at(owned), _at(numbers), len(owned), *made))
    n_bytes, n_hashes, n_postings = written.tolist()
    bits[n_bytes : n_bytes + PADDING_BYTES] = 0
    used = bits[: n_bytes + PADDING_BYTES]
    numbered = shape.shift, shape.rice, shape.id_bits, n_hashes, n_postings
    return Postings(documents, directory, used, *numbered, hash_bits=hash_bits)


def sort_keys(keys: Keys) -> None:
    """See `reference_postings.sort_keys`. A key of postings takes some 14 ns."""
    require_sortable(keys)
    if _sort(_at(keys), len(keys)) == _NO_MEMORY:
        raise MemoryError


def join_postings(
    postings: Sequence[Postings], renumbered: Sequence[Renumbered], shape: PostingsShape, start: int, stop: int
) -> Buckets:
    """See `reference_postings.join_postings`. A posting takes some 15 ns."""
    require_joinable(postings, renumbered, shape, start, stop)
    most = sum(one.most_postings(start << shape.shift, stop << shape.shift) for one in postings)
    numbers, passed = _passed_shape(shape, most, start, stop), as_passed(postings)
    new = [one if isinstance(one, int) else np.ascontiguousarray(one) for one in renumbered]
    firsts = np.array([one if isinstance(one, int) else 0 for one in new], np.uint64)
    at = np.array([0 if isinstance(one, int) else _at(one) for one in new], np.uint64)
    written = np.zeros(3, np.uint64)
    buckets = np.array([start, stop], np.uint64)
    ends, bits = np.empty(stop - start, np.uint32), np.empty(int(numbers[-1]) + PADDING_BYTES, np.uint8)
    of = _at(passed), len(postings), _at(at), _at(firsts), _at(buckets)
    require_done(_join(*of, _at(numbers), _at(ends), _at(bits), _at(written)))
    n_bytes, n_hashes, n_postings = written.tolist()
    return Buckets(ends, bits[:n_bytes], n_hashes, n_postings)


def require_done(status: int) -> None:
    if status == _NO_MEMORY:
        raise MemoryError
    if status < 0:
        raise damaged_postings()


def _passed_shape(shape: PostingsShape, n_postings: int, start: int, stop: int) -> Keys:
    """Return the shape as C takes it, with the room for some postings in the buckets `[start, stop)`."""
    room = shape.room(n_postings, start, stop)
    return np.array([shape.n_buckets, shape.shift, shape.rice, shape.id_bits, room], np.uint64)


def as_passed(postings: Sequence[Postings]) -> Keys:
    """Return postings as C takes them, `postings_t` of `native/postings/postings.h`, `(n, 14) uint64`.

    The arrays of the postings must be contiguous and stay alive.
    """
    return np.array([(*_arrays(one), *_pages(one)) for one in postings], np.uint64).reshape(len(postings), 14)


def _arrays(one: Postings) -> tuple[int, ...]:
    arrays = _at(one.bits), _at(one.directory), _at(one.documents)
    return (*arrays, one.n_bit_bytes, one.n_buckets, len(one.documents), one.shift, one.rice, one.id_bits)


def _pages(one: Postings) -> tuple[int, ...]:
    if one.pages is None:
        return 0, 0, 0, 0, 0
    content, sums, checked, page_bytes = one.pages[:4]
    return _at(content), len(content), page_bytes, _at(sums), _at(checked)
