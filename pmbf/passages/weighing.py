"""The evidence of a passage, in nats: the less probable the passage is without copying, the more."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pmbf import arrays
from pmbf.kernels import NAT, PRIOR_UNIT, PRIOR_WORDS, Pair
from pmbf.passages.alignments import evidence, in_runs
from pmbf.passages.pieces import Piece
from pmbf.passages.prepared import Prepared


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
    sums = np.zeros(1 + max(piece.query.stop for piece in pieces))
    np.cumsum(_surprises(query, pair, len(sums) - 1), out=sums[1:])
    price = math.log(max(1, query.n_tokens)) + math.log(max(1, source.n_tokens))
    loose = evidence(pair, [(piece.query, piece.source) for piece in pieces])
    found = []
    for piece, nats in zip(pieces, loose, strict=True):
        edges = _runs(query, source, piece, seed_tokens)
        in_order = sum((max(0.0, float(sums[stop] - sums[start]) - price) for start, stop in edges), 0.0)
        found.append(max(nats, piece.word_evidence, in_order))
    return found


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


def _surprises(query: Prepared, pair: Pair, n_words: int) -> NDArray[np.float64]:
    """Return -ln of the share of all words that each of the first query words has.

    All words are those of the source and of texts of its kind together. A letter that is a token counts half: its class
    is a pair of letters.
    """
    ours, theirs = pair.classes
    times = np.bincount(theirs, minlength=len(pair.priors)) + np.maximum(pair.priors, 1) / PRIOR_UNIT
    nats = np.maximum(math.log(len(theirs) + PRIOR_WORDS) - np.log(times), 0.0)[ours[:n_words]]
    return np.asarray(nats * query.shares_of_words[:n_words] if query.n_singles else nats)


def _runs(query: Prepared, source: Prepared, piece: Piece, seed_tokens: int) -> Iterator[tuple[int, int]]:
    """Yield the first query token of each of a piece's equal runs, and the token after its last one."""
    for chain in piece.chain:
        yield from ((start, start + length) for start, _, length in chain)
    if not piece.chain:
        equal = in_runs(query, source, piece.query, piece.source, seed_tokens)
        yield from ((start, stop) for start, stop in (piece.query.start + arrays.edges(equal)).tolist())
