"""Streams of gzip, bzip2, xz, zlib and deflate, unpacked in memory and within the limits."""

from __future__ import annotations

import bz2
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator

from pmbf.base.errors import IncompleteError
from pmbf.extract.limits import MIB
from pmbf.extract.reading import OverLimitError, Reading

READ_BYTES = 1 << 14
"""Bytes taken at once. A file may be a million tiny streams; the bytes that a stream leaves are copied for the next."""
XZ_MEMORY_BYTES = 256 * MIB

_ZEROS = re.compile(rb"\0+")
_ERRORS = (zlib.error, lzma.LZMAError, OSError, ValueError, EOFError)


class Zlib:
    """zlib's decoder, with the interface of those of bzip2 and xz."""

    def __init__(self, window_bits: int = zlib.MAX_WBITS) -> None:
        self._zlib = zlib.decompressobj(window_bits)
        self.eof, self.needs_input, self.unused_data = False, True, b""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Return the next bytes, `max_length` at most; what is left of `data` is kept."""
        found = self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)
        self.eof, self.needs_input = self._zlib.eof, not self._zlib.unconsumed_tail
        self.unused_data = self._zlib.unused_data
        return found


_DECODERS: dict[str, Callable[[], Zlib | bz2.BZ2Decompressor | lzma.LZMADecompressor]] = {
    "gz": lambda: Zlib(16 + zlib.MAX_WBITS),
    "zlib": Zlib,
    "deflate": lambda: Zlib(-zlib.MAX_WBITS),
    "bz2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, XZ_MEMORY_BYTES),
}


class Stream:
    """One packed stream among some bytes: iterating yields its content, 1 MiB at most at a time, spent in a reading.

    Afterwards `is_whole` tells whether the stream has ended, and `stop` is the offset behind it.
    """

    def __init__(self, raw: bytes, start: int, reading: Reading, kind: str = "zlib") -> None:
        self._raw, self._reading, self._decoder, self.stop = raw, reading, _DECODERS[kind](), start

    @property
    def is_whole(self) -> bool:
        return self._decoder.eof

    def __iter__(self) -> Iterator[bytes]:
        decoder, piece = self._decoder, b""
        while not decoder.eof:
            more = self._raw[self.stop : self.stop + READ_BYTES] if decoder.needs_input else b""
            if decoder.needs_input and not (more or piece):
                return
            self.stop += len(more)
            piece = decoder.decompress(more, MIB)
            self._reading.spend_expanded(len(piece))
            yield piece
        self.stop -= len(decoder.unused_data)


def unpacked(raw: bytes, kind: str, reading: Reading) -> bytes:
    """Return the content of a file: all its streams, one after another, up to their first damage."""
    content = io.BytesIO()
    try:
        for piece in _pieces(raw, kind, reading):
            content.write(piece)
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
    start = 0
    while (start := _after_zeros(raw, start)) < len(raw):
        stream = Stream(raw, start, reading, kind)
        try:
            yield from stream
        except _ERRORS:
            if not start:
                raise
            reading.problem(f"{len(raw) - start} bytes after its end, or damaged")
            return
        if not stream.is_whole:
            reading.problem("cut short")
            return
        start = stream.stop


def _after_zeros(raw: bytes, position: int) -> int:
    """Return the offset of the next stream; zeros before it may fill up a block."""
    zeros = _ZEROS.match(raw, position)
    return zeros.end() if zeros else position
