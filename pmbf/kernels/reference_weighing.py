"""The evidence of a piece, in nats: the less probable the piece is without copying, the more. The reference of
`native/align/evidence.c`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pmbf.base import arrays
from pmbf.base.span import Span
from pmbf.kernels.align_rules import NAT, PRIOR_UNIT, PRIOR_WORDS
from pmbf.kernels.asked import gram_stops
from pmbf.kernels.judged import Spelled
from pmbf.kernels.reference_align import part_scores
from pmbf.kernels.reference_clusters import Pair
from pmbf.kernels.reference_pieces import Piece, Texts
from pmbf.kernels.reference_runs import runs_of

__all__: list[str] = []


def weighed(texts: Texts, piece: Piece) -> float:
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


def evidence(texts: Texts, here: Span, there: Span) -> float:
    """Return the evidence of the words of a pair of ranges, query and source, in nats."""
    return _scores(texts, here, there)[0] / NAT


def topical_evidence(texts: Texts, here: Span, there: Span) -> float:
    """Return the evidence of a pair of ranges in texts with a topic, in nats.

    Each word counts once, and is expected as often as in the rest of both texts.
    """
    return _scores(texts, here, there)[1] / NAT


def _scores(texts: Texts, here: Span, there: Span) -> tuple[int, int]:
    [[words, topic]] = part_scores(texts.pair, np.array([[here.start, here.stop, there.start, there.stop]])).tolist()
    return words, topic


def in_runs(texts: Texts, here: Span, there: Span, n_words: int) -> NDArray[np.bool_]:
    """Return which tokens of a query range are in runs of `n_words` words that the source range has, `(n,)`."""
    theirs, _ = _names(texts.source, there, n_words)
    ours, stops = _names(texts.query, here, n_words)
    held = np.flatnonzero(arrays.among(ours, theirs))
    reached = np.zeros(len(here), np.intp)
    reached[held] = stops[held] - here.start
    return np.maximum.accumulate(reached) > np.arange(len(here))


def _names(text: Spelled, span: Span, n_words: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the name of each run of `n_words` words inside a range, and where the run ends."""
    if n_words not in text.tables:
        stops = gram_stops(text.tokens.singles, n_words)
        names = runs_of(text.tokens.hashes).names(np.arange(len(stops)), stops)
        text.tables[n_words] = names, stops
    names, stops = text.tables[n_words]
    stops = stops[span.start : span.stop]
    stops = stops[stops <= span.stop]
    return names[span.start : span.start + len(stops)], stops


def rare_likeness(pair: Pair, piece: Piece) -> float:
    """Return how alike the words of both sides of a piece are, each weighed by its rarity, in any order, 0 to 1.

    That is twice the weight of the words in common, divided by the weight of all. The commonest word weighs one nat.
    """
    sides = [
        classes[span.start : span.stop] for classes, span in zip(pair.classes, (piece.query, piece.source), strict=True)
    ]
    both = sum(int(_weights(pair, classes).sum()) for classes in sides)
    return 2 * int(_weights(pair, _in_both(*sides)).sum()) / both


def _weights(pair: Pair, classes: NDArray[np.int32]) -> NDArray[np.int64]:
    return pair.rarities[classes].astype(np.int64) + NAT


def _in_both(ours: NDArray[np.int32], theirs: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the classes that two ranges have in common, each as often as in the range that has fewer of it."""
    ours, theirs = np.sort(ours), np.sort(theirs)
    kth = np.arange(len(ours)) - np.searchsorted(ours, ours)
    n_theirs = np.searchsorted(theirs, ours, side="right") - np.searchsorted(theirs, ours)
    return ours[kth < n_theirs]


def _run_evidence(texts: Texts, start: int, stop: int) -> float:
    """Return -ln of the product of the shares of all words that some query words have.

    All words are those of the source and of texts of its kind together. A letter that is a token counts half: its class
    is a pair of letters.
    """
    pair, singles = texts.pair, texts.query.tokens.singles
    (ours, theirs), every = pair.classes, math.log(len(pair.classes[1]) + PRIOR_WORDS)
    counts, found = np.bincount(theirs, minlength=len(pair.priors)), 0.0
    for place in range(start, stop):
        times = int(counts[ours[place]]) + max(int(pair.priors[ours[place]]), 1) / PRIOR_UNIT
        found += max(every - math.log(times), 0.0) * (0.5 if singles[place] else 1.0)
    return found


def _runs(texts: Texts, piece: Piece) -> Iterator[tuple[int, int]]:
    """Yield the first query token of each of a piece's equal runs, and the token after its last one."""
    for chain in piece.chain:
        yield from ((start, start + length) for start, _, length in chain)
    if not piece.chain:
        equal = in_runs(texts, piece.query, piece.source, texts.bars.seed_tokens)
        yield from ((start, stop) for start, stop in (piece.query.start + arrays.edges(equal)).tolist())
