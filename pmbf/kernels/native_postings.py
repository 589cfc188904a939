"""The kernels of postings in C: the names, results and errors of `reference_postings`."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import addressof, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

import numpy as np
from numpy.typing import NDArray

from pmbf.base.hashes import Hashes
from pmbf.kernels import postings_layout as layout
from pmbf.kernels.native_library import address, function
from pmbf.kernels.native_memory import taken
from pmbf.kernels.postings_layout import Buckets, Keys, Numbers, Postings, PostingsShape, Renumbered, Segments
from pmbf.kernels.segment_rows import (
    PADDING_BYTES,
    AskedRows,
    Row,
    SegmentRows,
    hash_width,
    require_range,
    require_rows,
)

__all__ = ["find_postings", "join_postings", "list_postings", "make_postings", "row_of", "segments_having"]

_AT, _N = c_void_p, c_size_t

_NO_MEMORY = -1
_NO_OWNER = 2**32 - 1

_at = address()
_find = function("pmbf_find_postings", _AT, _AT, _N, c_int64, _AT, _AT, returns=c_int64)
_having = function("pmbf_segments_having", _AT, _AT, _N, _AT, returns=c_int64)
_fill_row = function("pmbf_fill_row", _AT, c_uint64, c_uint32, c_uint32, c_uint64, c_uint64, _AT, returns=c_int64)
_list = function("pmbf_list_postings", _AT, _AT, _N, _AT, _AT, returns=c_int64)
_make = function("pmbf_make_postings", _AT, _AT, _AT, _N, _AT, _AT, _AT, _AT, returns=c_int64)
_join = function("pmbf_join_postings", _AT, _N, _AT, _AT, _AT, _AT, _AT, _AT, _AT, returns=c_int64)


def find_postings(postings: Sequence[Postings], hashes: Hashes, *, limit: int) -> tuple[NDArray[np.int64], Keys]:
    """See `reference_postings.find_postings`. A hash takes some 60 ns in each of the postings."""
    layout.require_postings(postings, hashes)
    sought, counts, answer = layout.sought_in(postings, hashes), np.empty(len(hashes), np.int64), c_void_p()
    passed = passed_segments(postings)
    n = _find(passed.at, _at(sought), len(hashes), limit, _at(counts), addressof(answer))
    return counts, _sorted(n, answer)


def segments_having(rows: Sequence[Row | None], hashes: Hashes) -> Keys:
    """See `reference_segments.segments_having`. A hash takes some 20 ns for all rows of a file."""
    hash_bits = hash_width(hashes)
    sought, passed, answer = layout.numbers_of(hashes, hash_bits), _passed_rows(rows, hash_bits), c_void_p()
    return _sorted(_having(passed.at, _at(sought), len(sought), addressof(answer)), answer)


def _sorted(n: int, answer: c_void_p) -> Keys:
    """Return the keys that C left in its order, or raise the error of a status."""
    keys: Keys = taken(answer, max(0, n), np.dtype(np.uint64))
    require_done(n)
    keys.sort()
    return keys


def row_of(postings: Postings, n_lines: int, n_hashes: int, first: int = 0, stop: int | None = None) -> Keys:
    """See `reference_postings.row_of`. A hash takes some 20 ns."""
    layout.require_postings([postings])
    stop = require_range(n_lines, n_hashes, first, stop)
    row, passed = np.zeros((stop - first) // 64, np.uint64), as_passed([postings])
    cut = postings.hash_bits - 32
    require_done(_fill_row(_at(passed), n_lines, n_hashes, cut, first, stop, _at(row)))
    return row


def list_postings(postings: Postings, start: int = 0, stop: int | None = None) -> tuple[Hashes, Numbers]:
    """See `reference_postings.list_postings`."""
    layout.require_postings([postings])
    stop = postings.end if stop is None else min(stop, postings.end)
    most = postings.most_postings(start, max(start, stop)) if start < stop else 0
    listed, numbers = np.empty(most, np.uint64), np.empty(most, np.uint32)
    passed, n_listed = as_passed([postings]), 0
    if start < stop:
        inclusive = np.array([start, stop - 1], np.uint64)
        n_listed = _list(_at(passed), _at(inclusive), most, _at(listed), _at(numbers))
        require_done(n_listed)
    return layout.hashes_of(listed[:n_listed], postings.hash_bits), numbers[:n_listed]


def make_postings(
    hashes: Hashes, numbers: Numbers, documents: Numbers, hash_bits: int = 32, n_hashes: int | None = None
) -> Postings:
    """See `reference_postings.make_postings`. A posting takes some 10 ns; the arrays may be parts of others."""
    layout.require_makeable(hashes, numbers, documents, hash_bits)
    shape = layout.shape_of(hashes, len(documents), hash_bits, n_hashes)
    passed = _passed_shape(shape, len(hashes), 0, shape.n_buckets)
    directory, written = np.zeros(shape.n_buckets + 1, np.uint32), np.zeros(3, np.uint64)
    bits = np.empty(int(passed[-1]) + PADDING_BYTES, np.uint8)
    made = _at(passed), _at(directory) + 4, _at(bits), _at(written)
    how = np.array([*hashes.strides, *numbers.strides, hash_bits], np.uint64)
    require_done(_make(hashes.ctypes.data, numbers.ctypes.data, _at(how), len(hashes), *made))
    n_bytes, n_hashes, n_postings = written.tolist()
    bits[n_bytes : n_bytes + PADDING_BYTES] = 0
    used = bits[: n_bytes + PADDING_BYTES]
    numbered = shape.shift, shape.rice, shape.id_bits, n_hashes, n_postings
    return Postings(documents, directory, used, *numbered, hash_bits=hash_bits)


def join_postings(
    postings: Sequence[Postings], renumbered: Sequence[Renumbered], shape: PostingsShape, start: int, stop: int
) -> Buckets:
    """See `reference_postings.join_postings`. A posting takes some 15 ns."""
    layout.require_joinable(postings, renumbered, shape, start, stop)
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
        raise layout.damaged_postings()


def _passed_shape(shape: PostingsShape, n_postings: int, start: int, stop: int) -> Keys:
    """Return the shape as C takes it, with the room for some postings in the buckets `[start, stop)`."""
    room = shape.room(n_postings, start, stop)
    return np.array([shape.n_buckets, shape.shift, shape.rice, shape.id_bits, room], np.uint64)


def as_passed(postings: Sequence[Postings]) -> Keys:
    """Return postings as C takes them, `postings_t` of `native/postings/postings.h`, `(n, 14) uint64`.

    The arrays of the postings must be contiguous and stay alive.
    """
    lines = []
    for one in postings:
        numbers = one.n_bit_bytes, one.n_buckets, len(one.documents), one.shift, one.rice, one.id_bits
        lines.append((_at(one.bits), _at(one.directory), _at(one.documents), *numbers, *_pages(one)))
    return np.array(lines, np.uint64).reshape(len(postings), 14)


def _pages(one: Postings | SegmentRows) -> tuple[int, ...]:
    if one.pages is None:
        return 0, 0, 0, 0, 0
    content, sums, checked, page_bytes = one.pages[:4]
    return _at(content), len(content), page_bytes, _at(sums), _at(checked)


def passed_segments(postings: Sequence[Postings]) -> PassedSegments:
    """Return postings as C takes them; those of `Segments` are made once."""
    passed: PassedSegments | None = postings.passed if isinstance(postings, Segments) else None
    if passed is None:
        hash_bits = postings[0].hash_bits if postings else 32
        passed = PassedSegments(as_passed(postings), [one.row for one in postings], hash_bits)
    if isinstance(postings, Segments):
        postings.passed = passed
    return passed


def _passed_rows(rows: Sequence[Row | None], hash_bits: int) -> PassedSegments:
    """Return rows as C takes them; those of `AskedRows` are looked at and made once for hashes of a width."""
    kept: dict[int, PassedSegments] = (isinstance(rows, AskedRows) and rows.passed) or {}
    if hash_bits not in kept:
        require_rows(rows)
        kept = {hash_bits: PassedSegments(as_passed([]), rows, hash_bits)}
    if isinstance(rows, AskedRows):
        rows.passed = kept
    return kept[hash_bits]


class PassedSegments:
    """Postings and the rows of the filter in front of them as C takes them: a `segments_t` at the address `at`.

    The arrays of the postings, which are as `as_passed` returns them, must stay alive.
    """

    def __init__(self, postings: Keys, rows: Sequence[Row | None], hash_bits: int) -> None:
        of: dict[int, tuple[SegmentRows, NDArray[np.uint32]]] = {}
        unfiltered = np.array([number for number, row in enumerate(rows) if row is None], np.uint32)
        for number, row in enumerate(rows):
            if row is not None:
                tile, place = row
                _, owners = of.setdefault(id(tile), (tile, np.full(tile.n_rows, _NO_OWNER, np.uint32)))
                owners[place] = number
        lines = []
        for one, owners in of.values():
            numbers = one.n_rows, one.n_lines, one.line_bits, one.n_hashes, hash_bits - 32
            lines.append((_at(one.bits), _at(owners), *numbers, *_pages(one)))
        if len(unfiltered):
            lines.append((0, _at(unfiltered), len(unfiltered), *[0] * 9))
        tiles = np.array(lines, np.uint64).reshape(len(lines), 12)
        self._kept = postings, tiles, unfiltered, of
        self._whole = np.array([_at(postings), len(postings), _at(tiles), len(tiles)], np.uint64)
        self.at = _at(self._whole)
