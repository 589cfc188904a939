"""A text that queries are compared with, and what is made of it once for all of them."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import Made, Ready, Tokens, as_ready, ready, tokens_of
from pmbf.passages.names import Names
from pmbf.passages.statistics import COMMONEST, COMMONEST_PAIRS, Statistics

COMMONEST_OF = COMMONEST, COMMONEST_PAIRS
"""One word in this number is among the commonest of its language: in a text of words, and in one of single letters."""


class SourceText:
    """A text that queries are compared with. What a comparison makes of this text alone is kept for the next query.

    Args:
        text: The text.

    Safe to share between threads: at worst it is made ready twice.

    Attributes:
        text: The text.
        n_kept: The bytes that it had when it was kept last; 0 if it never was.
        sampled: Its sampled hashes, and the character where each begins; None until a screening asks for them.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.n_kept = 0
        self.sampled: tuple[NDArray[np.uint32], NDArray[np.uint32]] | None = None
        self._ready: tuple[NDArray[np.uint64], Ready] | None = None
        self._made: tuple[NDArray[np.uint64], Made] | None = None

    def ready(self, statistics: Statistics) -> Ready:
        """Return the text made ready. It is kept for the statistics asked for last, whatever query they are beside."""
        kept = self._ready
        if kept is None or kept[0] is not statistics.keys:
            made = self.made(statistics)
            known = ready(octets(self.text), statistics, COMMONEST_OF) if made is None else as_ready(made)
            kept = self._ready = (statistics.keys, known)
        return kept[1]

    def made(self, statistics: Statistics) -> Made | None:
        """Return what `compared_with_each` made of the text under these statistics; None if nothing is kept."""
        kept = self._made
        return kept[1] if kept and kept[0] is statistics.keys else None

    def keep(self, statistics: Statistics, made: Made) -> None:
        """Keep what `compared_with_each` made of the text."""
        self._made = statistics.keys, made

    @cached_property
    def tokens(self) -> Tokens:
        """Its tokens, once the text was made ready."""
        if self._ready is not None:
            return self._ready[1].tokens
        assert self._made is not None
        return tokens_of(self._made[1])

    @cached_property
    def names(self) -> Names:
        """Its runs of names, once the text was made ready."""
        return Names(self.text, self.tokens)

    @property
    def n_bytes(self) -> int:
        """Memory that the text takes, and what is kept with it."""
        n_sampled = sum(array.nbytes for array in self.sampled or ())
        made = self._made or self._ready
        return self.text.__sizeof__() + n_sampled + (made[1].nbytes if made else 0)


def octets(text: str) -> bytes:
    """Return a text in UTF-8. A lone surrogate becomes "?": one code point for one."""
    return text.encode("utf-8", errors="replace")
