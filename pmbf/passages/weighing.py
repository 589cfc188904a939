"""The evidence of a passage, in nats: the less probable the passage is without copying, the more."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import NAT, PRIOR_UNIT, PRIOR_WORDS, Pair
from pmbf.passages.alignments import evidence, in_runs
from pmbf.passages.pieces import Piece
from pmbf.passages.prepared import Prepared
from pmbf.span import Span


def weighed(query: Prepared, source: Prepared, pair: Pair, pieces: Sequence[Piece], seed_tokens: int) -> list[float]:
    """Return the evidence of each piece, in nats, at least 0.

    By chance, a run of words with the shares p1, p2, … of all words stands p1·p2·… times at each pair of places of two
    texts. So a run that two texts of q and s words share is worth -ln(q·s·p1·p2·…), or 0 if that is negative. A piece
    is worth the sum of its equal runs, or the evidence of its words in any order (`alignments.evidence`), whichever is
    larger.

    Args:
        query: The suspicious text.
        source: The text it is compared with.
        pair: Both texts, for the kernels.
        pieces: The pieces both share.
        seed_tokens: Words in the shortest equal run that counts, for a piece without a chain.

    Source:
        Karlin & Altschul 1990, Methods for assessing the statistical significance of molecular sequence features.
    """
    if not pieces:
        return []
    sums = np.append(0.0, np.cumsum(_surprises(query, pair)))
    price = math.log(max(1, query.n_tokens)) + math.log(max(1, source.n_tokens))
    loose = evidence(pair, [(piece.query, piece.source) for piece in pieces])
    found = []
    for piece, nats in zip(pieces, loose, strict=True):
        runs = _runs(query, source, piece, seed_tokens)
        in_order = sum((max(0.0, float(sums[run.stop] - sums[run.start]) - price) for run in runs), 0.0)
        found.append(max(nats, piece.word_evidence, in_order))
    return found


def rare_likeness(pair: Pair, piece: Piece) -> float:
    """Return how alike the words of both sides of a piece are, each weighed by its rarity, in any order, 0 to 1.

    That is twice the weight of the words in common, divided by the weight of all. The commonest word weighs one nat.
    """
    weights = pair.rarities + NAT
    ours, theirs = (
        np.bincount(classes[span.start : span.stop], minlength=len(weights))
        for classes, span in zip(pair.classes, (piece.query, piece.source), strict=True)
    )
    return 2 * int(np.minimum(ours, theirs) @ weights) / int((ours + theirs) @ weights)


def _surprises(query: Prepared, pair: Pair) -> NDArray[np.float64]:
    """Return -ln of each query word's share of all words, in the source and in texts of its kind together.

    A letter that is a token counts half: its class is a pair of letters.
    """
    ours, theirs = pair.classes
    times = np.bincount(theirs, minlength=len(pair.priors)) + np.maximum(pair.priors, 1) / PRIOR_UNIT
    nats = np.maximum(math.log(len(theirs) + PRIOR_WORDS) - np.log(times), 0.0)
    return np.asarray(nats[ours] * np.where(query.tokens.singles, 0.5, 1.0))


def _runs(query: Prepared, source: Prepared, piece: Piece, seed_tokens: int) -> Iterator[Span]:
    """Yield the query ranges of a piece's equal runs."""
    for chain in piece.chain:
        yield from (Span(block.query, block.query_stop) for block in chain)
    if not piece.chain:
        equal = in_runs(query, source, piece.query, piece.source, seed_tokens)
        edges = piece.query.start + np.flatnonzero(np.diff(equal.astype(np.int8), prepend=0, append=0))
        yield from (Span(start, stop) for start, stop in edges.reshape(-1, 2).tolist())
