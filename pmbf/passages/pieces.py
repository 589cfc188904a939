"""What two texts were found to share, in tokens: found parts, their size, and what is left of one beside another."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pmbf.passages.chains import Chain
from pmbf.passages.prepared import Prepared
from pmbf.span import Span

SINGLE_CHARS = 3
"""Letters that a letter of Han, Kana, Thai and so on counts for: a word has some 6 of those, 2 of these."""


class Piece(NamedTuple):
    """A part that both texts have, in tokens.

    With the chain of equal runs it consists of, if it does; of a summary, with what its words say for it, in nats.
    """

    query: Span
    source: Span
    similarity: float
    kind: str
    chain: tuple[Chain, ...] = ()
    told: float = 0.0


def chain_spans(chain: Chain) -> tuple[Span, Span]:
    """Return the tokens of a chain in the query and in the source, from its first to its last."""
    first, last = chain[0], chain[-1]
    return Span(first.query, last.query_stop), Span(first.source, last.source_stop)


def n_letters(text: Prepared, tokens: Span) -> int:
    """Return the characters of some tokens, in letters of an alphabet."""
    n_chars = int(text.tokens.stops[tokens.stop - 1]) - int(text.tokens.starts[tokens.start])
    if not text.n_singles:
        return n_chars
    return n_chars + (SINGLE_CHARS - 1) * int(np.count_nonzero(text.tokens.singles[tokens.start : tokens.stop]))


def near(spans: Sequence[Span], span: Span) -> slice:
    """Return which of some spans, sorted and disjoint, overlap one; perhaps one more before them."""
    return slice(
        max(0, bisect_left(spans, Span(span.start, span.start)) - 1), bisect_left(spans, Span(span.stop, span.stop))
    )


def owned(query: Prepared, chain: Chain) -> Span:
    """Return the tokens that touch a chain's characters: one character such as ½ or ㍿ can be several tokens."""
    starts, stop = query.tokens.starts, query.tokens.stops[chain[-1].query_stop - 1]
    return Span(int(np.searchsorted(starts, starts[chain[0].query])), int(np.searchsorted(starts, stop)))


def free_parts(chain: Chain, taken: list[Span]) -> Iterator[Chain]:
    """Yield what is left of a chain between the tokens that are taken, `taken` being sorted and disjoint."""
    start, stop = chain[0].query, chain[-1].query_stop
    for other in [*taken[near(taken, Span(start, stop))], Span(stop, stop)]:
        if part := _between(chain, start, other.start):
            yield part
        start = max(start, other.stop)


def _between(chain: Chain, start: int, stop: int) -> Chain:
    parts = (block.cut(start, stop) for block in chain)
    return [part for part in parts if part.length > 0]
