"""Plain text inside another document: an attachment, a part of a mail."""

from __future__ import annotations

from pmbf.extract.encoding import decode_as
from pmbf.extract.reading import Reading


def read(raw: bytes, kind: str, reading: Reading, *, charset: str | None = None) -> str:
    """Return the text of plain bytes; `charset` is the encoding that a mail's header names."""
    text, _, problems = decode_as(raw, charset)
    for what in problems:
        reading.problem(what)
    reading.spend_text(len(text))
    return text
