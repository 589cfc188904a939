"""Plain text inside another document: an attachment, a part of a mail."""

from __future__ import annotations

from pmbf.extract.encoding import decode
from pmbf.extract.reading import Reading


def read(raw: bytes, kind: str, reading: Reading) -> str:
    """Return the text of plain bytes."""
    text, _, problems = decode(raw)
    for what in problems:
        reading.problem(what)
    reading.spend_text(len(text))
    return text
