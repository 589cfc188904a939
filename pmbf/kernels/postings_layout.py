"""Sorted postings as both twins lay them out: for each hash, the documents that have it.

    documents   (d,) uint32     the ids of the documents, ascending; a posting names a document by its number here
    directory   (b + 1,) uint32 where each bucket begins in the bits, in bytes; bucket h >> shift holds hash h
    bits        of each bucket, ascending, for each of its hashes, the lowest bit first:

        gap        to the hash after the one before (to the bucket's first): Rice code, upper part in unary, `rice` bits
        count      n of documents: Elias's gamma code
        numbers    n × `id_bits`, ascending

                hash 1000   in documents 3, 7                 hash 1017  in document 2
        │ gap 1000 (from 0) │ 2 │ 3 │ 7 │                │ gap 16 │ 1 │ 2 │            zeros up to a whole byte

A unary number n is n zeros and a one. A rare hash of five million in a tile takes 26 bits.

Sources: Rice 1979; Elias 1975, gamma code; Witten, Moffat & Bell 1999, Managing Gigabytes, chapter 3: inverted files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf.errors import ParameterError
from pmbf.kernels import checks

__all__ = ["GONE", "PADDING_BYTES", "Postings"]

Hashes = NDArray[np.uint32]
Keys = NDArray[np.uint64]
Chosen = NDArray[np.bool_]
"""`(d,) bool`, of each document of postings, whether it is looked for."""

GONE = 2**32 - 1
"""The new number of a document that leaves the postings."""

PADDING_BYTES = 8
"""Zeros behind the bits: a word is read at once, wherever it begins."""

_BUCKET_HASHES = 16
"""Hashes of a bucket, about. Half of them are decoded to find one; more buckets take more room."""


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """For each hash, the documents that have it; the module draws the layout.

    Args:
        documents: `(d,) uint32`, ascending.
        directory: `(b + 1,) uint32`, ascending.
        bits: `(n + PADDING_BYTES,) uint8`.
        shift: Hashes of a bucket's range, as a power of 2, 0 to 32.
        rice: Bits of the lower part of a gap, 0 to 31.
        id_bits: Bits of a document's number, 1 to 32.
        n_hashes: Distinct hashes.
        n_postings: Documents in all lists together.
    """

    documents: Hashes
    directory: Hashes
    bits: NDArray[np.uint8]
    shift: int
    rice: int
    id_bits: int
    n_hashes: int
    n_postings: int

    @classmethod
    def none(cls) -> Postings:
        """Return postings of no document."""
        return cls(np.empty(0, np.uint32), np.zeros(1, np.uint32), np.zeros(PADDING_BYTES, np.uint8), 32, 0, 1, 0, 0)

    @property
    def n_buckets(self) -> int:
        """Number of buckets, b."""
        return len(self.directory) - 1

    @property
    def n_bit_bytes(self) -> int:
        """Bytes of the bits, without what is behind them."""
        return len(self.bits) - PADDING_BYTES


@dataclass(frozen=True, slots=True)
class Shape:
    """The numbers of postings that are about to be made, the same for both twins."""

    n_buckets: int
    shift: int
    rice: int
    id_bits: int
    room: int

    @classmethod
    def of(cls, old: Postings, keys: Keys, n_documents: int) -> Shape:
        """Return the numbers for old postings and new keys, and the most bytes that the bits can take."""
        n = max(1, old.n_hashes + len(keys))
        end = max(old.n_buckets << old.shift, (int(keys[-1]) >> 32) + 1 if len(keys) else 0)
        end = min(end, 2**32)
        shift = min(32, max(0, (_BUCKET_HASHES * end // n).bit_length() - 1))
        rice = min(31, max(0, (end // n).bit_length() - 1))
        id_bits = max(1, (n_documents - 1).bit_length())
        n_buckets = -(-end >> shift) if end else 0
        n_bits = (old.n_postings + len(keys)) * (id_bits + rice + 4) + (end >> rice)
        return cls(n_buckets, shift, rice, id_bits, n_bits // 8 + n_buckets + 64)


def require_mergeable(old: Postings, renumbered: Hashes, keys: Keys, documents: Hashes) -> None:
    """Refuse arrays that do not fit each other."""
    checks.require("renumbered", renumbered, np.uint32, "(d,)", 1)
    checks.require("keys", keys, np.uint64, "(n,)", 1)
    checks.require("documents", documents, np.uint32, "(d,)", 1)
    if len(renumbered) != len(old.documents):
        raise ParameterError(f"renumbered is for {len(renumbered)} documents, expected {len(old.documents)}")
    known = renumbered[renumbered != GONE]
    most = max(int(known.max(initial=0)), int((keys & np.uint64(GONE)).max(initial=0)))
    if (len(known) or len(keys)) and most >= len(documents):
        raise ParameterError(f"a document has the number {most}, expected 0 to {len(documents) - 1}")
    if (keys[1:] < keys[:-1]).any():
        raise ParameterError("keys do not ascend")


def require_postings(postings: Sequence[Postings], hashes: Hashes, chosen: Sequence[Chosen] | None = None) -> None:
    """Refuse postings whose numbers do not fit their arrays, and hashes or chosen documents that do not fit."""
    checks.require("hashes", hashes, np.uint32, "(q,)", 1)
    for one in postings:
        checks.require("documents", one.documents, np.uint32, "(d,)", 1)
        checks.require("directory", one.directory, np.uint32, "(b + 1,)", 1)
        checks.require("bits", one.bits, np.uint8, "(n,)", 1)
        numbers_fit = 0 <= one.shift <= 32 and 0 <= one.rice <= 31 and 1 <= one.id_bits <= 32
        if not numbers_fit or not len(one.directory) or len(one.bits) < PADDING_BYTES:
            raise damaged_postings()
    if chosen is not None and [len(some) for some in chosen] != [len(one.documents) for one in postings]:
        raise ParameterError("chosen is not for the documents of the postings")
    for some in chosen or ():
        checks.require("chosen", some, np.bool_, "(d,)", 1)


def require_sortable(keys: Keys) -> None:
    """Refuse anything but keys in one piece that may be changed."""
    checks.require("keys", keys, np.uint64, "(n,)", 1)
    if not (keys.flags.writeable and keys.flags.c_contiguous):
        raise ParameterError("keys is read-only or strided, expected a plain writable array")


def require_size(postings: Postings) -> None:
    """Refuse postings that say they have more than their bits can hold."""
    if not 0 <= postings.n_postings <= 8 * postings.n_bit_bytes:
        raise damaged_postings()


def damaged_postings() -> ParameterError:
    """Return the error for postings that contradict themselves."""
    return ParameterError("the postings are damaged: a number in them is outside its range")
