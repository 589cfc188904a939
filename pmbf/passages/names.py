"""Runs of names and numbers: line-ups, results, titles of offices. A run counts as one word.

Two texts on one event have the same names, one beside the other, and neither is copied. So a passage's evidence is
taken for its share of words that count, in the side that has more of them. A word is a name if it begins with a capital
letter or a digit. In scripts without case only numbers are names.
"""

from __future__ import annotations

import numpy as np

from pmbf.passages.prepared import Prepared
from pmbf.span import Span

LEAST_NAMES = 4
"""Names in the shortest run. `President George W Bush` is a run; two names of people side by side are none."""

SAMPLED_WORDS, CAPITAL_SHARE = 2000, 1 / 3
"""If a third of a text's words begin with a capital letter, as in German (.45 of the words; English .20), then
the names of a run stand side by side. Otherwise one other word may stand between two names: `Bank of England`."""

MOST_WORDS = 4096
"""Words of a passage that are looked at, in a millisecond: a longer passage is no line-up."""

ACRONYM_LETTERS = 3
"""A longer word in capitals alone is emphasis or a heading, and no name."""


def share_counted(text: Prepared, span: Span) -> float:
    """Return the share of a token range's words that count, if each run of names counts as one word.

    >>> from pmbf.passages.prepared import prepare
    >>> text = prepare("the team was Buffon, Panucci, Nesta and Cannavaro, who won the cup again in a long night")
    >>> text.n_tokens, round(share_counted(text, Span(0, text.n_tokens)) * text.n_tokens)
    (17, 13)
    """
    span = Span(span.start, min(span.stop, span.start + MOST_WORDS))
    places = np.flatnonzero(_names(text, span))
    reach = 1 if _has_few_capitals(text) else 0
    runs = np.split(places, np.flatnonzero(np.diff(places) > reach + 1) + 1)
    return 1 - sum(int(run[-1] - run[0]) for run in runs if len(run) >= LEAST_NAMES) / len(span)


def _names(text: Prepared, span: Span) -> list[bool]:
    starts, stops = (edges[span.start : span.stop].tolist() for edges in (text.tokens.starts, text.tokens.stops))
    return [_is_name(text.text[start:stop]) for start, stop in zip(starts, stops, strict=True)]


def _is_name(word: str) -> bool:
    if word[0].isdigit():
        return True
    return word[0].isupper() and not (len(word) > ACRONYM_LETTERS and word.isupper())


def _has_few_capitals(text: Prepared) -> bool:
    starts = text.tokens.starts[:SAMPLED_WORDS].tolist()
    return sum(text.text[start].isupper() for start in starts) < CAPITAL_SHARE * len(starts)
