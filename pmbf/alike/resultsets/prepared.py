"""A prepared article: its smallest hashes, to be stored beside the article.

    byte    0        1          2..3         4..7           8..
            version  1 if       settings     characters     hashes, ascending, 4 bytes each
                     trimmed    (CRC-32)     of the text

All numbers are little-endian. The *settings* tell how the hashes were made: two of their bytes differ if the features,
the stemmer or the rules of folding do.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import CorruptError, ParameterError, UnsupportedError
from pmbf.kernels import WHOLE

VERSION = 1
"""Raised with each change of the bytes, or of how the hashes are made."""

_HEADER = struct.Struct("<BBHI")
_HASH = struct.Struct("<I")


@dataclass(frozen=True, slots=True, eq=False)
class PreparedArticle:
    """The smallest hashes of one article. `bytes(prepared)` is what to store; `ResultSets.read` reads it again.

    Args:
        packed: The limit, then the hashes, ascending and distinct: 4 bytes each, little-endian. The limit says up to
            which hash the article is known: the last hash of a trimmed list, else 2^32 - 1.
        n_chars: Code points of the text.
        settings: What the hashes were made with.
    """

    packed: bytes
    n_chars: int
    settings: int

    @staticmethod
    def of(hashes: NDArray[np.uint32], keep: int, n_chars: int, settings: int) -> PreparedArticle:
        """Return the smallest of some hashes.

        Args:
            hashes: `(n,) uint32`, ascending and distinct.
            keep: The most hashes to keep.
            n_chars: Code points of the text.
            settings: What the hashes were made with.
        """
        limit = int(hashes[keep - 1]) if len(hashes) > keep else WHOLE
        return PreparedArticle(_HASH.pack(limit) + hashes[:keep].astype("<u4", copy=False).tobytes(), n_chars, settings)

    def __bytes__(self) -> bytes:
        is_trimmed = self.limit != WHOLE
        return _HEADER.pack(VERSION, is_trimmed, self.settings, min(self.n_chars, WHOLE)) + self.packed[_HASH.size :]

    @property
    def limit(self) -> int:
        """Up to which hash the article is known."""
        return int(_HASH.unpack_from(self.packed)[0])

    @property
    def hashes(self) -> NDArray[np.uint32]:
        """The hashes, `(n,) uint32`, ascending."""
        return np.frombuffer(self.packed, "<u4", offset=_HASH.size).astype(np.uint32, copy=False)


def read(raw: bytes, settings: int, what: str) -> PreparedArticle:
    """Return a prepared article from its bytes.

    Args:
        raw: What `bytes` gave.
        settings: What the article must have been made with.
        what: The settings in words, for the error.

    Raises:
        CorruptError: The bytes are cut short or changed.
        UnsupportedError: They are of another version.
        ParameterError: They were made with other settings.
    """
    if len(raw) < _HEADER.size:
        raise CorruptError(
            f"a prepared article has {len(raw)} bytes, expected at least {_HEADER.size}; prepare it again"
        )
    version, is_trimmed, made_with, n_chars = _HEADER.unpack_from(raw)
    if version != VERSION:
        raise UnsupportedError(f"a prepared article is of version {version}, expected {VERSION}; prepare it again")
    if made_with != settings:
        raise ParameterError(f"an article was prepared with other settings than {what}; prepare it again")
    packed = bytes(raw[_HEADER.size :])
    if len(packed) % _HASH.size or is_trimmed > 1 or (is_trimmed and not packed):
        raise CorruptError(f"a prepared article of {len(raw)} bytes is cut short; prepare it again")
    hashes = np.frombuffer(packed, "<u4")
    if (hashes[1:] <= hashes[:-1]).any():
        raise CorruptError("the hashes of a prepared article do not ascend; prepare it again")
    limit = int(hashes[-1]) if is_trimmed else WHOLE
    return PreparedArticle(_HASH.pack(limit) + packed, n_chars, made_with)
