"""How alike the two sides of a passage are: three Levenshtein similarities. Each sees something else. The reference of
`native/align/likeness.c` and `distance.c`.

characters     the folded texts: small edits, down to a letter
words          whole words in order: replaced words; long words do not count more
sorted_words   words without their order: the same words shuffled
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rapidfuzz.distance import LCSseq, Levenshtein

from pmbf.base.span import Span
from pmbf.kernels.judged import Spelled

__all__: list[str] = []

EXACT_CHARS = 4096
"""Spellings up to this length are compared whole, in 0.5 ms at most. Of longer ones the verdict compares the gaps, and
`scores` gives None."""

EXACT_WORDS = 4096

ORDERED_WORDS = 32_768
"""Words of a side up to which words in order are counted exactly, in 20 ms at most."""


def scores(query: Spelled, source: Spelled, here: Span, there: Span) -> tuple[float, float, float]:
    """Return how alike two token ranges are: their letters, their words in order, their sorted words.

    Spellings over `EXACT_CHARS` have NaN for their letters. If a range has more than `EXACT_WORDS` words, then its
    words in order have NaN, and in place of its sorted words those in common are counted.
    """
    ours, theirs = query.spelled(here.start, here.stop).rstrip(" "), source.spelled(there.start, there.stop).rstrip(" ")
    our_words, their_words = query.words(here), source.words(there)
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
    """Return whether words are alike in their order by at least `least`; over `EXACT_WORDS` words, always True.

    >>> in_order([1, 2, 3, 4], [4, 3, 2, 1], 0.5)
    False
    """
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
    """Return the number of words in common, repeats counted, as a share of the longer side.

    >>> common_share([1, 1, 2], [1, 3])
    0.3333333333333333
    """
    common = (Counter(ours) & Counter(theirs)).total()
    return common / max(1, len(ours), len(theirs))


def found_share(ours: Sequence[int], theirs: Sequence[int]) -> float:
    """Return the share of our words that the other side has too. This is the similarity of a summary.

    >>> found_share([1, 1, 2], [1, 3])
    0.6666666666666666
    """
    held = set(theirs)
    return sum(word in held for word in ours) / max(1, len(ours))
