"""The pairs of token ranges that two texts were found to share, and what others leave of them.

The reference of `native/align/spans.c`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from pmbf.base.span import Span, overlap
from pmbf.kernels.asked import Bars, n_letters
from pmbf.kernels.reference_ready import Ready
from pmbf.kernels.reference_refine import NumberedPair
from pmbf.kernels.reference_runs import Chain

START = attrgetter("start")
"""The order of disjoint spans. Two whole spans compare ten times as slowly as their starts."""


@dataclass(frozen=True, eq=False)
class JudgedTexts:
    """Two texts that are judged, both with their words numbered together, and what a passage must have."""

    query: Ready
    source: Ready
    pair: NumberedPair
    bars: Bars

    def letters(self, here: Span) -> int:
        """Return the letters of a token range of the query."""
        return n_letters(self.query.tokens, here, self.bars.single_letters)


class SharedPiece(NamedTuple):
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


def exact_piece(chain: Chain, similarity: float) -> SharedPiece:
    """Return a chain as a piece."""
    kind = "verbatim" if len(chain) == 1 else "edited"
    return SharedPiece(*chain_spans(chain), 1.0 if len(chain) == 1 else similarity, kind, (chain,))


def chain_spans(chain: Chain) -> tuple[Span, Span]:
    """Return the token ranges of a chain in query and source, from its first token to its last."""
    first, last = chain[0], chain[-1]
    return Span(first.query, last.query_stop), Span(first.source, last.source_stop)


def in_both(chain: Chain, query: Span, source: Span) -> bool:
    """Return whether a chain shares tokens with a range of the query and with a range of the source."""
    start, stop, source_start, source_stop = query.start, query.stop, source.start, source.stop
    return any(
        here < stop and start < here + length and there < source_stop and source_start < there + length
        for here, there, length in chain
    )


def mostly_inside(chain: Chain, one: SharedPiece) -> bool:
    """Return whether a piece holds more than half of a chain in the query, and meets the chain in both texts."""
    here, _ = chain_spans(chain)
    return 2 * overlap(here, one.query) > len(here) and in_both(chain, one.query, one.source)


def near(spans: Sequence[Span], span: Span) -> slice:
    """Return the slice of sorted, disjoint spans that overlap a span. It may hold one span more, before them."""
    first = bisect_left(spans, span.start, key=START)
    return slice(max(0, first - 1), bisect_left(spans, span.stop, first, key=START))


def owned(query: Ready, chain: Chain) -> Span:
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
    parts = [block.cut(start, stop) for block in chain]
    return [part for part in parts if part.length > 0]
