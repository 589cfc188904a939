"""A text prepared for comparison, once for all texts it is compared with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pmbf.base.span import Span
from pmbf.kernels import Extent, Made, Tokens, WordTypes, extent_of, n_like, ready, tokenise, tokens_of, words_of
from pmbf.passages.statistics import COMMONEST, COMMONEST_PAIRS, LEAST_PAGES, UNKNOWN, Statistics
from pmbf.text import SINGLE_CHARS

COMMONEST_OF = COMMONEST, COMMONEST_PAIRS
"""One word in this number is among the commonest of its language: in a text of words, and in one of single letters."""


class Prepared:
    """A text that is compared with others. What a comparison needs is computed on first use and kept.

    Safe to share between threads: at worst a value is computed twice.

    Attributes:
        text: The text.
        has_grown: Whether more is known of the text than when it was kept last.
        sampled: Its sampled hashes, and the character where each begins; None until a screening asks for them.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.has_grown = True
        self.sampled: tuple[NDArray[np.uint32], NDArray[np.uint32]] | None = None
        self._made: tuple[NDArray[np.uint64], Made] | None = None

    @cached_property
    def tokens(self) -> Tokens:
        """Its tokens."""
        return tokens_of(self._made[1]) if self._made else tokenise(octets(self.text))

    @cached_property
    def _extent(self) -> Extent:
        return extent_of(self._made[1]) if self._made else self.tokens.extent

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""
        return self._extent.n_tokens

    @property
    def n_singles(self) -> int:
        """Number of tokens that are single letters of scripts written without spaces."""
        return self._extent.n_singles

    @property
    def n_letters(self) -> int:
        """Its characters from the first token to the last, counted in letters of an alphabet."""
        return self._extent.stop - self._extent.start + (SINGLE_CHARS - 1) * self.n_singles

    def n_singles_in(self, spans: Iterable[Span]) -> int:
        """Return the single letters of scripts written without spaces in some spans of characters."""
        if not self.n_singles:
            return 0
        tokens = (np.searchsorted(self.tokens.starts, (span.start, span.stop)) for span in spans)
        return sum(int(np.count_nonzero(self.tokens.singles[start:stop])) for start, stop in tokens)

    @property
    def n_words(self) -> int:
        """Number of whole words, at least 1. A token that is a single letter counts as half a word.

        >>> prepare("to be or 老渔夫").n_words
        4
        """
        return max(1, (2 * self.n_tokens - self.n_singles) // 2)

    @cached_property
    def words(self) -> WordTypes:
        """The tokens as alignment sees them: all forms of one word are equal."""
        if self._made is None:
            make_ready([self], None)
        assert self._made is not None
        return words_of(self._made[1])

    def is_known(self, statistics: Statistics) -> bool:
        """Return whether statistics have enough pages in the text's language to say how rare its words are."""
        commonest = COMMONEST_PAIRS if 2 * self.n_singles > self.n_tokens else COMMONEST
        of_others, of_own = statistics.of_others(self.words.keys)[0], statistics.of_own(self.words.keys)[0]
        return n_like((of_others + of_own)[self.words.types], commonest) >= LEAST_PAGES

    def made(self, statistics: Statistics) -> Made | None:
        """Return what the kernels made of the text under these statistics; None if nothing is kept."""
        kept = self._made
        return kept[1] if kept and kept[0] is statistics.keys else None

    @property
    def last_made(self) -> Made:
        """What the kernels made of the text last, under whatever statistics: its tokens are the same."""
        assert self._made
        return self._made[1]

    def keep(self, statistics: Statistics, made: Made) -> None:
        """Keep what the kernels made of the text, for the statistics asked for last, whatever is beside them."""
        self._made, self.has_grown = (statistics.keys, made), True

    @property
    def n_bytes(self) -> int:
        """Memory that the text takes, and what is kept with it."""
        n_sampled = sum(array.nbytes for array in self.sampled or ())
        return self.text.__sizeof__() + n_sampled + (self._made[1].nbytes if self._made else 0)


def prepare(text: str) -> Prepared:
    """Return a text prepared to be compared with others.

    Args:
        text: Any text, also an empty one. A lone surrogate counts as punctuation.

    >>> prepare("One fine day").n_tokens
    3
    """
    return Prepared(text)


def make_ready(texts: Sequence[Prepared], statistics: Statistics | None) -> None:
    """Make some texts ready to be compared, in one native call. What is made of them is kept with them."""
    known = statistics or UNKNOWN
    new = [one for one in texts if one.made(known) is None]
    if new:
        for one, made in zip(new, ready([octets(one.text) for one in new], known, COMMONEST_OF), strict=True):
            one.keep(known, made)


def octets(text: str) -> bytes:
    """Return a text in UTF-8. A lone surrogate becomes "?": one code point for one."""
    return text.encode("utf-8", errors="replace")
