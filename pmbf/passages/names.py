"""Runs of names and numbers: line-ups, results, titles of offices. A run counts as one word.

Two texts on one event have the same names, one beside the other, and neither is copied. So a passage's evidence is
taken for its share of words that count, in the side that has more of them. A word is a name if it begins with a capital
letter or a digit. In scripts without case only numbers are names.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.arrays import distinct
from pmbf.kernels import Tokens
from pmbf.span import Span

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


@dataclass(frozen=True, slots=True)
class Names:
    """The runs of names of a text, so that what a part of the text has of them is told in a few steps.

    Args:
        places: The tokens that are names, ascending.
        run_of: For each name, the number of its run.
        edges: Where each run begins among the names, and last the number of names.
        saved: For each run, the words that the runs before save; last, what all runs save.
    """

    places: list[int]
    run_of: list[int]
    edges: list[int]
    saved: list[int]

    @classmethod
    def of(cls, text: str, tokens: Tokens) -> Names:
        """Return the runs of names of a text with its tokens. Costs O(length)."""
        if not len(tokens):
            return cls([], [], [0], [0])
        codes, starts = _codes(text), tokens.starts
        initials = _kinds(codes[starts])
        is_upper, is_name = (initials & _UPPER) > 0, initials > _ASKED
        long = np.flatnonzero(is_upper & (tokens.stops - starts > ACRONYM_LETTERS))
        is_name[long[(_kinds(codes[starts[long] + 1]) & _UPPER) > 0]] = False
        places = np.flatnonzero(is_name)
        sampled = is_upper[:SAMPLED_WORDS]
        reach = 1 if np.count_nonzero(sampled) < CAPITAL_SHARE * len(sampled) else 0
        begins = np.ones(len(places), np.bool_)
        np.greater(places[1:] - places[:-1], reach + 1, out=begins[1:])
        edges = np.append(np.flatnonzero(begins), len(places))
        words = places[edges[1:] - 1] - places[edges[:-1]]
        saved = np.append(0, np.cumsum(np.where(np.diff(edges) >= LEAST_NAMES, words, 0)))
        return cls(places.tolist(), (np.cumsum(begins) - 1).tolist(), edges.tolist(), saved.tolist())

    def share_counted(self, span: Span) -> float:
        """Return the share of a token range's words that count, if each run of names counts as one word.

        >>> from pmbf.passages.prepared import prepare
        >>> text = prepare("the team was Buffon, Panucci, Nesta and Cannavaro, who won the cup again in a long night")
        >>> text.n_tokens, round(text.names.share_counted(Span(0, text.n_tokens)) * text.n_tokens)
        (17, 13)
        """
        n_words = min(len(span), MOST_WORDS)
        first, last = (bisect_left(self.places, place) for place in (span.start, span.start + n_words))
        return 1 - self._saved_between(first, last) / n_words

    def _saved_between(self, first: int, last: int) -> int:
        """Return the words that the runs of the names `[first, last)` save; a run may be cut at either end."""
        if first == last:
            return 0
        run, last_run = self.run_of[first], self.run_of[last - 1]
        if run == last_run:
            return _saved(self.places, first, last)
        cut = _saved(self.places, first, self.edges[run + 1]) + _saved(self.places, self.edges[last_run], last)
        return cut + self.saved[last_run] - self.saved[run + 1]


def _saved(places: list[int], first: int, last: int) -> int:
    """Return the words that one run of the names `[first, last)` saves."""
    return places[last - 1] - places[first] if last - first >= LEAST_NAMES else 0


def _codes(text: str) -> NDArray[Any]:
    """Return the code points of a text."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def _kinds(codes: NDArray[Any]) -> Kinds:
    """Return what some code points are."""
    kinds: Kinds = _KINDS[codes]
    if not kinds.all():
        for code in distinct(codes[kinds == 0]).tolist():
            _KINDS[code] = _ASKED + _UPPER * chr(code).isupper() + _DIGIT * chr(code).isdigit()
        kinds = _KINDS[codes]
    return kinds
