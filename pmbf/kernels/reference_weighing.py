"""The evidence of a piece, in nats: the less probable the piece is without copying, the more.

The reference of `native/align/evidence.c`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from pmbf.base.span import Span
from pmbf.kernels.align_rules import NAT, PRIOR_UNIT, PRIOR_WORDS
from pmbf.kernels.reference_align import part_scores
from pmbf.kernels.reference_pieces import JudgedTexts, SharedPiece
from pmbf.kernels.reference_ready import Ready
from pmbf.kernels.reference_refine import NumberedPair


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
