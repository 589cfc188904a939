"""Postings as bytes: for each hash, which of some documents have it.

`kernels.Postings` draws the bits, and `docs/format.md` lays out a file, kind `POST`. A file names its documents: it
answers which of them have a hash, on any machine. It is written from several others in one pass over ranges of hashes;
what is not known before stands behind the bits.
"""

from __future__ import annotations

import itertools
import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.arrays import among, distinct
from pmbf.base.hashes import Hashes, hash_dtype
from pmbf.kernels import GONE, PADDING_BYTES, Buckets, Postings, PostingsPages, PostingsShape, Row
from pmbf.store.files import PAGE_BYTES, MappedFile, damaged

_NUMBERS = struct.Struct("<6I3Q")

_RANGE_BYTES = 4 << 20
"""Bytes of the bits that are joined at once, about."""

Ids = NDArray[np.uint32]
Pairs = tuple[Hashes, Ids]
"""Hashes, and of each a number, of a document for instance."""


class Added(NamedTuple):
    """Documents with hashes of each; a document may come several times.

    Args:
        documents: `(n,) int64`, their ids.
        counts: `(n,) int64`, hashes of each.
        hashes: The hashes, one document after another.
    """

    documents: NDArray[np.int64]
    counts: NDArray[np.int64]
    hashes: Hashes

    @classmethod
    def of(cls, some: Sequence[tuple[int, Hashes]]) -> Added:
        """Return documents, each with its hashes."""
        counts = np.array([len(hashes) for _, hashes in some], np.int64)
        hashes = np.concatenate([np.empty(0, np.uint32), *(hashes for _, hashes in some)])
        return cls(np.array([document for document, _ in some], np.int64), counts, hashes)

    @classmethod
    def joined(cls, some: Sequence[Added]) -> Added:
        """Return the documents of several, one after another."""
        some = [one for one in some if len(one.counts)]
        if len(some) == 1:
            return some[0]
        none = np.empty(0, np.int64)
        return cls(
            np.concatenate([none, *(one.documents for one in some)]),
            np.concatenate([none, *(one.counts for one in some)]),
            np.concatenate([np.empty(0, np.uint32), *(one.hashes for one in some)]),
        )

    def cut(self, most: int) -> Iterator[Added]:
        """Yield the documents in turns with not many more hashes than `most` each."""
        ends = np.cumsum(self.counts)
        turns = np.maximum(0, ends - 1) // most
        ends = np.append(ends, 0)
        for start, stop in itertools.pairwise([0, *(np.flatnonzero(np.diff(turns)) + 1).tolist(), len(self.counts)]):
            if start < stop:
                hashes = self.hashes[ends[start - 1] : ends[stop - 1]]
                yield Added(self.documents[start:stop], self.counts[start:stop], hashes)


class StoredPostings:
    """Postings in a file, or in a part of one. Each page of them is checked before its first use.

    Raises:
        ValueError: The numbers do not fit the length of the file or part.
    """

    def __init__(self, file: MappedFile, start: int, stop: int) -> None:
        numbers_at = stop - _NUMBERS.size
        file.check(numbers_at, stop)
        d, b, shift, rice, id_bits, more_bits, *sizes = _NUMBERS.unpack_from(file.payload, numbers_at)
        n_hashes, n_postings, n_bytes = sizes
        if more_bits > 32 or shift > 32 + more_bits or rice > 31 + more_bits or not 1 <= id_bits <= 32:
            raise ValueError(f"shift {shift}, rice {rice}, {id_bits} bits of a number")
        self.file = file
        self._documents_at, self._bits_at = start, start + 4 * d
        self._directory_at = self._bits_at + _padded(n_bytes)
        if self._directory_at + 4 * (b + 1) != numbers_at:
            raise ValueError(f"{d} documents, {n_bytes} bytes of bits, {b} buckets")
        self._postings = Postings(
            np.frombuffer(file.payload, "<u4", d, self._documents_at),
            np.frombuffer(file.payload, "<u4", b + 1, self._directory_at),
            np.frombuffer(file.payload, np.uint8, n_bytes + PADDING_BYTES, self._bits_at),
            shift,
            rice,
            id_bits,
            n_hashes,
            n_postings,
            PostingsPages(
                np.frombuffer(file.payload, np.uint8),
                file.sums,
                file.checked,
                PAGE_BYTES,
                self._documents_at,
                self._directory_at,
                self._bits_at,
            ),
            32 + more_bits,
        )

    @classmethod
    def of_file(cls, file: MappedFile, start: int = 0, stop: int | None = None) -> StoredPostings:
        """Return the postings in a file of the kind `POST`, or between two places of another."""
        try:
            return cls(file, start, len(file.payload) if stop is None else stop)
        except (struct.error, ValueError) as error:
            raise damaged(file.path, f"the numbers of the postings do not fit its length ({error})") from error

    @property
    def n_bit_bytes(self) -> int:
        """Bytes of the bits."""
        return self._postings.n_bit_bytes

    @property
    def documents(self) -> Ids:
        """The ids of the documents, ascending, `(d,) uint32`."""
        self.file.check(self._documents_at, self._documents_at + 4 * len(self._postings.documents))
        return self._postings.documents

    def to_find(self, row: Row | None = None) -> Postings:
        """Return the postings for `kernels.find_postings`, which checks the pages that it reads, behind a row."""
        return replace(self._postings, row=row) if row else self._postings

    def whole(self) -> Postings:
        """Return the postings, checked."""
        return self.of_range(0, self._postings.end)

    def of_range(self, start: int, stop: int) -> Postings:
        """Return the postings; all that is read of the hashes `[start, stop)` is checked."""
        one, file = self._postings, self.file
        file.check(self._documents_at, self._documents_at + 4 * len(one.documents))
        file.check(self._directory_at, self._directory_at + 4 * len(one.directory))
        begin, end = one.span(start, stop)
        file.check(self._bits_at + begin, self._bits_at + end)
        return one

    def read_ahead(self, hashes: Hashes) -> None:
        """Begin to read the buckets of some hashes: all lines of the directory, and then what these say."""
        one = self._postings
        buckets = (kernels.numbers_of(hashes, one.hash_bits) >> np.uint64(one.shift)).astype(np.int64)
        buckets = buckets[buckets < one.n_buckets]
        at = self._directory_at + 4 * buckets
        self.file.read_ahead(at, at + 8)
        begins, ends = one.directory[buckets].astype(np.int64), one.directory[buckets + 1].astype(np.int64)
        self.file.read_ahead(self._bits_at + begins, self._bits_at + ends)

    def let_go(self, start: int, stop: int) -> None:
        """Take the bits of the hashes `[start, stop)` out of this process's memory, until they are read again."""
        begin, end = self._postings.span(start, stop)
        self.file.let_go(self._bits_at + begin, self._bits_at + end)


Source = Postings | StoredPostings


def of_range(source: Source, start: int, stop: int) -> Postings:
    """Return postings of which the hashes `[start, stop)` are checked."""
    return source if isinstance(source, Postings) else source.of_range(start, stop)


def ranges_of(sources: Sequence[Source]) -> list[tuple[int, int]]:
    """Return ranges of hashes, `[start, stop)`, in each of which the sources have some million postings."""
    whole = [of_range(one, 0, 0) for one in sources]
    end, n_bytes = max((one.end for one in whole), default=0), sum(one.n_bit_bytes for one in whole)
    n_ranges = 1 + n_bytes // _RANGE_BYTES
    return [*itertools.pairwise(end * number // n_ranges for number in range(n_ranges + 1))]


def listed(source: Source, start: int, stop: int) -> tuple[Hashes, Ids]:
    """Return the postings of the hashes `[start, stop)`, ascending by hash: each hash, and the id of its document.

    Raises:
        ParameterError: The source contradicts itself.
    """
    ready = of_range(source, start, stop)
    hashes, numbers = kernels.list_postings(ready, start, stop)
    return hashes, ready.documents[numbers]


def sorted_pairs(hashes: Hashes, numbers: Ids) -> Pairs:
    """Return pairs of a hash and a number, ascending.

    >>> [one.tolist() for one in sorted_pairs(np.array([9, 4, 9], np.uint32), np.array([2, 7, 1], np.uint32))]
    [[4, 9, 9], [7, 1, 2]]
    """
    if hashes.itemsize == 4:  # a sort of whole numbers takes a tenth of the time
        keys = hashes.astype(np.uint64)
        keys <<= np.uint64(32)
        keys |= numbers
        keys.sort()
        upper, halves = int(sys.byteorder == "little"), keys.view(np.uint32)
        return halves[upper::2], halves[1 - upper :: 2]  # another array of this length costs as much as the sort
    order = np.lexsort((numbers, hashes))
    return hashes[order], numbers[order]


def distinct_pairs(hashes: Hashes, numbers: Ids) -> Pairs:
    """Return pairs of a hash and a number, ascending, each once.

    >>> [one.tolist() for one in distinct_pairs(np.array([9, 4, 9], np.uint32), np.array([1, 2, 1], np.uint32))]
    [[4, 9], [2, 1]]
    """
    hashes, numbers = sorted_pairs(hashes, numbers)
    differs = (hashes[1:] != hashes[:-1]) | (numbers[1:] != numbers[:-1])
    is_first = np.append(np.ones(len(hashes[:1]), np.bool_), differs)
    return hashes[is_first], numbers[is_first]


def made(added: Added, hash_bits: int = 32) -> Postings:
    """Return the postings of documents, from the hashes of each; a document may come several times."""
    ids = added.documents.astype(np.uint32)
    documents = distinct(ids)
    numbers = np.repeat(np.searchsorted(documents, ids).astype(np.uint32), added.counts)
    hashes = added.hashes.astype(hash_dtype(hash_bits), copy=False)  # none at all are 32 bits wide
    hashes, numbers = sorted_pairs(hashes, numbers)
    n_hashes = len(hashes[:1]) + int(np.count_nonzero(hashes[1:] != hashes[:-1]))
    return kernels.make_postings(hashes, numbers, documents, hash_bits, n_hashes)


def payload(sources: Sequence[Source], gone: Ids, hash_bits: int = 32) -> Iterator[bytes | memoryview]:
    """Yield the parts of a file with the postings of several sources, of which no two have one; `gone` are left out.

    Postings alone that were made here are written as they are.

    Raises:
        ParameterError: A source contradicts itself.
    """
    kept = [one.documents[~among(one.documents, gone)] for one in sources]
    documents = distinct(np.concatenate([np.empty(0, np.uint32), *kept]))
    yield documents.astype("<u4", copy=False).data.cast("B")
    whole = [of_range(one, 0, 0) for one in sources]
    if len(sources) == 1 and isinstance(sources[0], Postings) and len(documents) == len(sources[0].documents):
        [one] = whole
        yield one.bits[: one.n_bit_bytes].data
        directory, n_hashes, n_postings, n_bytes = one.directory, one.n_hashes, one.n_postings, one.n_bit_bytes
        shape = PostingsShape(one.n_buckets, one.shift, one.rice, one.id_bits, hash_bits)
    else:
        end, n_hashes = max((one.end for one in whole), default=0), sum(one.n_hashes for one in whole)
        shape = PostingsShape.of(n_hashes=n_hashes, end=end, n_documents=len(documents), hash_bits=hash_bits)
        directory, n_bytes, n_hashes, n_postings = np.zeros(shape.n_buckets + 1, "<u4"), 0, 0, 0
        for first, last, joined in _joined(sources, [_renumbered(one.documents, documents) for one in sources], shape):
            directory[first + 1 : last + 1] = joined.ends + np.uint32(n_bytes)
            n_bytes, n_hashes = n_bytes + len(joined.bits), n_hashes + joined.n_hashes
            n_postings += joined.n_postings
            yield joined.bits.data
    yield bytes(_padded(n_bytes) - n_bytes)
    yield directory.astype("<u4", copy=False).data.cast("B")
    numbers = len(documents), shape.n_buckets, shape.shift, shape.rice, shape.id_bits, hash_bits - 32
    yield _NUMBERS.pack(*numbers, n_hashes, n_postings, n_bytes)


def _joined(
    sources: Sequence[Source], renumbered: Sequence[Ids | int], shape: PostingsShape
) -> Iterator[tuple[int, int, Buckets]]:
    """Yield ranges of buckets, from the first to before the last, each with what the sources have there."""
    n_ranges = 1 + sum(of_range(one, 0, 0).n_bit_bytes for one in sources) // _RANGE_BYTES
    for first, last in itertools.pairwise(shape.n_buckets * number // n_ranges for number in range(n_ranges + 1)):
        start, stop = first << shape.shift, last << shape.shift
        ready = [of_range(one, start, stop) for one in sources]
        yield first, last, kernels.join_postings(ready, renumbered, shape, first, last)
        for one in sources:
            if isinstance(one, StoredPostings):
                one.let_go(start, stop)


def _renumbered(documents: Ids, new: Ids) -> Ids | int:
    """Return the numbers of documents among the new ones, as `kernels.join_postings` takes them."""
    numbers = np.searchsorted(new, documents).astype(np.uint32)
    numbers[~among(documents, new)] = GONE
    if not len(numbers) or GONE in numbers[[0, -1]] or (np.diff(numbers) != 1).any():
        return numbers
    return int(numbers[0])


def _padded(n_bytes: int) -> int:
    """Return the bytes that the bits take in a file with what is behind them."""
    return n_bytes + PADDING_BYTES + -n_bytes % 4
