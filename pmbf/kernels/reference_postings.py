"""Sorted postings in NumPy: for each hash the documents that have it. `postings_layout` draws the bits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.postings_layout import (
    GONE,
    HASHES_END,
    PADDING_BYTES,
    Buckets,
    Chosen,
    Hashes,
    Keys,
    Pages,
    Postings,
    PostingsShape,
    Renumbered,
    damaged_postings,
    require_joinable,
    require_keys,
    require_postings,
    require_sortable,
)
from pmbf.kernels.reference_records import check_pages

__all__ = ["find_postings", "join_postings", "list_postings", "make_postings", "sort_keys"]

_WINDOW_BITS = 57
"""Bits that a word read anywhere holds at least."""


class _Lists(NamedTuple):
    """Some lists: the number of the cursor that met each, its hash, how many documents it has, where they begin."""

    cursor: NDArray[np.intp]
    hashes: Keys
    counts: Keys
    at: Keys

    def some(self, which: NDArray[Any]) -> _Lists:
        return _Lists(self.cursor[which], self.hashes[which], self.counts[which], self.at[which])


def find_postings(
    postings: Sequence[Postings], hashes: Hashes, *, limit: int, chosen: Chosen | None = None
) -> tuple[NDArray[np.int64], Keys]:
    """Return how many documents have each hash of a query, and which documents have the hashes that few have.

    A document that several of the postings name counts several times. What is read of postings with pages is checked.

    Args:
        postings: Whose arrays are contiguous.
        hashes: `(q,) uint32`, any order, repeats allowed.
        limit: The documents of a hash that more than `limit` documents have are only counted.
        chosen: `(n,) bool`, of each document's id, whether the document is looked for. The others are only counted.

    Returns:
        `(q,) int64`, and `(n,) uint64`, ascending: document << 32 | place in the query.

    Raises:
        ParameterError: An array has another dtype or shape, or the postings or their pages are damaged.

    >>> keys = np.array([5 << 32, 5 << 32 | 1, 9 << 32 | 1], np.uint64)
    >>> made = make_postings(keys, np.array([70, 80], np.uint32))
    >>> counts, found = find_postings([made], np.array([9, 4, 5], np.uint32), limit=1)
    >>> counts.tolist(), [divmod(key, 2**32) for key in found.tolist()]
    ([1, 0, 2], [(80, 0)])
    """
    require_postings(postings, hashes, chosen)
    counts, found = np.zeros(len(hashes), np.int64), []
    for one in postings:
        _check_buckets(one, hashes)
        lists = _wanted(one, hashes)
        counts[lists.cursor] += lists.counts.astype(np.int64)
        found.append(lists)
    keys = [np.empty(0, np.uint64)]
    for one, lists in zip(postings, found, strict=True):
        owners, numbers = _numbers(one, lists.some(counts[lists.cursor] <= limit))
        _check(one.pages, 4 * numbers + one.pages.documents_at if one.pages else numbers, 4)
        documents = one.documents[numbers]
        if chosen is not None:
            is_chosen = np.append(chosen, False)[np.minimum(documents, len(chosen))]
            owners, documents = owners[is_chosen], documents[is_chosen]
        keys.append(documents.astype(np.uint64) << np.uint64(32) | owners.astype(np.uint64))
    return counts, np.sort(np.concatenate(keys))


def list_postings(postings: Postings, start: int = 0, stop: int = HASHES_END) -> Keys:
    """Return the postings of the hashes `[start, stop)`, `(n,) uint64`, ascending: hash << 32 | number of the document.

    Raises:
        ParameterError: The postings are damaged.

    >>> keys = np.array([5 << 32, 5 << 32 | 1, 9 << 32 | 1], np.uint64)
    >>> made = make_postings(keys, np.array([70, 80], np.uint32))
    >>> list_postings(made).tolist() == keys.tolist(), [key >> 32 for key in list_postings(made, 6, 10).tolist()]
    (True, [9])
    """
    require_postings([postings], postings.documents)
    most = postings.most_postings(start, stop)
    buckets = np.arange(start >> postings.shift, min(postings.n_buckets, -(-stop >> postings.shift)))
    found = [np.empty(0, np.uint64)]
    for lists in _lists(postings, buckets):
        owners, numbers = _numbers(postings, lists._replace(cursor=np.arange(len(lists.hashes))))
        found.append(lists.hashes[owners] << np.uint64(32) | numbers.astype(np.uint64))
    keys = np.sort(np.concatenate(found))
    hashes = keys >> np.uint64(32)
    keys = keys[(hashes >= start) & (hashes < stop)]
    if len(keys) > most:
        raise damaged_postings()
    return keys


def make_postings(keys: Keys, documents: Hashes) -> Postings:
    """Return the postings of documents.

    Args:
        keys: `(n,) uint64`, ascending, repeats allowed: hash << 32 | number of a document.
        documents: `(d,) uint32`, the ids of the documents by their numbers.

    Raises:
        ParameterError: An array has another dtype or shape, or a number is too large.
    """
    require_keys(keys, documents)
    end = (int(keys[-1]) >> 32) + 1 if len(keys) else 0
    shape = PostingsShape.of(n_hashes=len(keys), end=end, n_documents=len(documents))
    made = _written(np.unique(keys), shape, 0, shape.n_buckets)
    bits, directory = np.append(made.bits, np.zeros(PADDING_BYTES, np.uint8)), np.append(np.uint32(0), made.ends)
    return Postings(documents, directory, bits, shape.shift, shape.rice, shape.id_bits, *made[2:])


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

    >>> one, other = (make_postings(np.array([n << 32], np.uint64), np.array([n], np.uint32)) for n in (5, 9))
    >>> shape = PostingsShape.of(n_hashes=2, end=10, n_documents=2)
    >>> joined = join_postings([one, other], [0, 1], shape, 0, shape.n_buckets)
    >>> joined.n_hashes, joined.n_postings
    (2, 2)
    """
    require_joinable(postings, renumbered, shape, start, stop)
    kept = [np.empty(0, np.uint64)]
    for one, new in zip(postings, renumbered, strict=True):
        some = list_postings(one, start << shape.shift, stop << shape.shift)
        numbers = np.arange(new, new + len(one.documents)) if isinstance(new, int) else new
        now = numbers[(some & np.uint64(GONE)).astype(np.int64)].astype(np.uint64)
        kept.append((some & ~np.uint64(GONE) | now)[now != GONE])
    return _written(np.unique(np.concatenate(kept)), shape, start, stop)


def _check_buckets(postings: Postings, hashes: Hashes) -> None:
    """Check what finding some hashes reads of the directory and of the bits."""
    pages = postings.pages
    if pages is None:
        return
    buckets = np.unique(hashes.astype(np.int64) >> postings.shift)
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


def sort_keys(keys: Keys) -> None:
    """Sort keys in place, ascending.

    Args:
        keys: `(n,) uint64`.

    Raises:
        ParameterError: It has another dtype or shape, is read-only or strided.

    >>> keys = np.array([9, 2**63, 4], np.uint64)
    >>> sort_keys(keys)
    >>> keys.tolist() == [4, 9, 2**63]
    True
    """
    require_sortable(keys)
    keys.sort()


def _wanted(postings: Postings, hashes: Hashes) -> _Lists:
    """Return the lists of those hashes of a query that have one."""
    buckets = hashes.astype(np.int64) >> postings.shift
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
    following, end = buckets.astype(np.uint64) << shift, buckets.astype(np.uint64) + np.uint64(1) << shift
    cursors, rice = np.arange(len(buckets)), np.uint64(postings.rice)
    while len(cursors):
        at, upper, more = _unary(postings.bits, at, stop)
        cursors, at, stop, upper = cursors[more], at[more], stop[more], upper[more]
        following, end = following[more], end[more]
        hashes = following + (upper << rice) + _low(_windows(postings.bits, at, stop), rice)
        at, n_bits, more = _unary(postings.bits, at + rice, stop)
        if not more.all() or (upper >> np.uint64(32)).any() or (hashes >= end).any() or (n_bits > 31).any():
            raise damaged_postings()
        count = np.uint64(1) << n_bits | _low(_windows(postings.bits, at, stop), n_bits)
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
    numbers = _low(_windows(postings.bits, at, at), np.uint64(postings.id_bits)).astype(np.int64)
    if len(numbers) and numbers.max() >= len(postings.documents):
        raise damaged_postings()
    return np.repeat(lists.cursor, counts), numbers


def _unary(bits: NDArray[np.uint8], at: Keys, stop: Keys) -> tuple[Keys, Keys, NDArray[np.bool_]]:
    """Read a number in unary at each place; return what follows, the numbers, and whether there is one."""
    numbers, begins = np.zeros(len(at), np.uint64), at.copy()
    waiting = np.flatnonzero(at < stop)
    while len(waiting):
        here, left = begins[waiting], np.minimum(stop[waiting] - begins[waiting], np.uint64(_WINDOW_BITS))
        words = _low(_windows(bits, here, stop[waiting]), left)
        lowest = words & (~words + np.uint64(1))
        zeros = np.where(words == 0, left, np.frexp(lowest.astype(np.float64))[1].astype(np.uint64) - np.uint64(1))
        numbers[waiting] += zeros
        begins[waiting] += zeros
        waiting = waiting[(words == 0) & (here + left < stop[waiting])]
    return begins + np.uint64(1), numbers, begins < stop


def _windows(bits: NDArray[np.uint8], at: Keys, stop: Keys) -> Keys:
    """Return the 57 bits or more that begin at each place. Beyond the bits there are zeros."""
    octets = (np.minimum(at, np.maximum(stop, at)) >> np.uint64(3)).astype(np.int64)
    octets = np.minimum(octets, len(bits) - PADDING_BYTES)
    words = np.lib.stride_tricks.sliding_window_view(bits, 8)[octets].copy().view("<u8").ravel().astype(np.uint64)
    return words >> (at & np.uint64(7))


def _low(words: Keys, n_bits: Keys | np.uint64) -> Keys:
    return words & ((np.uint64(1) << n_bits) - np.uint64(1))


def _written(keys: Keys, shape: PostingsShape, start: int, stop: int) -> Buckets:
    """Return the buckets `[start, stop)` of postings, with distinct keys, ascending."""
    hashes, firsts, counts = np.unique(keys >> np.uint64(32), return_index=True, return_counts=True)
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
    _put(line, at + n_upper + 1, gaps, shape.rice)
    line[at + n_upper + 1 + shape.rice + n_count] = 1
    for n in np.unique(n_count).tolist():
        some = n_count == n
        _put(line, (at + n_head - n_count)[some], counts[some].astype(np.uint64), n)
    within = np.arange(len(keys)) - np.repeat(firsts, counts)
    _put(line, np.repeat(at + n_head, counts) + within * shape.id_bits, keys & np.uint64(GONE), shape.id_bits)
    return Buckets(directory[1:].astype(np.uint32), np.packbits(line, bitorder="little"), len(hashes), len(keys))


def _put(line: NDArray[np.uint8], at: NDArray[np.int64], numbers: Keys, n_bits: int) -> None:
    """Write the lowest bits of each number into a line of bits."""
    for bit in range(n_bits):
        line[at + bit] = (numbers >> np.uint64(bit)) & np.uint64(1)
