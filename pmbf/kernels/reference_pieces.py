"""Pieces: the pairs of token ranges that two texts were found to share, what others leave of them, and their evidence.

The evidence is in nats: the less probable a piece is without copying, the more. The reference of
`native/align/{spans,evidence}.c`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from pmbf.base.span import Span, overlap
from pmbf.kernels.align_rules import NAT, PRIOR_UNIT, PRIOR_WORDS
from pmbf.kernels.asked import Bars, n_letters
from pmbf.kernels.reference_align import part_scores
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


def weighed(texts: JudgedTexts, piece: SharedPiece) -> float:
    """Return the evidence of a piece, in nats, at least 0.

    By chance, a run of words with the shares p1, p2, … of all words stands p1·p2·… times at each pair of places of two
    texts. So a run that two texts of q and s words share is worth -ln(q·s·p1·p2·…), or 0 if that is negative. A piece
    is worth the sum of its equal runs, or the evidence of its words in any order (`evidence`), whichever is larger.

    Source:
        Karlin & Altschul 1990, Methods for assessing the statistical significance of molecular sequence features.
    """
    price = math.log(max(1, texts.query.n_tokens)) + math.log(max(1, texts.source.n_tokens))
    in_order = 0.0
    for start, stop in _runs(texts, piece):
        in_order += max(0.0, _run_evidence(texts, start, stop) - price)
    return max(evidence(texts, piece.query, piece.source), piece.word_evidence, in_order)


def evidence(texts: JudgedTexts, here: Span, there: Span) -> float:
    """Return the evidence of the words of a pair of ranges, query and source, in nats."""
    return _scores(texts, here, there)[0] / NAT


def topical_evidence(texts: JudgedTexts, here: Span, there: Span) -> float:
    """Return the evidence of a pair of ranges in texts with a topic, in nats.

    Each word counts once, and is expected as often as in the rest of both texts.
    """
    return _scores(texts, here, there)[1] / NAT


def _scores(texts: JudgedTexts, here: Span, there: Span) -> tuple[int, int]:
    return part_scores(texts.pair, [here.start, here.stop], [there.start, there.stop])


def in_runs(texts: JudgedTexts, here: Span, there: Span, n_words: int) -> list[bool]:
    """Return which tokens of a query range are in runs of `n_words` words that the source range has."""
    theirs = {name for _, _, name in _grams_in(texts.source, there, n_words)}
    found = [False] * len(here)
    for start, stop, name in _grams_in(texts.query, here, n_words):
        if name in theirs:
            found[start - here.start : stop - here.start] = [True] * (stop - start)
    return found


def _grams_in(text: Ready, span: Span, n_words: int) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield start, stop and name of each run of `n_words` words inside a range."""
    grams = text.grams(n_words)
    for start in range(span.start, min(span.stop, len(grams.stops))):
        if grams.stops[start] > span.stop:
            return
        yield start, grams.stops[start], grams.names[start]


def rare_likeness(pair: NumberedPair, piece: SharedPiece) -> float:
    """Return how alike the words of both sides of a piece are, each weighed by its rarity, in any order, 0 to 1.

    That is twice the weight of the words in common, divided by the weight of all. The commonest word weighs one nat.
    """
    query, source = pair.classes
    ours, theirs = (
        Counter(query[piece.query.start : piece.query.stop]),
        Counter(source[piece.source.start : piece.source.stop]),
    )
    return 2 * _weight(pair, ours & theirs) / (_weight(pair, ours) + _weight(pair, theirs))


def _weight(pair: NumberedPair, words: Counter[int]) -> int:
    return sum(n * (pair.rarities[word] + NAT) for word, n in words.items())


def _run_evidence(texts: JudgedTexts, start: int, stop: int) -> float:
    """Return -ln of the product of the shares of all words that some query words have.

    All words are those of the source and of texts of its kind together. A letter that is a token counts half: its class
    is a pair of letters.
    """
    pair, singles = texts.pair, texts.query.tokens.singles
    every, found = math.log(len(pair.classes[1]) + PRIOR_WORDS), 0.0
    for place in range(start, stop):
        word = pair.classes[0][place]
        times = pair.counts[1][word] + max(pair.priors[word], 1) / PRIOR_UNIT
        found += max(every - math.log(times), 0.0) * (0.5 if singles[place] else 1.0)
    return found


def _runs(texts: JudgedTexts, piece: SharedPiece) -> Iterator[tuple[int, int]]:
    """Yield the first query token of each of a piece's equal runs, and the token after its last one."""
    if piece.chain:
        yield from ((block.query, block.query_stop) for chain in piece.chain for block in chain)
        return
    start = piece.query.start
    for is_equal, run in groupby(in_runs(texts, piece.query, piece.source, texts.bars.seed_tokens)):
        stop = start + len(list(run))
        if is_equal:
            yield start, stop
        start = stop
