"""The verdict on a chain: how similar its two sides are, by Levenshtein distance. The reference of
`native/align/verdict.c`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from rapidfuzz.distance import Levenshtein

from pmbf.kernels.judged import Block, Chain, Spelled
from pmbf.kernels.reference_likeness import EXACT_CHARS

__all__: list[str] = []


def accepted(query: Spelled, source: Spelled, chain: Chain, threshold: float) -> Iterator[tuple[Chain, float]]:
    """Yield a chain with its similarity; or split the chain at its widest gaps, and yield the parts that are similar.

    A single block is never rejected: its similarity is 1.
    """
    if len(chain) == 1:
        yield chain, 1.0
        return
    pairs = list(pairwise(chain))
    distances = [_gap_distance(query, source, *pair) for pair in pairs]
    widths = [max(after.query - before.query_stop, after.source - before.source_stop) for before, after in pairs]
    waiting = [(0, len(chain))]
    while waiting:
        first, last = waiting.pop()
        similarity = _similarity(query, source, chain[first:last], sum(distances[first : last - 1]))
        if similarity >= threshold:
            yield chain[first:last], similarity
        else:
            middle = _widest(widths[first : last - 1]) + first + 1
            waiting += [(middle, last), (first, middle)]


def _similarity(query: Spelled, source: Spelled, chain: Chain, distance: int) -> float:
    """Return 1 - distance / longer spelling. The sum of the gaps, `distance`, bounds the whole distance from above."""
    if len(chain) == 1:
        return 1.0
    ours = query.spelled(chain[0].query, chain[-1].query_stop).rstrip(" ")
    theirs = source.spelled(chain[0].source, chain[-1].source_stop).rstrip(" ")
    longer = max(len(ours), len(theirs))
    if longer <= EXACT_CHARS:
        distance = min(distance, Levenshtein.distance(ours, theirs, score_cutoff=distance))
    return 1 - distance / longer


def _gap_distance(query: Spelled, source: Spelled, before: Block, after: Block) -> int:
    ours = query.spelled(before.query_stop, after.query)
    theirs = source.spelled(before.source_stop, after.source)
    longer = max(len(ours), len(theirs))
    return longer if longer > EXACT_CHARS else Levenshtein.distance(ours, theirs, score_cutoff=longer)


def _widest(widths: list[int]) -> int:
    """Return the index of the widest gap; of several, the nearest to the middle, to keep the splitting shallow."""
    widest = max(widths)
    return min((abs(2 * index + 1 - len(widths)), index) for index, width in enumerate(widths) if width == widest)[1]
