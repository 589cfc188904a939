"""Pieces: the pairs of token ranges that two texts were found to share, their size, and what others leave of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from pmbf.passages.chains import Chain
from pmbf.passages.prepared import Prepared
from pmbf.span import Span
from pmbf.text import SINGLE_CHARS

START = attrgetter("start")
"""The order of disjoint spans. Two whole spans compare ten times as slowly as their starts."""


class Piece(NamedTuple):
    """A token range of each text, found to share words.

    Args:
        query: Tokens of the query.
        source: Tokens of the source.
        similarity: As in `report.Passage`.
        kind: As in `report.Passage`.
        chain: The one chain of equal runs of a verbatim or edited piece; empty for other kinds.
        word_evidence: Evidence of a summary's words, in nats; 0 for other kinds.
    """

    query: Span
    source: Span
    similarity: float
    kind: str
    chain: tuple[Chain, ...] = ()
    word_evidence: float = 0.0


def chain_spans(chain: Chain) -> tuple[Span, Span]:
    """Return the token ranges of a chain in query and source, from its first token to its last."""
    first, last = chain[0], chain[-1]
    return Span(first.query, last.query_stop), Span(first.source, last.source_stop)


def n_letters(text: Prepared, tokens: Span) -> int:
    """Return the characters of a token range, counted in letters of an alphabet."""
    n_chars = int(text.tokens.stops[tokens.stop - 1]) - int(text.tokens.starts[tokens.start])
    if not text.n_singles:
        return n_chars
    return n_chars + (SINGLE_CHARS - 1) * int(np.count_nonzero(text.tokens.singles[tokens.start : tokens.stop]))


def n_singles(text: Prepared, spans: Iterable[Span]) -> int:
    """Return the single letters of scripts written without spaces in some spans of characters."""
    if not text.n_singles:
        return 0
    tokens = (np.searchsorted(text.tokens.starts, (span.start, span.stop)) for span in spans)
    return sum(int(np.count_nonzero(text.tokens.singles[start:stop])) for start, stop in tokens)


def near(spans: Sequence[Span], span: Span) -> slice:
    """Return the slice of sorted, disjoint spans that overlap a span. It may hold one span more, before them."""
    first = bisect_left(spans, span.start, key=START)
    return slice(max(0, first - 1), bisect_left(spans, span.stop, first, key=START))


def owned(query: Prepared, chain: Chain) -> Span:
    """Return the tokens that touch a chain's characters. One character such as ½ or ㍿ can be several tokens."""
    starts, first, last = query.tokens.starts, chain[0].query, chain[-1].query_stop
    begin, end = starts[first], query.tokens.stops[last - 1]
    while first and starts[first - 1] == begin:
        first -= 1
    while last < len(starts) and starts[last] < end:
        last += 1
    return Span(first, last)


def free_parts(chain: Chain, taken: list[Span]) -> Iterator[Chain]:
    """Yield the parts of a chain between the taken tokens. `taken` is sorted and disjoint."""
    start, stop = chain[0].query, chain[-1].query_stop
    others = taken[near(taken, Span(start, stop))]
    if not others or (len(others) == 1 and others[0].stop <= start):
        yield chain
        return
    for other in [*others, Span(stop, stop)]:
        if part := _between(chain, start, other.start):
            yield part
        start = max(start, other.stop)


def _between(chain: Chain, start: int, stop: int) -> Chain:
    parts = (block.cut(start, stop) for block in chain)
    return [part for part in parts if part.length > 0]
