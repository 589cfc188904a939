"""Runs of names and numbers: line-ups, results, titles of offices. A run counts as one word.

Two texts on one event have the same names, one beside the other, and neither is copied. So a passage's evidence is
taken for its share of words that count, in the side that has more of them. A word is a name if it begins with a capital
letter or a digit. In scripts without case only numbers are names.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pmbf.arrays import distinct
from pmbf.passages.prepared import Prepared
from pmbf.span import Span

LEAST_NAMES = 4
"""Names in the shortest run. `President George W Bush` is a run; two names of people side by side are none."""

SAMPLED_WORDS, CAPITAL_SHARE = 500, 1 / 3
"""If a third of a text's first 500 words begin with a capital, as in German (.45 of the words; English .20), then
the names of a run stand side by side. Otherwise one other word may stand between two names: `Bank of England`."""

MOST_WORDS = 4096
"""Words of a passage that are looked at, in less than a millisecond: a longer passage is no line-up."""

ACRONYM_LETTERS = 3
"""A longer word that begins with two capitals is emphasis or a heading, and no name."""

Places = NDArray[np.uint32]
"""Places of a text, in characters."""


def share_counted(text: Prepared, span: Span) -> float:
    """Return the share of a token range's words that count, if each run of names counts as one word.

    >>> from pmbf.passages.prepared import prepare
    >>> text = prepare("the team was Buffon, Panucci, Nesta and Cannavaro, who won the cup again in a long night")
    >>> text.n_tokens, round(share_counted(text, Span(0, text.n_tokens)) * text.n_tokens)
    (17, 13)
    """
    starts, stops = (edges[span.start : span.stop][:MOST_WORDS] for edges in (text.tokens.starts, text.tokens.stops))
    places = np.flatnonzero(_are_names(text.text, starts, stops))
    reach = 1 if _has_few_capitals(text) else 0
    runs = np.split(places, np.flatnonzero(np.diff(places) > reach + 1) + 1)
    return 1 - sum(int(run[-1] - run[0]) for run in runs if len(run) >= LEAST_NAMES) / len(starts)


def _are_names(text: str, starts: Places, stops: Places) -> NDArray[np.bool_]:
    initials = _letters(text, starts)
    long = stops - starts > ACRONYM_LETTERS
    shouted = _that(str.isupper, _letters(text, np.minimum(starts + 1, stops - 1)))
    return _that(str.isdigit, initials) | (_that(str.isupper, initials) & ~(long & shouted))


def _has_few_capitals(text: Prepared) -> bool:
    initials = _letters(text.text, text.tokens.starts[:SAMPLED_WORDS])
    return bool(np.count_nonzero(_that(str.isupper, initials)) < CAPITAL_SHARE * len(initials))


def _letters(text: str, places: Places) -> NDArray[np.uint32]:
    """Return the code points at some places, which ascend."""
    first, last = int(places[0]), int(places[-1])
    codes = np.frombuffer(text[first : last + 1].encode("utf-32-le", "surrogatepass"), "<u4")
    return codes[places - first]


def _that(is_so: Callable[[str], bool], codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return which code points are so. Each is asked about once: a text has some hundred different ones."""
    kinds = distinct(codes)
    answers = np.array([is_so(chr(code)) for code in kinds.tolist()], np.bool_)
    return answers[np.searchsorted(kinds, codes)]
