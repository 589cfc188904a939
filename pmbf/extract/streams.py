"""Streams of gzip, bzip2, xz, zlib and deflate, unpacked in memory and within the limits."""

from __future__ import annotations

import bz2
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

from pmbf.base.errors import IncompleteError
from pmbf.extract.limits import MIB
from pmbf.extract.reading import OverLimitError, Reading

READ_BYTES = 1 << 14
"""Bytes taken at once. A file may be a million tiny streams; the bytes that a stream leaves are copied for the next."""
XZ_MEMORY_BYTES = 256 * MIB

_ZEROS = re.compile(rb"\0+")
_ERRORS = (zlib.error, lzma.LZMAError, OSError, ValueError, EOFError)


class _Decoder(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1, /) -> bytes: ...


class _Zlib:
    """zlib's decoder, with the interface of the other two."""

    def __init__(self, window_bits: int) -> None:
        self._zlib = zlib.decompressobj(window_bits)

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def needs_input(self) -> bool:
        return not self._zlib.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes:
        return self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)


DECODERS: dict[str, Callable[[], _Decoder]] = {
    "gz": lambda: _Zlib(16 + zlib.MAX_WBITS),
    "zlib": lambda: _Zlib(zlib.MAX_WBITS),
    "deflate": lambda: _Zlib(-zlib.MAX_WBITS),
    "bz2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, XZ_MEMORY_BYTES),
}


def unpacked(raw: bytes, kind: str, reading: Reading) -> bytes:
    """Return the content of a file: all its streams, one after another, up to their first damage.

    Args:
        raw: The packed file.
        kind: "gz", "bz2", "xz", "zlib" or "deflate".
        reading: Takes the problems, and has the limits.

    Raises:
        OverLimitError: It expands too far, or too far together with the bytes expanded before.
        IncompleteError: Nothing of it can be read.
    """
    content = io.BytesIO()
    try:
        for piece in _pieces(raw, kind, reading):
            content.write(piece)
            reading.spend_expanded(len(piece))
            if content.tell() > max(MIB, reading.limits.max_ratio * len(raw)):
                raise OverLimitError(f"expands over {reading.limits.max_ratio} times (max_ratio)")
    except _ERRORS as error:
        if not content.tell():
            raise IncompleteError(f"damaged: {error}") from None
        reading.problem(f"damaged: {error}")
    return content.getvalue()


def gzip_comment(raw: bytes) -> str:
    """Return the name and the comment in the header of a gzip file.

    Source:
        RFC 1952, section 2.3.
    """
    flags, rest = raw[3:4], raw[10:]
    if flags and flags[0] & 4:
        rest = rest[2 + int.from_bytes(rest[:2], "little") :]
    texts = rest.split(b"\0", 2)[: ((flags[0] >> 3) & 1) + ((flags[0] >> 4) & 1)] if flags else []
    return "".join(f"{text.decode('utf-8', 'replace')}\n" for text in texts)


def _pieces(raw: bytes, kind: str, reading: Reading) -> Iterator[bytes]:
    position = 0
    while (position := _after_zeros(raw, position)) < len(raw):
        decoder = DECODERS[kind]()
        start = position
        try:
            while not decoder.eof:
                more = raw[position : position + READ_BYTES] if decoder.needs_input else b""
                position += len(more)
                piece = decoder.decompress(more, MIB)
                yield piece
                if not (piece or more or decoder.eof) and decoder.needs_input:
                    reading.problem("cut short")
                    return
        except _ERRORS:
            if not start:
                raise
            reading.problem(f"{len(raw) - start} bytes after its end, or damaged")
            return
        position -= len(decoder.unused_data)


def _after_zeros(raw: bytes, position: int) -> int:
    """Return the offset of the next stream; zeros before it may fill up a block."""
    zeros = _ZEROS.match(raw, position)
    return zeros.end() if zeros else position
