"""Sorted postings in NumPy: for each hash the documents that have it. `postings_layout` draws the bits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.hashes import Hashes
from pmbf.kernels.postings_layout import (
    GONE,
    Buckets,
    Keys,
    Numbers,
    Pages,
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
    shape_of,
    sought_in,
)
from pmbf.kernels.reference_bit_lines import low, put, read_long, read_unary, windows
from pmbf.kernels.reference_records import check_pages
from pmbf.kernels.reference_segments import has_passed, lines_of
from pmbf.kernels.segment_rows import PADDING_BYTES, require_range

__all__ = ["find_postings", "join_postings", "list_postings", "make_postings", "row_of"]


class _Lists(NamedTuple):
    """Some lists: the number of the cursor that met each, its hash, how many documents it has, where they begin."""

    cursor: NDArray[np.intp]
    hashes: Keys
    counts: Keys
    at: Keys

    def some(self, which: NDArray[Any]) -> _Lists:
        return _Lists(self.cursor[which], self.hashes[which], self.counts[which], self.at[which])


def find_postings(postings: Sequence[Postings], hashes: Hashes, *, limit: int) -> tuple[NDArray[np.int64], Keys]:
    """Return how many documents have each hash of a query, and which documents have the hashes that few have.

    A document that several of the postings name counts several times. What is read of postings with pages is checked.

    Args:
        postings: Whose arrays are contiguous.
        hashes: `(q,)`, of the postings' width, any order, repeats allowed.
        limit: The documents of a hash that more than `limit` documents have are only counted.

    Returns:
        `(q,) int64`, and `(n,) uint64`, ascending: document << 32 | place in the query.

    Raises:
        ParameterError: An array has another dtype or shape, or the postings or their pages are damaged.

    >>> hashes, numbers = np.array([5, 5, 9], np.uint32), np.array([0, 1, 1], np.uint32)
    >>> made = make_postings(hashes, numbers, np.array([70, 80], np.uint32))
    >>> counts, found = find_postings([made], np.array([9, 4, 5], np.uint32), limit=1)
    >>> counts.tolist(), [divmod(key, 2**32) for key in found.tolist()]
    ([1, 0, 2], [(80, 0)])
    """
    require_postings(postings, hashes)
    sought = sought_in(postings, hashes)
    counts, found = np.zeros(len(hashes), np.int64), []
    for one in postings:
        passed = np.flatnonzero(has_passed(one.row, hashes)) if one.row else np.arange(len(hashes))
        _check_buckets(one, sought[passed])
        lists = _wanted(one, sought[passed])
        lists = lists._replace(cursor=passed[lists.cursor])
        counts[lists.cursor] += lists.counts.astype(np.int64)
        found.append(lists)
    keys = [np.empty(0, np.uint64)]
    for one, lists in zip(postings, found, strict=True):
        owners, numbers = _numbers(one, lists.some(counts[lists.cursor] <= limit))
        _check(one.pages, 4 * numbers + one.pages.documents_at if one.pages else numbers, 4)
        documents = one.documents[numbers]
        keys.append(documents.astype(np.uint64) << np.uint64(32) | owners.astype(np.uint64))
    return counts, np.sort(np.concatenate(keys))


def list_postings(postings: Postings, start: int = 0, stop: int | None = None) -> tuple[Hashes, Numbers]:
    """Return the postings of some hashes: the hash of each and the number of its document, `(n,)` each, ascending.

    Args:
        postings: Postings that are checked.
        start, stop: The hashes `[start, stop)`, as numbers; None: all from `start` on.

    Raises:
        ParameterError: The postings are damaged.

    >>> hashes, numbers = np.array([5, 5, 9], np.uint32), np.array([0, 1, 1], np.uint32)
    >>> made = make_postings(hashes, numbers, np.array([70, 80], np.uint32))
    >>> [column.tolist() for column in list_postings(made)], list_postings(made, 6, 10)[0].tolist()
    ([[5, 5, 9], [0, 1, 1]], [9])
    """
    require_postings([postings], no_hashes([postings]))
    stop = postings.end if stop is None else min(stop, postings.end)
    hashes, numbers = _listed(postings, start, max(start, stop))
    return hashes_of(hashes, postings.hash_bits), numbers


def _listed(postings: Postings, start: int, stop: int) -> tuple[Keys, Numbers]:
    most = postings.most_postings(start, stop) if start < stop else 0
    buckets = np.arange(start >> postings.shift, min(postings.n_buckets, -(-stop >> postings.shift)))
    found, owned = [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
    for lists in _lists(postings, buckets) if start < stop else ():
        owners, some = _numbers(postings, lists._replace(cursor=np.arange(len(lists.hashes))))
        found.append(lists.hashes[owners])
        owned.append(some)
    hashes, numbers = np.concatenate(found), np.concatenate(owned)
    inside = np.flatnonzero((hashes >= np.uint64(start)) & (hashes <= np.uint64(max(0, stop - 1))))
    if len(inside) > most:
        raise damaged_postings()
    order = inside[np.lexsort((numbers[inside], hashes[inside]))]
    return hashes[order], numbers[order].astype(np.uint32)


def make_postings(hashes: Hashes, numbers: Numbers, documents: Numbers, hash_bits: int = 32) -> Postings:
    """Return the postings of documents.

    Args:
        hashes: `(n,)`, ascending, repeats allowed.
        numbers: `(n,) uint32`, the number of the document of each hash.
        documents: `(d,) uint32`, the ids of the documents by their numbers.
        hash_bits: Bits of a hash.

    Raises:
        ParameterError: An array has another dtype or shape, or a number is too large.
    """
    require_makeable(hashes, numbers, documents, hash_bits)
    owned = numbers_of(hashes, hash_bits)
    shape = shape_of(owned, len(documents), hash_bits)
    made = _written(owned, numbers, shape, 0, shape.n_buckets)
    bits, directory = np.append(made.bits, np.zeros(PADDING_BYTES, np.uint8)), np.append(np.uint32(0), made.ends)
    numbered = shape.shift, shape.rice, shape.id_bits, *made[2:]
    return Postings(documents, directory, bits, *numbered, hash_bits=hash_bits)


def join_postings(
    postings: Sequence[Postings], renumbered: Sequence[Renumbered], shape: PostingsShape, start: int, stop: int
) -> Buckets:
    """Return the buckets `[start, stop)` of several postings in one.

    Args:
        postings: Postings that are checked.
        renumbered: Of each of the postings, `(d,) uint32`, the new numbers of its documents, `GONE` for those that go;
            or the number of its first document, if the others follow it in order.
        shape: That of the new postings.
        start, stop: Numbers of buckets of the new postings.

    Raises:
        ParameterError: An array has another dtype or shape, a number is too large, or the postings are damaged.

    >>> ids, zero = (np.array([n], np.uint32) for n in (5, 9)), np.zeros(1, np.uint32)
    >>> one, other = (make_postings(id_, zero, id_) for id_ in ids)
    >>> shape = PostingsShape.of(n_hashes=2, end=10, n_documents=2)
    >>> joined = join_postings([one, other], [0, 1], shape, 0, shape.n_buckets)
    >>> joined.n_hashes, joined.n_postings
    (2, 2)
    """
    require_joinable(postings, renumbered, shape, start, stop)
    hashes, numbers = [np.empty(0, np.uint64)], [np.empty(0, np.uint32)]
    for one, new in zip(postings, renumbered, strict=True):
        some, before = _listed(one, start << shape.shift, min(stop << shape.shift, one.end))
        now = before + np.uint32(new) if isinstance(new, int) else new[before]
        hashes.append(some[now != GONE])
        numbers.append(now[now != GONE])
    return _written(np.concatenate(hashes), np.concatenate(numbers), shape, start, stop)


def row_of(postings: Postings, n_lines: int, n_hashes: int, first: int = 0, stop: int | None = None) -> Keys:
    """Return the row of the filter for a segment, or a part of it: the bits of all its hashes.

    Args:
        postings: Those of the segment, checked.
        n_lines: Bits of the row, m, a multiple of 512.
        n_hashes: Bits that a hash sets, k, 1 to 3.
        first, stop: The bits `[first, stop)`, multiples of 512; None: to the end.

    Returns:
        `((stop - first) / 64,) uint64`.

    Raises:
        ParameterError: A number is outside its range, or the postings are damaged.

    >>> made = make_postings(np.array([7, 9], np.uint32), np.zeros(2, np.uint32), np.array([70], np.uint32))
    >>> int(np.bitwise_count(row_of(made, 512, 2)).sum())
    4
    """
    require_postings([postings], no_hashes([postings]))
    stop = require_range(n_lines, n_hashes, first, stop)
    row = np.zeros(n_lines // 64, np.uint64)
    at = lines_of(np.unique(list_postings(postings)[0]), n_lines, n_hashes).ravel()
    np.bitwise_or.at(row, at >> 6, np.uint64(1) << (at & 63).astype(np.uint64))
    return row[first // 64 : stop // 64]


def _check_buckets(postings: Postings, hashes: Keys) -> None:
    """Check what finding some hashes reads of the directory and of the bits."""
    pages = postings.pages
    if pages is None:
        return
    buckets = np.unique((hashes >> np.uint64(postings.shift)).astype(np.int64))
    buckets = buckets[buckets < postings.n_buckets]
    _check(pages, pages.directory_at + 4 * buckets, 8)
    starts, stops = postings.directory[buckets].astype(np.int64), postings.directory[buckets + 1].astype(np.int64)
    for begin, end in zip(starts.tolist(), stops.tolist(), strict=True):
        if not begin <= end <= postings.n_bit_bytes:
            raise damaged_postings()
        _check(pages, np.array([pages.bits_at + begin]), end - begin)


def _check(pages: Pages | None, offsets: NDArray[np.int64], size: int) -> None:
    if pages is None:
        return
    content, sums, checked, page_bytes = pages[:4]
    if check_pages(content.data, sums, checked, offsets, size, page_bytes=page_bytes) is not None:
        raise damaged_postings()


def _wanted(postings: Postings, hashes: Keys) -> _Lists:
    """Return the lists of those hashes of a query that have one."""
    buckets = (hashes >> np.uint64(postings.shift)).astype(np.int64)
    places = np.flatnonzero(buckets < postings.n_buckets)
    found = [_Lists(np.empty(0, np.intp), *(np.empty(0, np.uint64) for _ in range(3)))]
    for lists in _lists(postings, buckets[places]):
        mine = lists.some(lists.hashes == hashes[places[lists.cursor]])
        found.append(mine._replace(cursor=places[mine.cursor]))
    return _Lists(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _lists(postings: Postings, buckets: NDArray[np.int64]) -> Iterator[_Lists]:
    """Yield the first list of each bucket, then the second, and so on. A cursor is the number of a bucket given."""
    directory, shift = postings.directory.astype(np.int64), np.uint64(postings.shift)
    at, stop = 8 * directory[buckets].astype(np.uint64), 8 * directory[buckets + 1].astype(np.uint64)
    if (at > stop).any() or (stop > 8 * postings.n_bit_bytes).any():
        raise damaged_postings()
    following, left = buckets.astype(np.uint64) << shift, np.full(len(buckets), 1 << postings.shift, np.uint64)
    cursors, rice = np.arange(len(buckets)), np.uint64(postings.rice)
    while len(cursors):
        at, upper, more = read_unary(postings.bits, at, stop)
        cursors, at, stop, upper = cursors[more], at[more], stop[more], upper[more]
        following, left = following[more], left[more]
        gaps = (upper << rice) + read_long(postings.bits, at, stop, postings.rice)
        is_outside = (upper > left - np.uint64(1) >> rice) | (gaps >= left)
        at, n_bits, more = read_unary(postings.bits, at + rice, stop)
        if is_outside.any() or not more.all() or (n_bits > 31).any():
            raise damaged_postings()
        hashes, left = following + gaps, left - gaps - np.uint64(1)
        count = np.uint64(1) << n_bits | low(windows(postings.bits, at, stop), n_bits)
        numbers_at, at = at + n_bits, at + n_bits + count * np.uint64(postings.id_bits)
        if (at > stop).any() or (count > len(postings.documents)).any():
            raise damaged_postings()
        yield _Lists(cursors, hashes, count, numbers_at)
        following = hashes + np.uint64(1)


def _numbers(postings: Postings, lists: _Lists) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the cursor and the number of each document of some lists."""
    counts = lists.counts.astype(np.int64)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    at = np.repeat(lists.at, counts) + within.astype(np.uint64) * np.uint64(postings.id_bits)
    numbers = low(windows(postings.bits, at, at), np.uint64(postings.id_bits)).astype(np.int64)
    if len(numbers) and numbers.max() >= len(postings.documents):
        raise damaged_postings()
    return np.repeat(lists.cursor, counts), numbers


def _written(owned: Keys, numbers: Numbers, shape: PostingsShape, start: int, stop: int) -> Buckets:
    """Return the buckets `[start, stop)` of postings: of hashes, in any order, with the document's number of each."""
    order = np.lexsort((numbers, owned))
    owned, numbers = owned[order], numbers[order]
    repeats = (owned[1:] == owned[:-1]) & (numbers[1:] == numbers[:-1])
    is_first = np.append(np.ones(len(order[:1]), np.bool_), ~repeats)
    owned, numbers = owned[is_first], numbers[is_first]
    hashes, firsts, counts = np.unique(owned, return_index=True, return_counts=True)
    buckets = (hashes >> np.uint64(shape.shift)).astype(np.int64)
    if len(buckets) and buckets[-1] >= stop:
        raise damaged_postings()
    before = np.append(np.uint64(0), hashes[:-1] + np.uint64(1)) if len(hashes) else hashes
    begins = buckets.astype(np.uint64) << np.uint64(shape.shift)
    gaps = hashes - np.maximum(before, begins)
    n_upper = (gaps >> np.uint64(shape.rice)).astype(np.int64)
    n_count = np.frexp(counts.astype(np.float64))[1].astype(np.int64) - 1
    n_head = n_upper + 1 + shape.rice + n_count + 1 + n_count
    n_bits = n_head + counts * shape.id_bits
    n_in_bucket = np.bincount(buckets - start, n_bits, stop - start).astype(np.int64)
    directory = np.append(0, np.cumsum(-(-n_in_bucket // 8)))
    starts = np.cumsum(n_bits) - n_bits
    firsts_of_bucket = np.searchsorted(buckets, buckets)
    at = 8 * directory[buckets - start] + starts - starts[firsts_of_bucket]
    line = np.zeros(8 * int(directory[-1]), np.uint8)
    line[at + n_upper] = 1
    put(line, at + n_upper + 1, gaps, shape.rice)
    line[at + n_upper + 1 + shape.rice + n_count] = 1
    for n in np.unique(n_count).tolist():
        some = n_count == n
        put(line, (at + n_head - n_count)[some], counts[some].astype(np.uint64), n)
    within = np.arange(len(owned)) - np.repeat(firsts, counts)
    at_numbers = np.repeat(at + n_head, counts) + within * shape.id_bits
    put(line, at_numbers, numbers.astype(np.uint64), shape.id_bits)
    return Buckets(directory[1:].astype(np.uint32), np.packbits(line, bitorder="little"), len(hashes), len(owned))
