"""What the text kernels return: plain arrays, in code points of the original text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CHUNK_DOCUMENTS",
    "DAMAGED",
    "LIVE",
    "MISSING",
    "RECORD",
    "REMOVED",
    "UNREADY",
    "UNUSED",
    "WHOLE",
    "Folded",
    "Looks",
    "Probed",
    "RecordFile",
    "Sample",
    "SharedPlaces",
    "TextRead",
    "Tokens",
]


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """A folded text and the way back.

    Args:
        text: Folded code points; each separator is one space.
        origin: `(len(text) + 1,) uint32`, where each folded character begins in the original; the last is `n_chars`.
    """

    text: str
    origin: NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The tokens of a text, in text order.

    Args:
        hashes: `(n,) uint64`, MurmurHash3 of each folded token.
        starts: `(n,) uint32`, where the token begins in the original.
        stops: `(n,) uint32`, where it ends; characters that fold to nothing after it belong to it.
        singles: `(n,) bool`, whether it is a letter of a script written without spaces.
        n_chars: Code points of the original.
        n_mixed: Tokens that mixed scripts and were repaired.
        n_invisible: Invisible characters after a letter of Latin, Cyrillic, Greek or Armenian.
    """

    hashes: NDArray[np.uint64]
    starts: NDArray[np.uint32]
    stops: NDArray[np.uint32]
    singles: NDArray[np.bool_]
    n_chars: int
    n_mixed: int
    n_invisible: int

    def __len__(self) -> int:
        return len(self.hashes)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The smallest shingle hashes of each segment, distinct inside a segment.

    Args:
        hashes: `(n,) uint32`, the upper halves of shingle hashes; with positions in the order of the text, without them
            ascending inside a segment.
        starts: `(n,) uint32`, where the shingle's first occurrence in the segment begins in the original.
        token: `(n,) uint32`, the index of that shingle's first token.
        bounds: `(n_segments + 1,) uint32`; segment s is `hashes[bounds[s]:bounds[s + 1]]`.
        n_chars: Code points of the original.
        n_tokens: Tokens of the text.
        n_shingles: Shingles of the text, equal ones counted each.
        n_mixed: As in `Tokens`.
        n_invisible: As in `Tokens`.
    """

    hashes: NDArray[np.uint32]
    starts: NDArray[np.uint32]
    token: NDArray[np.uint32]
    bounds: NDArray[np.uint32]
    n_chars: int
    n_tokens: int
    n_shingles: int
    n_mixed: int
    n_invisible: int

    def __len__(self) -> int:
        return len(self.hashes)


RECORD = np.dtype([("file", "<u4"), ("n_hashes", "<u4"), ("offset", "<u8"), ("n_bytes", "<u4"), ("state", "<u4")])
"""Where a document's fingerprint is, 24 bytes of a directory: serial number of the file, hashes, offset and length of
the record, and whether the document is there, `LIVE`, or `REMOVED`. The layout is the kernels' own: both twins read it
entry by entry, C as `entry_t` of `native/records/shared.h`. `pmbf.store.directory` writes with this type."""
UNUSED, LIVE, REMOVED = 0, 1, 2

CHUNK_DOCUMENTS = 1 << 16
"""Documents whose entries stand together; a commit writes every chunk it touches anew: 1.5 MB at most."""

Probed = tuple[NDArray[np.uint64], bool, int]
"""The bits of a tile, whether they are sealed, and how many of them each hash has, k."""

RecordFile = tuple[bytes | memoryview, NDArray[np.uint8]]
"""The bytes of a file of records, and of each of its pages whether it was checked, 1 or 0."""

WHOLE, DAMAGED, MISSING, UNREADY = range(4)
"""What came of an answer: all is there; a document's record is damaged; it is not in the directory; its file is not
among those given, or a page of its record was not checked."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedPlaces:
    """Which of a query's hashes each of many documents has; nothing where the status is not `WHOLE`.

    Args:
        status: `WHOLE`, or why there is no answer.
        document: The first one for which that is so; the last one where all is whole, 0 where there are none.
        ids: `(n,) uint32`, of the documents, ascending, each once.
        bounds: `(n + 1,) int64`; those of document i are `places[bounds[i]:bounds[i + 1]]`.
        places: `(bounds[-1],) uint32`, where each hash first stands in the query; of each document ascending.
        n_having: `(q,) int64`, how many of the documents have the hash at each place of the query.
    """

    status: int
    document: int
    ids: NDArray[np.uint32]
    bounds: NDArray[np.int64]
    places: NDArray[np.uint32]
    n_having: NDArray[np.int64]

    @classmethod
    def none(cls, status: int, document: int) -> SharedPlaces:
        """Return no answer."""
        nobody = np.empty(0, np.uint32)
        return cls(status, document, nobody, np.zeros(1, np.int64), nobody, np.empty(0, np.int64))


class Looks(NamedTuple):
    """What bytes look like before anybody decodes them; a space is any byte up to U+0020.

    Args:
        is_clean: Whether they are UTF-8 without a byte order mark, and without control characters but U+0009 to
            U+000D: bytes that are their own text, whoever looks at them.
        longest: Bytes of the longest run without a space.
        n_apart: How often just one byte stands between two spaces.
    """

    is_clean: bool
    longest: int
    n_apart: int


class TextRead(NamedTuple):
    """A plain text as it was read from its file, and what is stored of it; a tuple, for a load makes one for each file.

    Args:
        sha256: Of the file's bytes, hexadecimal.
        utf8: Those bytes, the text.
        hashes, bounds: As in `Sample`.
        n_chars, n_tokens: As in `Sample`.
        record: What `record` returns for the hashes and bounds.
    """

    sha256: str
    utf8: bytes
    hashes: NDArray[np.uint32]
    bounds: NDArray[np.uint32]
    n_chars: int
    n_tokens: int
    record: bytes
