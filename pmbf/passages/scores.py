"""How alike the two sides of a passage are: three Levenshtein similarities. Each sees something else.

characters     the folded texts: small edits, down to a letter
words          whole words in order: replaced words; long words do not count more
sorted_words   words without their order: the same words shuffled
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq, Levenshtein

from pmbf.passages.prepared import Prepared
from pmbf.report import Scores
from pmbf.span import Span

EXACT_CHARS = 4096
"""Spellings up to this length are compared whole, in 0.5 ms at most. Of longer ones the verdict compares the gaps, and
`scores` gives None."""

EXACT_WORDS = 4096

ORDERED_WORDS = 32_768
"""Words of a side up to which words in order are counted exactly, in 20 ms at most."""


def scores(query: Prepared, source: Prepared, here: Span, there: Span) -> Scores:
    """Return how alike two token ranges are.

    Costs at most a few milliseconds. Spellings over `EXACT_CHARS` get no score of characters. If a range has more than
    `EXACT_WORDS` words, then its sorted words are not compared; the words in common are counted.

    >>> from pmbf.passages.prepared import prepare
    >>> scores(prepare("one two three"), prepare("three two one"), Span(0, 3), Span(0, 3))
    Scores(characters=0.3846153846153846, words=0.33333333333333337, sorted_words=1.0)
    """
    ours, theirs = query.spelled(here.start, here.stop).rstrip(" "), source.spelled(there.start, there.stop).rstrip(" ")
    our_words, their_words = query.word_keys(here), source.word_keys(there)
    short = max(len(ours), len(theirs)) <= EXACT_CHARS
    few = max(len(our_words), len(their_words)) <= EXACT_WORDS
    return Scores(
        characters=Levenshtein.normalized_similarity(ours, theirs) if short else None,
        words=Levenshtein.normalized_similarity(our_words.tolist(), their_words.tolist()) if few else None,
        sorted_words=sorted_similarity(our_words, their_words),
    )


def sorted_similarity(ours: NDArray[np.uint64], theirs: NDArray[np.uint64]) -> float:
    """Return 1 minus the normalised Levenshtein distance of sorted words; over `EXACT_WORDS`, the share in common."""
    if max(len(ours), len(theirs)) > EXACT_WORDS:
        return common_share(ours.tolist(), theirs.tolist())
    return Levenshtein.normalized_similarity(np.sort(ours).tolist(), np.sort(theirs).tolist())


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
