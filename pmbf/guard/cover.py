"""A text in which other texts may be hidden, and its bites: for what takes many bytes for each character."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from pmbf import kernels
from pmbf.kernels import Looks
from pmbf.text import clean

AT_ONCE = 1 << 20
"""Characters of a text that are read together."""


class Cover:
    """A text in which other texts may be hidden. It is decoded if its characters are asked for: most texts hide none.

    Args:
        encoded: The text in UTF-8.
        looks: What these bytes look like; None: it is told when it is asked for.
    """

    def __init__(self, encoded: bytes, looks: Looks | None = None) -> None:
        self.encoded = encoded
        if looks:
            self.looks = looks

    @staticmethod
    def of(text: str) -> Cover:
        """Return the cover of a text."""
        made = Cover((text := clean(text)).encode())
        made.text = text
        return made

    @cached_property
    def looks(self) -> Looks:
        """What the bytes look like."""
        return kernels.looks(self.encoded)

    @cached_property
    def text(self) -> str:
        """The characters. A `str` can take four times the memory of its UTF-8."""
        return self.encoded.decode()

    def count(self, *marks: bytes) -> int:
        """Return how often marks stand in the text."""
        return sum(map(self.encoded.count, marks))


def bites(text: str, mark: re.Pattern[str] | None = None) -> Iterator[str]:
    """Yield a text in bites of some `AT_ONCE` characters, cut behind marks if there are any.

    >>> list(bites("the sea comes in"))
    ['the sea comes in']
    """
    start = 0
    while len(text) - start > AT_ONCE:
        found = mark.search(text, start + AT_ONCE) if mark else None
        if mark and not found:
            break
        stop = found.end() if found else start + AT_ONCE
        yield text[start:stop]
        start = stop
    yield text[start:]
