"""Messages between processes of pmbf: frames of a JSON header and raw bytes.

    u32 header length | u64 body length | header, UTF-8 JSON | body        (both lengths little-endian)

JSON, not pickle: a reading process that a document has taken over can only send text.
"""

from __future__ import annotations

import io
import json
import struct
from io import RawIOBase
from typing import IO, Any

Frame = tuple[dict[str, Any], bytes]
Stream = IO[bytes] | RawIOBase
"""Unbuffered."""

MAX_HEADER_BYTES = 1 << 20
LENGTHS = struct.Struct("<IQ")


def send(stream: Stream, header: dict[str, Any], body: bytes = b"") -> None:
    """Write one frame to an unbuffered stream."""
    for piece in (head_of(header, len(body)), body):
        rest = memoryview(piece)
        while rest:
            rest = rest[stream.write(rest) :]


def head_of(header: dict[str, Any], n_body: int) -> bytes:
    """Return the bytes of a frame before its body of `n_body` bytes."""
    encoded = json.dumps(header).encode()
    return LENGTHS.pack(len(encoded), n_body) + encoded


def receive(stream: Stream, max_header_bytes: int = MAX_HEADER_BYTES) -> Frame | None:
    """Return the next frame of an unbuffered stream; None if the stream ends, or no frame follows."""
    lengths = _exactly(stream, LENGTHS.size)
    n_header, n_body = LENGTHS.unpack(lengths) if lengths else (max_header_bytes + 1, 0)
    header = _exactly(stream, n_header) if n_header <= max_header_bytes else None
    body = _exactly(stream, n_body) if header else None
    return None if header is None or body is None else (json.loads(header), body)


def _exactly(stream: Stream, n_bytes: int) -> bytes | None:
    content = io.BytesIO()  # joining pieces takes twice the memory
    while n_bytes and (piece := stream.read(min(n_bytes, 1 << 20))):
        n_bytes -= content.write(piece)
    return None if n_bytes else content.getvalue()
