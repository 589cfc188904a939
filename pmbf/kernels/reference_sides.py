"""The sides of passages in characters, and the share of their words that counts: the reference of
`native/module/sides.c`."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

from pmbf.base.span import Span
from pmbf.kernels.types import JudgedPassages, Tokens

LEAST_NAMES = 4
"""Names in the shortest run. `President George W Bush` is a run; two names of people side by side are none."""

SAMPLED_WORDS, CAPITAL_SHARE = 500, 1 / 3
"""If a third of a text's first 500 words begin with a capital, as in German (.45 of the words; English .20), then
the names of a run stand side by side. Otherwise one other word may stand between two names: `Bank of England`."""

MOST_WORDS = 4096
"""Words of a passage that are looked at: a longer passage is no line-up."""

ACRONYM_LETTERS = 3
"""A longer word that begins with two capitals is emphasis or a heading, and no name."""

_CLOSING = frozenset(("Pe", "Pf", "Po"))
_MOST_CLOSING = 8
_MOST_GLUED = 16


def is_closing(letter: str) -> bool:
    """Return whether a character is closing punctuation."""
    return unicodedata.category(letter) in _CLOSING


def sides_of(
    query: str, ours: Tokens, source: str, theirs: Tokens, found: JudgedPassages
) -> list[tuple[int, int, int, int, float]]:
    """Return as `reference_compare.sides`, of two texts with their tokens."""
    sides = []
    for edges, kind in zip(found.edges.tolist(), found.kinds.tolist(), strict=True):
        here, there = Span(*edges[:2]), Span(*edges[2:])
        if kind < 2:
            side, other = _closed(query, _exact(ours, here), source, _exact(theirs, there))
        else:
            side, other = _grown(query, ours, here), _grown(source, theirs, there)
        counted = share_counted(query, ours, here)
        if counted < 1:
            counted = max(counted, share_counted(source, theirs, there))
        sides.append((side.start, side.stop, other.start, other.stop, counted))
    return sides


def _exact(tokens: Tokens, span: Span) -> Span:
    return Span(int(tokens.starts[span.start]), int(tokens.stops[span.stop - 1]))


def _closed(query: str, ours: Span, source: str, theirs: Span) -> tuple[Span, Span]:
    """Return both sides with the closing punctuation that follows in both texts."""
    n_closing = 0
    behind = query[ours.stop : ours.stop + _MOST_CLOSING], source[theirs.stop : theirs.stop + _MOST_CLOSING]
    for here, there in zip(*behind, strict=False):
        if here != there or not is_closing(here):
            break
        n_closing += 1
    return Span(ours.start, ours.stop + n_closing), Span(theirs.start, theirs.stop + n_closing)


def _grown(text: str, tokens: Tokens, span: Span) -> Span:
    """Return the characters of a token range, with those glued to it: up to white space or the next token."""
    side, starts = _exact(tokens, span), tokens.starts
    start, stop = side.start, side.stop
    low = max(int(tokens.stops[span.start - 1]) if span.start else 0, start - _MOST_GLUED)
    high = min(int(starts[span.stop]) if span.stop < len(starts) else len(text), stop + _MOST_GLUED)
    while start > low and not text[start - 1].isspace():
        start -= 1
    while stop < high and not text[stop].isspace():
        stop += 1
    return Span(start, stop)


def share_counted(text: str, tokens: Tokens, span: Span) -> float:
    """Return the share of a token range's words that count, if each run of names counts as one word.

    Names are line-ups, results, titles of offices. Two texts on one event have the same names, one beside the other,
    and neither is copied. A word is a name if it begins with a capital letter or a digit. In scripts without case only
    numbers are names.
    """
    starts = tokens.starts.tolist()
    n_words = min(len(span), MOST_WORDS)
    names = [at for at in range(span.start, span.start + n_words) if _is_name(text, starts[at], int(tokens.stops[at]))]
    sampled = [text[start].isupper() for start in starts[:SAMPLED_WORDS]]
    reach = 1 if sum(sampled) < CAPITAL_SHARE * len(sampled) else 0
    ends = [at for at, (one, other) in enumerate(pairwise(names), 1) if other - one > reach + 1]
    runs = [names[first:end] for first, end in pairwise([0, *ends, len(names)])]
    return 1 - sum(run[-1] - run[0] for run in runs if len(run) >= LEAST_NAMES) / n_words


def _is_name(text: str, start: int, stop: int) -> bool:
    if not text[start].isupper():
        return text[start].isdigit()
    return stop - start <= ACRONYM_LETTERS or not text[start + 1].isupper()
