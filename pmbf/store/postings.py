"""The postings of a tile as bytes: for each hash, which of the tile's documents have it.

    u32 documents d │ u32 buckets b │ u32 shift │ u32 rice │ u32 id_bits │ u32 0 │ u64 hashes │ u64 postings
    u64 bytes of the bits
    4 d bytes        ids of the documents, ascending
    4 (b + 1) bytes  where each bucket begins in the bits
    the bits, and 8 zeros                                       `kernels.Postings` draws them

The bits of the rows say which rows may have a hash; the postings say which documents do have it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.arrays import among, distinct
from pmbf.kernels import GONE, PADDING_BYTES, Postings
from pmbf.store.files import PAGE_BYTES, MappedFile

_HEAD = struct.Struct("<6I3Q")

Hashes = NDArray[np.uint32]


class Added(NamedTuple):
    """Documents with hashes that the postings of their tile lack; a document may come several times.

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
        none = np.empty(0, np.int64)
        return cls(
            np.concatenate([none, *(one.documents for one in some)]),
            np.concatenate([none, *(one.counts for one in some)]),
            np.concatenate([np.empty(0, np.uint32), *(one.hashes for one in some)]),
        )


class StoredPostings:
    """Postings in a file. Each page of them is checked before its first use.

    Args:
        file: The file.
        start: Where the postings begin in its payload, a multiple of 8.

    Raises:
        CorruptError: The head is damaged.
        ValueError: The head does not fit the length of the file.
    """

    def __init__(self, file: MappedFile, start: int) -> None:
        file.check(start, start + _HEAD.size)
        d, b, shift, rice, id_bits, _, n_hashes, n_postings, n_bytes = _HEAD.unpack_from(file.payload, start)
        self._file = file
        self._documents_at = start + _HEAD.size
        self._directory_at = self._documents_at + 4 * d
        self._bits_at = self._directory_at + 4 * (b + 1)
        self._postings = Postings(
            np.frombuffer(file.payload, "<u4", d, self._documents_at),
            np.frombuffer(file.payload, "<u4", b + 1, self._directory_at),
            np.frombuffer(file.payload, np.uint8, n_bytes + PADDING_BYTES, self._bits_at),
            shift,
            rice,
            id_bits,
            n_hashes,
            n_postings,
        )

    def all(self) -> Postings:
        """Return the postings, all their pages checked.

        Raises:
            CorruptError: A page is damaged.
        """
        self._file.verify()
        return self._postings

    def for_hashes(self, hashes: Hashes) -> Postings:
        """Return the postings; what finding these hashes reads of them is checked.

        Raises:
            CorruptError: A page is damaged.
        """
        if not self._file.is_checked:
            self._check(hashes)
        return self._postings

    def _check(self, hashes: Hashes) -> None:
        one, file = self._postings, self._file
        file.check(self._documents_at, self._directory_at)
        buckets = distinct(hashes.astype(np.int64) >> one.shift)
        buckets = buckets[buckets < one.n_buckets]
        file.check_places(self._directory_at + 4 * buckets, 8)
        starts, stops = one.directory[buckets].astype(np.int64), one.directory[buckets + 1].astype(np.int64)
        is_small = stops - starts <= PAGE_BYTES  # on two pages at most
        ends = np.maximum(starts, stops - 1)
        file.check_places(self._bits_at + np.concatenate([starts[is_small], ends[is_small]]), 1)
        for start, stop in zip(starts[~is_small].tolist(), stops[~is_small].tolist(), strict=True):
            file.check(self._bits_at + start, self._bits_at + stop)


def payload(postings: Postings) -> Iterator[bytes | memoryview]:
    """Yield the parts of postings as bytes."""
    yield _HEAD.pack(
        len(postings.documents),
        postings.n_buckets,
        postings.shift,
        postings.rice,
        postings.id_bits,
        0,
        postings.n_hashes,
        postings.n_postings,
        postings.n_bit_bytes,
    )
    for part in (postings.documents.astype("<u4"), postings.directory.astype("<u4"), postings.bits):
        yield np.ascontiguousarray(part).data.cast("B")


def merged(old: Postings, documents: Hashes, added: Added) -> Postings:
    """Return the postings of some documents.

    Args:
        old: Postings of some of them, and maybe of others, which go.
        documents: `(d,) uint32`, the ids of the documents, ascending.
        added: Documents with hashes that the old postings lack.

    Raises:
        ParameterError: The old postings are damaged.
    """
    renumbered = np.searchsorted(documents, old.documents).astype(np.uint32)
    renumbered[~among(old.documents, documents)] = GONE
    numbers = np.searchsorted(documents, added.documents.astype(np.uint32)).astype(np.uint64)
    keys = added.hashes.astype(np.uint64)
    keys <<= np.uint64(32)
    keys |= np.repeat(numbers, added.counts)
    kernels.sort_keys(keys)
    return kernels.merge_postings(old, renumbered, keys, documents)
