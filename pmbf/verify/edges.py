"""Where a passage begins and ends: over a small edit to equal tokens behind it, then to the exact character."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import product, takewhile
from typing import NamedTuple

from pmbf.report import Span
from pmbf.verify.chains import Chain
from pmbf.verify.prepared import Prepared
from pmbf.verify.seeds import Block

HOP_EDITS = 2
HOP_WORDS = 3
"""A border moves over up to `HOP_EDITS` tokens on either side if at least `HOP_WORDS` equal words follow."""

_HOPS = sorted(product(range(HOP_EDITS + 1), repeat=2), key=lambda hop: (max(hop), sum(hop), hop))
_WINDOW = 16
_CLOSING = frozenset(("Pe", "Pf", "Po"))
_MOST_CLOSING = 8
_MOST_GLUED = 16


def stretched(query: Prepared, source: Prepared, chain: Chain) -> Chain:
    """Return the chain with the equal runs, too short to be seeds, that lie just beyond its first and its last block.

    >>> from pmbf.verify.prepared import prepare
    >>> stretched(prepare("a b c d e x f g h"), prepare("a b c d e y f g h"), [Block(0, 0, 5)])
    [Block(query=0, source=0, length=5), Block(query=6, source=6, length=3)]
    """
    first, last = chain[0], chain[-1]
    before = list(_beyond(query, source, first.query, first.source, -1))
    after = list(_beyond(query, source, last.query_stop, last.source_stop, 1))
    return before[::-1] + chain + after


def span_pair(query: Prepared, source: Prepared, chain: Chain) -> tuple[Span, Span]:
    """Return the characters of a chain: from its first token to its last, with closing punctuation both texts share."""
    first, last = chain[0], chain[-1]
    stop = int(query.tokens.stops[last.query_stop - 1])
    source_stop = int(source.tokens.stops[last.source_stop - 1])
    closing = _n_closing(
        query.text[stop : stop + _MOST_CLOSING], source.text[source_stop : source_stop + _MOST_CLOSING]
    )
    return (
        Span(int(query.tokens.starts[first.query]), stop + closing),
        Span(int(source.tokens.starts[first.source]), source_stop + closing),
    )


def grown(prepared: Prepared, tokens: Span) -> Span:
    """Return the characters of some tokens with what is glued to them: up to white space or the next token.

    >>> from pmbf.verify.prepared import prepare
    >>> grown(prepare("So: («never» again!) they"), Span(1, 3))
    Span(start=4, stop=20)
    """
    text, starts, stops = prepared.text, prepared.tokens.starts, prepared.tokens.stops
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


def _beyond(query: Prepared, source: Prepared, here: int, there: int, step: int) -> Iterator[Block]:
    """Yield the runs beyond a border, one hop after another: with `step` 1 to the right, with -1 to the left."""
    while hop := _hop(_Window.beyond(query, here, step), _Window.beyond(source, there, step)):
        skipped, skipped_there, length = hop
        here, there = here + step * skipped, there + step * skipped_there
        yield Block(here, there, length) if step > 0 else Block(here - length, there - length, length)
        here, there = here + step * length, there + step * length


class _Window(NamedTuple):
    """The tokens next to a border, outwards: their hashes, and what each is worth in half words."""

    hashes: list[int]
    half_words: list[int]

    @classmethod
    def beyond(cls, prepared: Prepared, border: int, step: int) -> _Window:
        near = slice(border, border + _WINDOW) if step > 0 else slice(max(0, border - _WINDOW), border)
        hashes, singles = prepared.tokens.hashes[near][::step], prepared.tokens.singles[near][::step]
        return cls(hashes.tolist(), [2 - single for single in singles.tolist()])


def _hop(ours: _Window, theirs: _Window) -> tuple[int, int, int] | None:
    """Return the tokens to skip in both texts and the length of the equal run behind them, for the smallest edit."""
    for skipped, skipped_there in _HOPS:
        pairs = zip(ours.hashes[skipped:], theirs.hashes[skipped_there:], strict=False)
        length = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
        if sum(ours.half_words[skipped : skipped + length]) >= 2 * HOP_WORDS:
            return skipped, skipped_there, length
    return None
