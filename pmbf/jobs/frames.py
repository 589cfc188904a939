"""What goes between our processes: frames of a JSON header and raw bytes.

    u32 header length | u64 body length | header, UTF-8 JSON | body        (both lengths little-endian)

A reading process and who asks it never unpickle: one that a document took over can send text and nothing else.
"""

from __future__ import annotations

import json
import struct
import sys
from io import RawIOBase
from pathlib import Path
from typing import IO, Any

Frame = tuple[dict[str, Any], bytes]
Stream = IO[bytes] | RawIOBase
"""An unbuffered one."""

MAX_HEADER_BYTES = 1 << 20
LENGTHS = struct.Struct("<IQ")


def send(stream: Stream, header: dict[str, Any], body: bytes = b"") -> None:
    """Write one frame to an unbuffered stream."""
    for piece in (head_of(header, len(body)), body):
        rest = memoryview(piece)
        while rest:
            rest = rest[stream.write(rest) :]


def head_of(header: dict[str, Any], n_body: int) -> bytes:
    """Return what a frame has before its body of so many bytes."""
    encoded = json.dumps(header).encode()
    return LENGTHS.pack(len(encoded), n_body) + encoded


def receive(stream: Stream, max_header_bytes: int = MAX_HEADER_BYTES) -> Frame | None:
    """Return the next frame of an unbuffered stream, or None where it ends or what comes is no frame."""
    lengths = _exactly(stream, LENGTHS.size)
    n_header, n_body = LENGTHS.unpack(lengths) if lengths else (max_header_bytes + 1, 0)
    header = _exactly(stream, n_header) if n_header <= max_header_bytes else None
    body = _exactly(stream, n_body) if header else None
    return None if header is None or body is None else (json.loads(header), body)


def _exactly(stream: Stream, n_bytes: int) -> bytes | None:
    pieces = []
    while n_bytes and (piece := stream.read(min(n_bytes, 1 << 20))):
        pieces.append(piece)
        n_bytes -= len(piece)
    return None if n_bytes else b"".join(pieces)


def program(module: str, *arguments: str) -> list[str]:
    """Return the command that calls `main` of a module of ours in a Python of its own, with arguments.

    It finds its modules where this process does, but for the current folder, and pmbf itself; `-I`: what lies in that
    folder, or in PYTHONPATH, is not imported by accident.
    """
    where = [*filter(None, sys.path), str(Path(__file__).parents[1])]
    boot = f"import sys; sys.path[:] = sys.argv[{len(arguments) + 1}:]; from {module} import main; main()"
    return [sys.executable, "-I", "-c", boot, *arguments, *where]
