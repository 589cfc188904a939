"""How alike the two sides of a passage are, by three Levenshtein similarities. Each sees something else.

characters     the folded texts: small edits, down to a letter
words          whole words in order: replaced words; long words do not count more
sorted_words   words without their order: the same words shuffled

The reference of `native/align/{likeness,distance,verdict}.c`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rapidfuzz.distance import LCSseq, Levenshtein

from pmbf.base.span import Span
from pmbf.kernels.reference_ready import Ready
from pmbf.kernels.reference_runs import Block, Chain

EXACT_CHARS = 4096
"""Spellings up to this length are compared whole, in 0.5 ms at most. Of longer ones the verdict compares the gaps, and
`scores` gives None."""

EXACT_WORDS = 4096

ORDERED_WORDS = 32_768
"""Words of a side up to which words in order are counted exactly, in 20 ms at most."""


def scores(query: Ready, source: Ready, here: Span, there: Span) -> tuple[float, float, float]:
    """Return how alike two token ranges are: their letters, their words in order, their sorted words.

    Spellings over `EXACT_CHARS` have NaN for their letters. If a range has more than `EXACT_WORDS` words, then its
    words in order have NaN, and in place of its sorted words those in common are counted.
    """
    ours, theirs = query.spelled(here.start, here.stop).rstrip(" "), source.spelled(there.start, there.stop).rstrip(" ")
    our_words, their_words = query.keys_in(here), source.keys_in(there)
    short = max(len(ours), len(theirs)) <= EXACT_CHARS
    few = max(len(our_words), len(their_words)) <= EXACT_WORDS
    return (
        Levenshtein.normalized_similarity(ours, theirs) if short else math.nan,
        Levenshtein.normalized_similarity(our_words, their_words) if few else math.nan,
        sorted_similarity(our_words, their_words),
    )


def sorted_similarity(ours: Sequence[int], theirs: Sequence[int]) -> float:
    """Return 1 minus the normalised Levenshtein distance of sorted words; over `EXACT_WORDS`, the share in common."""
    if max(len(ours), len(theirs)) > EXACT_WORDS:
        return common_share(ours, theirs)
    return Levenshtein.normalized_similarity(sorted(ours), sorted(theirs))


def in_order(ours: Sequence[int], theirs: Sequence[int], least: float) -> bool:
    """Return whether words are alike in their order by at least `least`; over `EXACT_WORDS` words, always True."""
    few = max(len(ours), len(theirs)) <= EXACT_WORDS
    return not few or Levenshtein.normalized_similarity(ours, theirs, score_cutoff=least) >= least


def ordered_share(ours: Sequence[int], theirs: Sequence[int]) -> float:
    """Return the share of our words that the other side has in the same order: the longest common subsequence.

    Over `ORDERED_WORDS` both sides are cut into as many slices, which are compared one with one: a little less.

    >>> ordered_share([1, 2, 3, 4], [1, 9, 3, 4, 2])
    0.75
    """
    n_slices = 1 + max(len(ours), len(theirs)) // ORDERED_WORDS
    slices = zip(*(_sliced(words, n_slices) for words in (ours, theirs)), strict=True)
    return sum(LCSseq.similarity(one, other) for one, other in slices) / max(1, len(ours))


def _sliced(words: Sequence[int], n_slices: int) -> Iterator[Sequence[int]]:
    edges = [len(words) * index // n_slices for index in range(n_slices + 1)]
    return (words[start:stop] for start, stop in pairwise(edges))


def common_share(ours: Sequence[int], theirs: Sequence[int]) -> float:
    """Return the number of words in common, repeats counted, as a share of the longer side."""
    common = (Counter(ours) & Counter(theirs)).total()
    return common / max(1, len(ours), len(theirs))


def found_share(ours: Sequence[int], theirs: Sequence[int]) -> float:
    """Return the share of our words that the other side has too. This is the similarity of a summary."""
    held = set(theirs)
    return sum(word in held for word in ours) / max(1, len(ours))


def accepted(query: Ready, source: Ready, chain: Chain, threshold: float) -> Iterator[tuple[Chain, float]]:
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


def _similarity(query: Ready, source: Ready, chain: Chain, distance: int) -> float:
    """Return 1 - distance / longer spelling. The sum of the gaps, `distance`, bounds the whole distance from above."""
    if len(chain) == 1:
        return 1.0
    ours = query.spelled(chain[0].query, chain[-1].query_stop).rstrip(" ")
    theirs = source.spelled(chain[0].source, chain[-1].source_stop).rstrip(" ")
    longer = max(len(ours), len(theirs))
    if longer <= EXACT_CHARS:
        distance = min(distance, Levenshtein.distance(ours, theirs, score_cutoff=distance))
    return 1 - distance / longer


def _gap_distance(query: Ready, source: Ready, before: Block, after: Block) -> int:
    ours = query.spelled(before.query_stop, after.query)
    theirs = source.spelled(before.source_stop, after.source)
    longer = max(len(ours), len(theirs))
    return longer if longer > EXACT_CHARS else Levenshtein.distance(ours, theirs, score_cutoff=longer)


def _widest(widths: list[int]) -> int:
    """Return the index of the widest gap; of several, the nearest to the middle, to keep the splitting shallow."""
    widest = max(widths)
    return min((abs(2 * index + 1 - len(widths)), index) for index, width in enumerate(widths) if width == widest)[1]
