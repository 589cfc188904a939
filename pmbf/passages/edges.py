"""Where a passage begins and ends: first over a small edit to the equal tokens behind it, then to the character."""

from __future__ import annotations

import unicodedata
from itertools import takewhile

from pmbf.base.span import Span
from pmbf.passages.prepared import Prepared

_CLOSING = frozenset(("Pe", "Pf", "Po"))
_MOST_CLOSING = 8
_MOST_GLUED = 16


def span_pair(query: Prepared, source: Prepared, here: Span, there: Span) -> tuple[Span, Span]:
    """Return the characters of two token ranges, with the closing punctuation that follows them in both texts."""
    stop = int(query.tokens.stops[here.stop - 1])
    source_stop = int(source.tokens.stops[there.stop - 1])
    closing = _n_closing(
        query.text[stop : stop + _MOST_CLOSING], source.text[source_stop : source_stop + _MOST_CLOSING]
    )
    return (
        Span(int(query.tokens.starts[here.start]), stop + closing),
        Span(int(source.tokens.starts[there.start]), source_stop + closing),
    )


def grown(side: Prepared, tokens: Span) -> Span:
    """Return the characters of a token range, with the characters glued to it: up to white space or the next token.

    >>> from pmbf.passages.prepared import prepare
    >>> grown(prepare("So: («never» again!) they"), Span(1, 3))
    Span(start=4, stop=20)
    """
    text, starts, stops = side.text, side.tokens.starts, side.tokens.stops
    start, stop = int(starts[tokens.start]), int(stops[tokens.stop - 1])
    low = max(int(stops[tokens.start - 1]) if tokens.start else 0, start - _MOST_GLUED)
    high = min(int(starts[tokens.stop]) if tokens.stop < len(starts) else len(text), stop + _MOST_GLUED)
    while start > low and not text[start - 1].isspace():
        start -= 1
    while stop < high and not text[stop].isspace():
        stop += 1
    return Span(start, stop)


def _n_closing(ours: str, theirs: str) -> int:
    pairs = zip(ours, theirs, strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1] and unicodedata.category(pair[0]) in _CLOSING, pairs)))
