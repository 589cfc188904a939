"""Runs of names and numbers: line-ups, results, titles of offices. A run counts as one word.

Two texts on one event have the same names, one beside the other, and neither is copied. So a passage's evidence is
taken for its share of words that count, in the side that has more of them. A word is a name if it begins with a capital
letter or a digit. In scripts without case only numbers are names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import distinct
from pmbf.base.span import Span
from pmbf.kernels import Tokens

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


@dataclass(frozen=True, eq=False)
class Names:
    """The names in a text, found on first use.

    Args:
        text: The text.
        tokens: Its tokens.
    """

    text: str
    tokens: Tokens

    def share_counted(self, span: Span) -> float:
        """Return the share of a token range's words that count, if each run of names counts as one word.

        >>> from pmbf.passages.prepared import prepare
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
