"""Text of an RTF document in groups that no program shows: properties, names of fonts, pictures, unknown groups."""

from __future__ import annotations

import re

from pmbf.extract.kinds import TEXT_KINDS, guess_kind
from pmbf.extract.reading import Reading
from pmbf.extract.strings import runs

LEAST_BYTES = 64
"""Least length of data; shorter data are a number or a hash."""

_HEX = re.compile(rb"[0-9A-Fa-f\s]+")


class Unread:
    """Collects characters and data of the groups that are left out.

    Args:
        reading: Takes the problems, and has the limits.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._open = bytearray()
        self._lines: list[str] = []
        self._found: list[str] = []

    def write(self, text: str) -> None:
        """Take a character that is written as a control word."""
        self._open += text.encode(errors="replace")

    def take(self, raw: bytes) -> None:
        """Take bytes as they stand between control words."""
        self._open += raw

    def end(self, codec: str) -> None:
        """End a group: the taken bytes are text in some code page, or data in hexadecimal."""
        raw = bytes(self._open)
        self._open.clear()
        if len(raw) >= 2 * LEAST_BYTES and _HEX.fullmatch(raw):
            digits = b"".join(raw.split())
            self.data(bytes.fromhex(digits[: len(digits) & ~1].decode()))
        elif raw.strip():
            self._lines.append(raw.decode(codec, "replace"))

    def data(self, raw: bytes) -> None:
        """Take bytes that are no RTF: a picture, an object, or others."""
        if len(raw) < LEAST_BYTES:
            return
        kind = guess_kind(raw, "")
        if kind and kind not in TEXT_KINDS:
            self._found.append(self._reading.embedded(raw, "data"))
        else:
            text = runs(raw)
            self._reading.spend_text(len(text))
            self._found.append(self._reading.part(f"\n{text}\n", "data"))

    def text(self) -> str:
        """Return all that was found."""
        text = " ".join(self._lines)
        self._reading.spend_text(len(text))
        return self._reading.part(f"\n{text}\n", "groups") + "".join(self._found)
