"""Sorted postings: for each hash the documents that have it. The reference of `native/postings`.

`postings_layout` draws the bits. Here a line of bits is a text of zeros and ones, the lowest bit first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from pmbf.base.hashes import Hashes
from pmbf.kernels import postings_layout as layout
from pmbf.kernels.postings_layout import (
    GONE,
    Buckets,
    Keys,
    Numbers,
    Postings,
    PostingsPages,
    PostingsShape,
    Renumbered,
)
from pmbf.kernels.reference_records import check_pages
from pmbf.kernels.reference_segments import have_passed, lines_of, segments_having
from pmbf.kernels.segment_rows import PADDING_BYTES, require_range

__all__ = ["find_postings", "join_postings", "list_postings", "make_postings", "row_of", "segments_having"]

_MOST_COUNT_BITS = 31


def find_postings(postings: Sequence[Postings], hashes: Hashes, *, limit: int) -> tuple[NDArray[np.int64], Keys]:
    """Return how many documents have each hash of a query, and which documents have the hashes that few have.

    A document that several of the postings name counts several times. What is read of postings with pages is checked.

    Args:
        postings: Whose arrays are contiguous.
        hashes: `(q,)`, of the postings' width, any order, repeats allowed.
        limit: The documents of a hash that more than `limit` documents have are only counted.

    Returns:
        `(q,) int64`, and `(n,) uint64`, ascending: document << 32 | place in the query.

    >>> hashes, numbers = np.array([5, 5, 9], np.uint32), np.array([0, 1, 1], np.uint32)
    >>> made = make_postings(hashes, numbers, np.array([70, 80], np.uint32))
    >>> counts, found = find_postings([made], np.array([9, 4, 5], np.uint32), limit=1)
    >>> counts.tolist(), [divmod(key, 2**32) for key in found.tolist()]
    ([1, 0, 2], [(80, 0)])
    """
    layout.require_postings(postings, hashes)
    counts = np.zeros(len(hashes), np.int64)
    found = []
    for one in postings:
        passed = have_passed(one.row, hashes) if one.row else [True] * len(hashes)
        for place, value in enumerate(layout.sought_in(postings, hashes).tolist()):
            if passed[place] and (mine := _list_of(one, value)):
                counts[place] += mine.count
                found.append((one, place, mine))
    keys = [
        document << 32 | place
        for one, place, mine in found
        if counts[place] <= limit
        for document in _documents(one, mine.numbers(one))
    ]
    return counts, np.array(sorted(keys), np.uint64)


def _documents(postings: Postings, numbers: list[int]) -> list[int]:
    """Return the documents of some numbers, whose pages are checked."""
    if postings.pages:
        _check(postings.pages, postings.pages.documents_at + 4 * np.array(numbers, np.int64), 4)
    found: list[int] = postings.documents[numbers].tolist()
    return found


def list_postings(postings: Postings, start: int = 0, stop: int | None = None) -> tuple[Hashes, Numbers]:
    """Return the postings of some hashes: the hash of each and the number of its document, `(n,)` each, ascending.

    Args:
        postings: Postings that are checked.
        start, stop: The hashes `[start, stop)`, as numbers; None: all from `start` on.

    >>> hashes, numbers = np.array([5, 5, 9], np.uint32), np.array([0, 1, 1], np.uint32)
    >>> made = make_postings(hashes, numbers, np.array([70, 80], np.uint32))
    >>> [column.tolist() for column in list_postings(made)], list_postings(made, 6, 10)[0].tolist()
    ([[5, 5, 9], [0, 1, 1]], [9])
    """
    layout.require_postings([postings])
    stop = max(start, postings.end if stop is None else min(stop, postings.end))
    most = postings.most_postings(start, stop) if start < stop else 0
    listed = list(_listed(postings, start, stop))
    if len(listed) > most:
        raise layout.damaged_postings()
    hashes = np.array([value for value, _ in listed], np.uint64)
    return layout.hashes_of(hashes, postings.hash_bits), np.array([number for _, number in listed], np.uint32)


def make_postings(
    hashes: Hashes, numbers: Numbers, documents: Numbers, hash_bits: int = 32, n_hashes: int | None = None
) -> Postings:
    """Return the postings of documents.

    Args:
        hashes: `(n,)`, ascending, repeats allowed.
        numbers: `(n,) uint32`, the number of the document of each hash.
        documents: `(d,) uint32`, the ids of the documents by their numbers.
        hash_bits: Bits of a hash.
        n_hashes: Different hashes, for which the buckets are made; by default all hashes count.
    """
    layout.require_makeable(hashes, numbers, documents, hash_bits)
    owned = layout.numbers_of(hashes, hash_bits)
    shape = layout.shape_of(hashes, len(documents), hash_bits, n_hashes)
    pairs = zip(owned.tolist(), numbers.tolist(), strict=True)
    made = _written(pairs, shape, 0, shape.n_buckets)
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

    >>> ids, zero = (np.array([n], np.uint32) for n in (5, 9)), np.zeros(1, np.uint32)
    >>> one, other = (make_postings(id_, zero, id_) for id_ in ids)
    >>> shape = PostingsShape.of(n_hashes=2, end=10, n_documents=2)
    >>> joined = join_postings([one, other], [0, 1], shape, 0, shape.n_buckets)
    >>> joined.n_hashes, joined.n_postings
    (2, 2)
    """
    layout.require_joinable(postings, renumbered, shape, start, stop)
    pairs = []
    for one, new in zip(postings, renumbered, strict=True):
        for value, number in _listed(one, start << shape.shift, stop << shape.shift):
            now = new + number if isinstance(new, int) else int(new[number])
            if now != GONE:
                pairs.append((value, now))
    return _written(pairs, shape, start, stop)


def row_of(postings: Postings, n_lines: int, n_hashes: int, first: int = 0, stop: int | None = None) -> Keys:
    """Return the row of the filter for a segment, or a part of it: the bits of all its hashes.

    Args:
        postings: Those of the segment, checked.
        n_lines: Bits of the row, m, a multiple of 512.
        n_hashes: Bits that a hash sets, k, 1 to 3.
        first, stop: The bits `[first, stop)`, multiples of 512; None: to the end.

    Returns:
        `((stop - first) / 64,) uint64`.

    >>> made = make_postings(np.array([7, 9], np.uint32), np.zeros(2, np.uint32), np.array([70], np.uint32))
    >>> int(np.bitwise_count(row_of(made, 512, 2)).sum())
    4
    """
    layout.require_postings([postings])
    stop = require_range(n_lines, n_hashes, first, stop)
    row = np.zeros(n_lines // 64, np.uint64)
    for one in _lists_from(postings, 0, postings.end):
        for line in lines_of(one.value >> postings.hash_bits - 32, n_lines, n_hashes):
            row[line // 64] |= np.uint64(1 << line % 64)
    return row[first // 64 : stop // 64]


@dataclass(frozen=True, slots=True)
class _List:
    """The list of a hash: the bits of its bucket, where its numbers begin in them, and how many documents it has."""

    value: int
    bits: str
    at: int
    count: int

    def numbers(self, postings: Postings) -> list[int]:
        """Return the numbers of the documents."""
        starts = range(self.at, self.at + self.count * postings.id_bits, postings.id_bits)
        numbers = [_number(self.bits[start : start + postings.id_bits]) for start in starts]
        if max(numbers) >= len(postings.documents):
            raise layout.damaged_postings()
        return numbers


def _list_of(postings: Postings, value: int) -> _List | None:
    """Return the list of a hash, if it has one. What is read of the directory and of the bits is checked."""
    bucket = value >> postings.shift
    if bucket >= postings.n_buckets:
        return None
    if postings.pages:
        _check(postings.pages, np.array([postings.pages.directory_at + 4 * bucket]), 8)
        begin, end = _span(postings, bucket)
        _check(postings.pages, np.array([postings.pages.bits_at + begin]), end - begin)
    for one in _lists(postings, bucket):
        if one.value >= value:
            return one if one.value == value else None
    return None


def _check(pages: PostingsPages, offsets: NDArray[np.int64], size: int) -> None:
    content, sums, checked, page_bytes = pages[:4]
    if check_pages(content.data, sums, checked, offsets, size, page_bytes=page_bytes) is not None:
        raise layout.damaged_postings()


def _listed(postings: Postings, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield each hash from `start` up to `stop`, with the number of each of its documents."""
    for one in _lists_from(postings, start, stop):
        for number in one.numbers(postings):
            yield one.value, number


def _lists_from(postings: Postings, start: int, stop: int) -> Iterator[_List]:
    """Yield the lists of the hashes from `start` up to `stop`."""
    for bucket in range(start >> postings.shift, min(postings.n_buckets, -(-stop >> postings.shift))):
        for one in _lists(postings, bucket):
            if one.value >= stop:
                return
            if one.value >= start:
                yield one


def _span(postings: Postings, bucket: int) -> tuple[int, int]:
    """Return where a bucket begins and ends in the bits, in bytes."""
    begin, end = postings.directory[bucket : bucket + 2].tolist()
    if not begin <= end <= postings.n_bit_bytes:
        raise layout.damaged_postings()
    return begin, end


def _lists(postings: Postings, bucket: int) -> Iterator[_List]:
    """Yield the lists of a bucket."""
    begin, end = _span(postings, bucket)
    bits = _bits(int.from_bytes(postings.bits[begin:end].tobytes(), "little"), 8 * (end - begin))
    at, following, stop = 0, bucket << postings.shift, bucket + 1 << postings.shift
    while (one := bits.find("1", at)) >= 0:
        # Step 1: the gap to the hash before, its upper part in unary.
        upper, at = one - at, one + 1
        value = following + (upper << postings.rice | _number(bits[at : at + postings.rice]))
        at += postings.rice
        if at > len(bits) or value >= stop:
            raise layout.damaged_postings()
        # Step 2: the number of documents, in Elias's gamma code.
        one = bits.find("1", at)
        n_bits, at = one - at, one + 1
        if one < 0 or n_bits > _MOST_COUNT_BITS:
            raise layout.damaged_postings()
        count = 1 << n_bits | _number(bits[at : at + n_bits])
        at += n_bits
        # Step 3: the numbers of the documents.
        if at + count * postings.id_bits > len(bits) or count > len(postings.documents):
            raise layout.damaged_postings()
        yield _List(value, bits, at, count)
        at, following = at + count * postings.id_bits, value + 1


def _written(pairs: Iterable[tuple[int, int]], shape: PostingsShape, start: int, stop: int) -> Buckets:
    """Return the buckets `[start, stop)` of postings: of pairs of a hash and a document's number, in any order."""
    lines = ["" for _ in range(start, stop)]
    ordered = sorted(set(pairs))
    following, n_hashes = 0, 0
    for value, some in groupby(ordered, key=lambda pair: pair[0]):
        bucket = value >> shape.shift
        if bucket >= stop:
            raise layout.damaged_postings()
        gap = value - max(following, bucket << shape.shift)
        numbers = [number for _, number in some]
        n_bits = len(numbers).bit_length() - 1
        lines[bucket - start] += "".join([
            _unary(gap >> shape.rice),
            _bits(gap, shape.rice),
            _unary(n_bits),
            _bits(len(numbers), n_bits),
            *(_bits(number, shape.id_bits) for number in numbers),
        ])  # fmt: skip
        following, n_hashes = value + 1, n_hashes + 1
    octets = [_number(line).to_bytes(-(-len(line) // 8), "little") for line in lines]
    ends = np.cumsum([len(one) for one in octets]).astype(np.uint32)
    return Buckets(ends, np.frombuffer(b"".join(octets), np.uint8), n_hashes, len(ordered))


def _unary(number: int) -> str:
    return "0" * number + "1"


def _bits(number: int, n_bits: int) -> str:
    """Return the lowest bits of a number, the lowest first."""
    return format(number & (1 << n_bits) - 1, f"0{n_bits}b")[::-1] if n_bits else ""


def _number(bits: str) -> int:
    """Return the number that some bits are."""
    return int(bits[::-1] or "0", 2)
