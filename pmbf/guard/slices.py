"""A long text in UTF-8 of which only the asked slices are decoded: a `str` can take four times its memory."""

from __future__ import annotations

from itertools import accumulate
from typing import Protocol

import numpy as np

from pmbf.intake.texts import Text

_BLOCK_BYTES = 1 << 16


class Sliced(Protocol):
    """What a `str` and an `Encoded` have in common. Places are code points."""

    def __len__(self) -> int:
        """Return the number of characters."""

    def __getitem__(self, span: slice, /) -> str:
        """Return the characters of a slice."""

    def count(self, char: str, start: int, stop: int, /) -> int:
        """Return how often a character stands between two places."""


class Encoded:
    """A text by its UTF-8. A slice costs what it decodes, and a look at 128 KiB.

    Args:
        encoded: The text in UTF-8.

    >>> text = Encoded("Ödön, 😀 and so\\non".encode())
    >>> len(text), text[6:11], text.count("\\n", 0, 17)
    (17, '😀 and', 1)
    """

    def __init__(self, encoded: bytes) -> None:
        self._encoded = encoded
        starts = range(0, len(encoded), _BLOCK_BYTES)
        self._before = np.array([*accumulate((len(self._begins(at)) for at in starts), initial=0)], np.int64)

    def __len__(self) -> int:
        return int(self._before[-1])

    def __getitem__(self, span: slice, /) -> str:
        start, stop, _ = span.indices(len(self))
        return self._encoded[self._place(start) : self._place(max(start, stop))].decode()

    def count(self, char: str, start: int, stop: int, /) -> int:
        """Return how often a character stands between two places."""
        return self._encoded.count(char.encode(), self._place(start), self._place(stop))

    def _begins(self, at: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """Return which bytes of a block begin a character."""
        block = np.frombuffer(self._encoded[at : at + _BLOCK_BYTES], np.uint8)
        return np.flatnonzero(block & 0xC0 != 0x80)

    def _place(self, char: int) -> int:
        """Return the byte with which a character begins; the end if the text ends before it."""
        if char >= len(self):
            return len(self._encoded)
        block = int(np.searchsorted(self._before, char, "right")) - 1
        first, number = block * _BLOCK_BYTES, char - int(self._before[block])
        is_ascii = self._before[block + 1] - self._before[block] == _BLOCK_BYTES
        return first + (number if is_ascii else int(self._begins(first)[number]))


def sliced(text: Text) -> Sliced:
    """Return a text that can be sliced, without decoding the whole."""
    return text.content if isinstance(text.content, str) else Encoded(text.content)
