"""A text prepared for comparison, once for all texts it is compared with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import distinct
from pmbf.base.span import Span
from pmbf.kernels import Made, Tokens, WordTypes, n_like, ready, tokenise, tokens_of, words_of
from pmbf.passages.statistics import COMMONEST, COMMONEST_PAIRS, LEAST_PAGES, UNKNOWN, Statistics
from pmbf.text import SINGLE_CHARS

COMMONEST_OF = COMMONEST, COMMONEST_PAIRS
"""One word in this number is among the commonest of its language: in a text of words, and in one of single letters."""

LEAST_NAMES = 4
"""Names in the shortest run. `President George W Bush` is a run; two names of people side by side are none."""

SAMPLED_WORDS, CAPITAL_SHARE = 500, 1 / 3
"""If a third of a text's first 500 words begin with a capital, as in German (.45 of the words; English .20), then
the names of a run stand side by side. Otherwise one other word may stand between two names: `Bank of England`."""

MOST_WORDS = 4096
"""Words of a passage that are looked at: a longer passage is no line-up."""

ACRONYM_LETTERS = 3
"""A longer word that begins with two capitals is emphasis or a heading, and no name."""

_ASKED, _UPPER, _DIGIT = 1, 2, 4
_KINDS = np.zeros(0x110000, np.uint8)
"""What each code point is. Python is asked once about each: a text has some hundred different ones."""

Kinds = NDArray[np.uint8]
"""`_ASKED`, `_UPPER` and `_DIGIT` added up, of some code points."""


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

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""
        return len(self.tokens.hashes)

    @cached_property
    def n_singles(self) -> int:
        """Number of tokens that are single letters of scripts written without spaces."""
        return int(np.count_nonzero(self.tokens.singles))

    @property
    def n_letters(self) -> int:
        """Its characters from the first token to the last, counted in letters of an alphabet; it has a token."""
        n_chars = int(self.tokens.stops[-1]) - int(self.tokens.starts[0])
        return n_chars + (SINGLE_CHARS - 1) * self.n_singles

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
        return max(1, (2 * len(self.tokens.hashes) - self.n_singles) // 2)

    @cached_property
    def words(self) -> WordTypes:
        """The tokens as alignment sees them: all forms of one word are equal."""
        if self._made is None:
            make_ready([self], None)
        assert self._made is not None
        return words_of(self._made[1])

    @cached_property
    def names(self) -> Names:
        """The runs of names."""
        return Names(self.text, self.tokens)

    def is_known(self, statistics: Statistics) -> bool:
        """Return whether statistics have enough pages in the text's language to say how rare its words are."""
        commonest = COMMONEST_PAIRS if 2 * self.n_singles > self.n_tokens else COMMONEST
        of_others, of_own = statistics.of_others(self.words.keys)[0], statistics.of_own(self.words.keys)[0]
        return n_like((of_others + of_own)[self.words.types], commonest) >= LEAST_PAGES

    def made(self, statistics: Statistics) -> Made | None:
        """Return what the kernels made of the text under these statistics; None if nothing is kept."""
        kept = self._made
        return kept[1] if kept and kept[0] is statistics.keys else None

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


@dataclass(frozen=True, eq=False)
class Names:
    """The names in a text, found on first use: line-ups, results, titles of offices. A run of names counts as one word.

    Two texts on one event have the same names, one beside the other, and neither is copied. So a passage's evidence is
    taken for its share of words that count, in the side that has more of them. A word is a name if it begins with a
    capital letter or a digit. In scripts without case only numbers are names.
    """

    text: str
    tokens: Tokens

    def share_counted(self, span: Span) -> float:
        """Return the share of a token range's words that count, if each run of names counts as one word.

        >>> text = prepare("the team was Buffon, Panucci, Nesta and Cannavaro, who won the cup again in a long night")
        >>> text.n_tokens, round(text.names.share_counted(Span(0, text.n_tokens)) * text.n_tokens)
        (17, 13)
        """
        n_words = min(len(span), MOST_WORDS)
        are_names, reach = self._found
        places = are_names[span.start : span.start + n_words].nonzero()[0].tolist()
        if len(places) < LEAST_NAMES:
            return 1.0
        n_saved, first, before = 0, 0, places[0]
        for at, place in enumerate([*places, places[-1] + reach + 2]):
            if place - before > reach + 1:
                if at - first >= LEAST_NAMES:
                    n_saved += before - places[first]
                first = at
            before = place
        return 1 - n_saved / n_words

    @cached_property
    def _found(self) -> tuple[NDArray[np.bool_], int]:
        """Which tokens are names, and how many other words may stand between two names of a run."""
        starts = self.tokens.starts
        if not len(starts):
            return np.zeros(0, np.bool_), 0
        is_ascii = self.text.isascii()
        codes: NDArray[Any] = np.frombuffer(
            self.text.encode("ascii" if is_ascii else "utf-32-le", "surrogatepass"), np.uint8 if is_ascii else "<u4"
        )
        initials = _kinds(codes[starts])
        is_upper, is_name = (initials & _UPPER) > 0, initials > _ASKED
        long = np.flatnonzero(is_upper & (self.tokens.stops - starts > ACRONYM_LETTERS))
        is_name[long[(_kinds(codes[starts[long] + 1]) & _UPPER) > 0]] = False
        sampled = is_upper[:SAMPLED_WORDS]
        return is_name, 1 if np.count_nonzero(sampled) < CAPITAL_SHARE * len(sampled) else 0


def _kinds(codes: NDArray[Any]) -> Kinds:
    """Return what some code points are."""
    kinds: Kinds = _KINDS[codes]
    if not kinds.all():
        for code in distinct(codes[kinds == 0]).tolist():
            _KINDS[code] = _ASKED + _UPPER * chr(code).isupper() + _DIGIT * chr(code).isdigit()
        kinds = _KINDS[codes]
    return kinds
