"""What goes through the pipe between the parent and its reading process: frames of a JSON header and raw bytes.

    u32 header length | u64 body length | header, UTF-8 JSON | body        (both lengths little-endian)

Neither side unpickles, so a reader that was taken over can send text and nothing else.
"""

from __future__ import annotations

import json
import struct
from typing import IO, Any

Frame = tuple[dict[str, Any], bytes]

MAX_HEADER_BYTES = 1 << 20
_LENGTHS = struct.Struct("<IQ")


def send(stream: IO[bytes], header: dict[str, Any], body: bytes = b"") -> None:
    """Write one frame to an unbuffered stream."""
    encoded = json.dumps(header).encode()
    for piece in (_LENGTHS.pack(len(encoded), len(body)) + encoded, body):
        rest = memoryview(piece)
        while rest:
            rest = rest[stream.write(rest) :]


def receive(stream: IO[bytes]) -> Frame | None:
    """Return the next frame of an unbuffered stream, or None where it ends or what comes is no frame."""
    lengths = _exactly(stream, _LENGTHS.size)
    n_header, n_body = _LENGTHS.unpack(lengths) if lengths else (MAX_HEADER_BYTES + 1, 0)
    header = _exactly(stream, n_header) if n_header <= MAX_HEADER_BYTES else None
    body = _exactly(stream, n_body) if header else None
    return None if header is None or body is None else (json.loads(header), body)


def _exactly(stream: IO[bytes], n_bytes: int) -> bytes | None:
    pieces = []
    while n_bytes and (piece := stream.read(min(n_bytes, 1 << 20))):
        pieces.append(piece)
        n_bytes -= len(piece)
    return None if n_bytes else b"".join(pieces)
