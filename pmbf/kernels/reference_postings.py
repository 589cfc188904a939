"""Sorted postings in NumPy: for each hash the documents that have it. `postings_layout` draws the bits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.postings_layout import (
    GONE,
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
    postings: Sequence[Postings], hashes: Hashes, *, limit: int, chosen: Sequence[Chosen] | None = None
) -> tuple[NDArray[np.int64], Keys]:
    """Return how many documents have each hash of a query, and which documents have the hashes that few have.

    A document that several of the postings name counts several times.

    Args:
        postings: Whose arrays are contiguous.
        hashes: `(q,) uint32`, any order, repeats allowed.
        limit: The documents of a hash that more than `limit` documents have are only counted.
        chosen: Of each of the postings, `(d,) bool`: which documents are looked for. The others are only counted.

    Returns:
        `(q,) int64`, and `(n,) uint64`, ascending: document << 32 | place in the query.

    Raises:
        ParameterError: An array has another dtype or shape, or the postings are damaged.

    >>> keys = np.array([5 << 32, 5 << 32 | 1, 9 << 32 | 1], np.uint64)
    >>> made = merge_postings(Postings.none(), np.empty(0, np.uint32), keys, np.array([70, 80], np.uint32))
    >>> counts, found = find_postings([made], np.array([9, 4, 5], np.uint32), limit=1)
    >>> counts.tolist(), [divmod(key, 2**32) for key in found.tolist()]
    ([1, 0, 2], [(80, 0)])
    """
    require_postings(postings, hashes, chosen)
    counts, found = np.zeros(len(hashes), np.int64), []
    for one in postings:
        lists = _wanted(one, hashes)
        counts[lists.cursor] += lists.counts.astype(np.int64)
        found.append(lists)
    keys = [np.empty(0, np.uint64)]
    for number, (one, lists) in enumerate(zip(postings, found, strict=True)):
        few = counts[lists.cursor] <= limit
        owners, numbers = _numbers(one, lists.some(few))
        if chosen is not None:
            owners, numbers = owners[chosen[number][numbers]], numbers[chosen[number][numbers]]
        keys.append(one.documents[numbers].astype(np.uint64) << np.uint64(32) | owners.astype(np.uint64))
    return counts, np.sort(np.concatenate(keys))


def list_postings(postings: Postings) -> Keys:
    """Return all postings, `(n,) uint64`, ascending: hash << 32 | number of the document.

    Raises:
        ParameterError: The postings are damaged.

    >>> keys = np.array([5 << 32, 5 << 32 | 1, 9 << 32 | 1], np.uint64)
    >>> made = merge_postings(Postings.none(), np.empty(0, np.uint32), keys, np.array([70, 80], np.uint32))
    >>> list_postings(made).tolist() == keys.tolist()
    True
    """
    require_postings([postings], postings.documents)
    require_size(postings)
    keys = np.sort(np.concatenate([np.empty(0, np.uint64), *(some for some, _ in _listed(postings))]))
    if len(keys) != postings.n_postings:
        raise damaged_postings()
    return keys


def _listed(postings: Postings) -> Iterator[tuple[Keys, NDArray[np.int64]]]:
    """Yield the postings of some lists after another: hash << 32 | number, and the numbers."""
    for lists in _lists(postings, np.arange(postings.n_buckets)):
        owners, numbers = _numbers(postings, lists._replace(cursor=np.arange(len(lists.hashes))))
        yield lists.hashes[owners] << np.uint64(32) | numbers.astype(np.uint64), numbers


def merge_postings(old: Postings, renumbered: Hashes, keys: Keys, documents: Hashes) -> Postings:
    """Return postings made of old ones and of new hashes of documents.

    Args:
        old: Postings, maybe `Postings.none()`.
        renumbered: `(d,) uint32`, the new number of each document of the old postings; `GONE` if it leaves.
        keys: `(n,) uint64`, ascending, repeats allowed: hash << 32 | new number of a document.
        documents: `(d',) uint32`, the ids of the documents by their new numbers.

    Raises:
        ParameterError: An array has another dtype or shape, a number is too large, or the old postings are damaged.
    """
    require_mergeable(old, renumbered, keys, documents)
    require_postings([old], documents)
    shape = Shape.of(old, keys, len(documents))
    kept = [np.empty(0, np.uint64)]
    for some, numbers in _listed(old):
        now = renumbered[numbers].astype(np.uint64)
        kept.append((some & ~np.uint64(GONE) | now)[now != GONE])
    distinct = np.unique(np.concatenate([*kept, keys]))
    if len(distinct) and int(distinct[-1]) >> 32 >= shape.n_buckets << shape.shift:
        raise damaged_postings()
    return _written(distinct, documents, shape)


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


def _written(keys: Keys, documents: Hashes, shape: Shape) -> Postings:
    """Return postings of distinct keys, ascending."""
    hashes, firsts, counts = np.unique(keys >> np.uint64(32), return_index=True, return_counts=True)
    buckets = (hashes >> np.uint64(shape.shift)).astype(np.int64)
    before = np.append(np.uint64(0), hashes[:-1] + np.uint64(1)) if len(hashes) else hashes
    begins = buckets.astype(np.uint64) << np.uint64(shape.shift)
    gaps = hashes - np.maximum(before, begins)
    n_upper = (gaps >> np.uint64(shape.rice)).astype(np.int64)
    n_count = np.frexp(counts.astype(np.float64))[1].astype(np.int64) - 1
    n_head = n_upper + 1 + shape.rice + n_count + 1 + n_count
    n_bits = n_head + counts * shape.id_bits
    n_in_bucket = np.bincount(buckets, n_bits, shape.n_buckets).astype(np.int64)
    directory = np.append(0, np.cumsum(-(-n_in_bucket // 8)))
    ends = np.cumsum(n_bits)
    starts = ends - n_bits
    firsts_of_bucket = np.searchsorted(buckets, buckets)
    at = 8 * directory[buckets] + starts - starts[firsts_of_bucket]
    line = np.zeros(8 * (int(directory[-1]) + PADDING_BYTES), np.uint8)
    line[at + n_upper] = 1
    _put(line, at + n_upper + 1, gaps, shape.rice)
    line[at + n_upper + 1 + shape.rice + n_count] = 1
    for n in np.unique(n_count).tolist():
        some = n_count == n
        _put(line, (at + n_head - n_count)[some], counts[some].astype(np.uint64), n)
    within = np.arange(len(keys)) - np.repeat(firsts, counts)
    _put(line, np.repeat(at + n_head, counts) + within * shape.id_bits, keys & np.uint64(GONE), shape.id_bits)
    bits = np.packbits(line, bitorder="little")
    return Postings(
        documents,
        directory.astype(np.uint32),
        bits,
        shape.shift,
        shape.rice,
        shape.id_bits,
        len(hashes),
        len(keys),
    )


def _put(line: NDArray[np.uint8], at: NDArray[np.int64], numbers: Keys, n_bits: int) -> None:
    """Write the lowest bits of each number into a line of bits."""
    for bit in range(n_bits):
        line[at + bit] = (numbers >> np.uint64(bit)) & np.uint64(1)
