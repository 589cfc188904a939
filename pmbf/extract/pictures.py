"""Text in bytes that are no document: runs of text, and packed comments of PNG (the chunks `zTXt` and `iTXt`).

Source:
    W3C, Portable Network Graphics (PNG) Specification, third edition, section 11.3.3.
"""

from __future__ import annotations

import zlib

from pmbf.extract.limits import MIB
from pmbf.extract.strings import BETWEEN, runs

MOST_BYTES = 16 * MIB
"""The most bytes of one picture's comments, unpacked."""

_PNG = b"\x89PNG\r\n\x1a\n"


def text_of(raw: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text in bytes that are no document, and its problems."""
    packed, problems = _packed_comments(raw)
    return BETWEEN.join(filter(None, (runs(raw), packed))), problems


def _packed_comments(raw: bytes) -> tuple[str, tuple[str, ...]]:
    if not raw.startswith(_PNG) or (b"zTXt" not in raw and b"iTXt" not in raw):
        return "", ()
    at, texts, problems, n_left = len(_PNG), list[str](), list[str](), MOST_BYTES
    while at + 8 <= len(raw):
        length, kind = int.from_bytes(raw[at : at + 4], "big"), raw[at + 4 : at + 8]
        packed = _packed(kind, raw[at + 8 : at + 8 + length])
        at += 12 + length
        if not packed:
            continue
        decoder = zlib.decompressobj()
        try:
            content = decoder.decompress(packed, max(1, n_left))
        except zlib.error as error:
            problems.append(f"a packed comment: damaged: {error}")
            continue
        n_left -= len(content)
        texts.append(content.decode("utf-8", "replace"))
        if not decoder.eof:
            problems.append("a packed comment: cut short" if n_left > 0 else f"comments of over {MOST_BYTES} bytes")
    return "\n".join(texts), tuple(problems)


def _packed(kind: bytes, content: bytes) -> bytes:
    """Return the packed part of a chunk, empty if it has none."""
    rest = content.partition(b"\0")[2]
    if kind == b"zTXt":
        return rest[1:]
    if kind == b"iTXt" and rest[:1] == b"\1":
        return rest[2:].partition(b"\0")[2].partition(b"\0")[2]
    return b""
