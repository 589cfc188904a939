"""Sorted postings as both twins lay them out: for each hash, the documents that have it.

    documents   (d,) uint32     the ids of the documents, ascending; a posting names a document by its number here
    directory   (b + 1,) uint32 where each bucket begins in the bits, in bytes; bucket h >> shift holds hash h
    bits        of each bucket, ascending, for each of its hashes, the lowest bit first:

        gap        to the hash after the one before (to the bucket's first): Rice code, upper part in unary, `rice` bits
        count      n of documents: Elias's gamma code
        numbers    n × `id_bits`, ascending

                hash 1000   in documents 3, 7                 hash 1017  in document 2
        │ gap 1000 (from 0) │ 2 │ 3 │ 7 │                │ gap 16 │ 1 │ 2 │            zeros up to a whole byte

A hash of w bits counts here as a number of w bits, the first w of its word: see `numbers_of`. A unary number n is n
zeros and a one. A rare hash of five million in a tile takes 26 bits.

Sources: Rice 1979; Elias 1975, gamma code; Witten, Moffat & Bell 1999, Managing Gigabytes, chapter 3: inverted files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import ParameterError
from pmbf.base.hashes import Hashes, hash_dtype
from pmbf.kernels import checks
from pmbf.kernels.segment_rows import PADDING_BYTES, Row, require_rows

__all__ = [
    "ALL_DOCUMENTS",
    "GONE",
    "PADDING_BYTES",
    "Buckets",
    "Postings",
    "PostingsPages",
    "PostingsShape",
    "Ranges",
    "Segments",
    "numbers_of",
]

Numbers = NDArray[np.uint32]
Keys = NDArray[np.uint64]
Ranges = NDArray[np.int64]
ALL_DOCUMENTS: Ranges = np.array([[0, 1 << 32]])
"""The range of all ids of documents: `(1, 2)`, from one id up to another."""
Renumbered = Numbers | int
"""The new numbers of the documents of postings, `(d,) uint32`, `GONE` for those that go; or that of the first one, if
the others follow it in order. With an array, a million documents are joined in four times the time: the processor waits
for each number."""

GONE = 2**32 - 1
"""The new number of a document that leaves the postings."""

_BUCKET_HASHES = 24
"""Most hashes of a bucket, on average; at least half as many. Half of them are decoded to find one; more buckets take
more room."""


class PostingsPages(NamedTuple):
    """The file that postings lie in. What is read of them is checked before, each page once.

    Args:
        content: `(n,) uint8`, the bytes of the file that are checked.
        sums: `(p,) uint32`, the checksum of each page.
        checked: `(p,) uint8`, 1 for each page that was found intact.
        page_bytes: Length of a page.
        documents_at, directory_at, bits_at: Where the arrays of the postings begin.
    """

    content: NDArray[np.uint8]
    sums: Numbers
    checked: NDArray[np.uint8]
    page_bytes: int
    documents_at: int
    directory_at: int
    bits_at: int


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """For each hash, the documents that have it; the module draws the layout.

    Args:
        documents: `(d,) uint32`, ascending.
        directory: `(b + 1,) uint32`, ascending.
        bits: `(n + PADDING_BYTES,) uint8`.
        shift: Hashes of a bucket's range, as a power of 2, 0 to 63.
        rice: Bits of the lower part of a gap, 0 to 63.
        id_bits: Bits of a document's number, 1 to 32.
        n_hashes: Distinct hashes.
        n_postings: Documents in all lists together.
        pages: The file that `find_postings` checks before it reads; None if nothing is left to check. Only
            `find_postings` does so: before anything else reads the postings, the file is checked.
        hash_bits: Bits of a hash.
        row: The row of the filter that knows which hashes the postings may have: they are not looked up for others.
            None: they are for all.
    """

    documents: Numbers
    directory: Numbers
    bits: NDArray[np.uint8]
    shift: int
    rice: int
    id_bits: int
    n_hashes: int
    n_postings: int
    pages: PostingsPages | None = None
    hash_bits: int = 32
    row: Row | None = None

    @classmethod
    def none(cls, hash_bits: int = 32) -> Postings:
        """Return postings of no document."""
        bits = np.zeros(PADDING_BYTES, np.uint8)
        return cls(np.empty(0, np.uint32), np.zeros(1, np.uint32), bits, 32, 0, 1, 0, 0, hash_bits=hash_bits)

    @property
    def n_buckets(self) -> int:
        """Number of buckets, b."""
        return len(self.directory) - 1

    @property
    def end(self) -> int:
        """One more than the largest hash that the buckets hold, as a number."""
        return min(1 << self.hash_bits, self.n_buckets << self.shift)

    @property
    def n_bit_bytes(self) -> int:
        """Bytes of the bits, without what is behind them."""
        return len(self.bits) - PADDING_BYTES

    def span(self, start: int, stop: int) -> tuple[int, int]:
        """Return where the buckets with the hashes `[start, stop)` begin and end in the bits, in bytes."""
        first = min(self.n_buckets, start >> self.shift)
        last = min(self.n_buckets, -(-stop >> self.shift))
        begin, end = int(self.directory[first]), int(self.directory[max(first, last)])
        if not 0 <= begin <= end <= self.n_bit_bytes:
            raise damaged_postings()
        return begin, end

    def most_postings(self, start: int, stop: int) -> int:
        """Return a number that the postings of the hashes `[start, stop)` do not exceed."""
        begin, end = self.span(start, stop)
        return min(self.n_postings, 8 * (end - begin) // self.id_bits)


class Segments(tuple[Postings, ...]):
    """Postings that are asked again and again: what the native kernels make of them is kept."""

    passed: Any = None


class Buckets(NamedTuple):
    """Some buckets of postings, one after another.

    Args:
        ends: `(b,) uint32`, where each bucket ends, in bytes from the first one's beginning.
        bits: `(n,) uint8`.
        n_hashes, n_postings: As in `Postings`.
    """

    ends: Numbers
    bits: NDArray[np.uint8]
    n_hashes: int
    n_postings: int


@dataclass(frozen=True, slots=True)
class PostingsShape:
    """The numbers of postings that are about to be made, the same for both twins; as in `Postings`."""

    n_buckets: int
    shift: int
    rice: int
    id_bits: int
    hash_bits: int = 32

    @classmethod
    def of(cls, *, n_hashes: int, end: int, n_documents: int, hash_bits: int = 32) -> PostingsShape:
        """Return the numbers for some documents that have about `n_hashes` distinct hashes, all of them below `end`."""
        n = max(1, n_hashes)
        shift = min(hash_bits, 63, max(0, (_BUCKET_HASHES * end // n).bit_length() - 1))
        rice = min(hash_bits - 1, max(0, (end // n).bit_length() - 1))
        return cls(-(-end >> shift) if end else 0, shift, rice, max(1, (n_documents - 1).bit_length()), hash_bits)

    def room(self, n_postings: int, start: int, stop: int) -> int:
        """Return the most bytes that some postings take in the buckets `[start, stop)`."""
        n_buckets = stop - start
        n_bits = n_postings * (self.id_bits + self.rice + 4) + (n_buckets << self.shift >> self.rice)
        return n_bits // 8 + n_buckets + 64


def numbers_of(hashes: Hashes, hash_bits: int) -> Keys:
    """Return hashes as the numbers that postings hold, `(n,) uint64`.

    >>> numbers_of(np.array([7 << 56], np.uint64), 40).tolist() == [7 << 32]
    True
    """
    return hashes.astype(np.uint64) if hash_bits == 32 else hashes >> np.uint64(64 - hash_bits)


def hashes_of(numbers: Keys, hash_bits: int) -> Hashes:
    """Return the hashes that some numbers stand for: the inverse of `numbers_of`."""
    return numbers.astype(np.uint32) if hash_bits == 32 else numbers << np.uint64(64 - hash_bits)


def shape_of(hashes: Hashes, n_documents: int, hash_bits: int, n_hashes: int | None = None) -> PostingsShape:
    """Return the shape of postings that are made of ascending hashes, as many different ones as are told, or all."""
    end = int(numbers_of(hashes[-1:], hash_bits)[0]) + 1 if len(hashes) else 0
    n_hashes = len(hashes) if n_hashes is None else n_hashes
    return PostingsShape.of(n_hashes=n_hashes, end=end, n_documents=n_documents, hash_bits=hash_bits)


def sought_in(postings: Sequence[Postings], hashes: Hashes) -> Keys:
    """Return hashes as the numbers that some postings, of hashes of one width, hold."""
    return numbers_of(hashes, postings[0].hash_bits if postings else 32)


def require_makeable(hashes: Hashes, numbers: Numbers, documents: Numbers, hash_bits: int) -> None:
    """Refuse hashes and numbers that do not fit each other or their documents."""
    checks.require("hashes", hashes, hash_dtype(hash_bits), "(n,)", 1)
    checks.require("numbers", numbers, np.uint32, "(n,)", 1)
    checks.require("documents", documents, np.uint32, "(d,)", 1)
    if len(hashes) != len(numbers):
        raise ParameterError(f"numbers is for {len(numbers)} hashes, expected {len(hashes)}")
    _require_numbers(numbers, len(documents))
    if (hashes[1:] < hashes[:-1]).any():
        raise ParameterError("hashes do not ascend")


def require_joinable(
    postings: Sequence[Postings], renumbered: Sequence[Renumbered], shape: PostingsShape, start: int, stop: int
) -> None:
    """Refuse arrays that do not fit each other, and buckets that the shape does not have."""
    require_postings(postings)
    if postings and postings[0].hash_bits != shape.hash_bits:
        raise ParameterError(f"shape is for hashes of {shape.hash_bits} bits, expected {postings[0].hash_bits}")
    if len(renumbered) != len(postings):
        raise ParameterError("renumbered is not for the documents of the postings")
    for one, new in zip(postings, renumbered, strict=True):
        if isinstance(new, int):
            _require_numbers(np.array([new, new + max(1, len(one.documents)) - 1], np.uint64), 1 << shape.id_bits)
            continue
        checks.require("renumbered", new, np.uint32, "(d,)", 1)
        if len(new) != len(one.documents):
            raise ParameterError("renumbered is not for the documents of the postings")
        _require_numbers(new[new != GONE], 1 << shape.id_bits)
    if not 0 <= start <= stop <= shape.n_buckets:
        raise ParameterError(f"buckets {start} to {stop} of {shape.n_buckets}")


def _require_numbers(numbers: Numbers, n_documents: int) -> None:
    if len(numbers) and int(numbers.max()) >= n_documents:
        raise ParameterError(f"a document has the number {numbers.max()}, expected 0 to {n_documents - 1}")


def require_postings(postings: Sequence[Postings], hashes: Hashes | None = None) -> None:
    """Refuse postings whose numbers do not fit their arrays, and hashes of another type."""
    if hashes is not None:
        require_hashes(postings, hashes)
    if isinstance(postings, Segments) and postings.passed is not None:
        return  # they were looked at before
    if len({one.hash_bits for one in postings}) > 1:
        raise ParameterError("the postings have hashes of several widths, expected one width")
    for one in postings:
        checks.require("documents", one.documents, np.uint32, "(d,)", 1)
        checks.require("directory", one.directory, np.uint32, "(b + 1,)", 1)
        checks.require("bits", one.bits, np.uint8, "(n,)", 1)
        if not _numbers_fit(one) or not len(one.directory) or len(one.bits) < PADDING_BYTES:
            raise damaged_postings()
        if one.pages:
            checks.require_pages(len(one.pages.content), one.pages.sums, one.pages.checked, _NO_PLACE, one.pages[3])
    require_rows([one.row for one in postings])


def require_near(queries: Sequence[Hashes], among: Sequence[Ranges], least: int, window: int) -> None:
    """Refuse a number of hashes, and of places, below 1, and ranges of documents that do not ascend, one a query."""
    if least < 1 or window < 1:
        raise ParameterError(f"least is {least}, window {window}, both must be at least 1")
    if len(among) != len(queries):
        raise ParameterError(f"{len(queries)} queries have {len(among)} lists of ranges")
    for one in among:
        ends = np.append(0, one)
        if one.dtype != np.int64 or one.ndim != 2 or one.shape[1] != 2 or (ends[1:] < ends[:-1]).any():
            raise ParameterError("the ranges of documents must be (n, 2) int64 and ascend")


def require_hashes(postings: Sequence[Postings], hashes: Hashes) -> None:
    """Refuse hashes of another width than those of the postings; any width if there are none."""
    hash_bits = postings[0].hash_bits if postings else 64 if hashes.dtype == np.uint64 else 32
    checks.require("hashes", hashes, hash_dtype(hash_bits), "(q,)", 1)


def _numbers_fit(one: Postings) -> bool:
    n_bits, last = one.hash_bits, max(0, one.n_buckets - 1)
    in_range = 0 <= one.shift <= min(n_bits, 63) and 0 <= one.rice < n_bits and 1 <= one.id_bits <= 32
    return in_range and last << one.shift < 1 << n_bits


_NO_PLACE = np.empty(0, np.int64)


def damaged_postings() -> ParameterError:
    """Return the error for postings that contradict themselves."""
    return ParameterError("the postings are damaged: a number in them is outside its range")
