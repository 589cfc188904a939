"""How alike the two sides of a passage are: three Levenshtein similarities, each of which sees something else.

characters     the folded texts: sees small edits, down to a letter
words          words as wholes, in order: sees replaced words, is not misled by long ones
sorted_words   words without their order: sees through shuffling
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from pmbf.passages.prepared import Prepared
from pmbf.report import Scores
from pmbf.span import Span

EXACT_CHARS = 4096
"""Spellings up to this length are compared whole, 0.5 ms at most."""

EXACT_WORDS = 4096


def scores(query: Prepared, source: Prepared, here: Span, there: Span) -> Scores:
    """Return how alike two parts are, given in tokens.

    Costs at most a few milliseconds: spellings over `EXACT_CHARS` have no score of characters, and of parts with more
    than `EXACT_WORDS` words the common ones are counted.

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
        words=Levenshtein.normalized_similarity(our_words, their_words) if few else None,
        sorted_words=sorted_similarity(our_words, their_words),
    )


def sorted_similarity(ours: Sequence[int], theirs: Sequence[int]) -> float:
    """Return 1 minus the normalised Levenshtein distance of sorted words; with very many, the share in common."""
    if max(len(ours), len(theirs)) > EXACT_WORDS:
        return common_share(ours, theirs)
    return Levenshtein.normalized_similarity(sorted(ours), sorted(theirs))


def in_order(ours: Sequence[int], theirs: Sequence[int], least: float) -> bool:
    """Return whether words are alike in their order, too, at least by a similarity; of very many that is not asked.

    >>> in_order([1, 2, 3, 4], [4, 3, 2, 1], 0.5)
    False
    """
    few = max(len(ours), len(theirs)) <= EXACT_WORDS
    return not few or Levenshtein.normalized_similarity(ours, theirs, score_cutoff=least) >= least


def common_share(ours: Sequence[int], theirs: Sequence[int]) -> float:
    """Return the words in common, with their number, as a share of the longer side's.

    >>> common_share([1, 1, 2], [1, 3])
    0.3333333333333333
    """
    common = (Counter(ours) & Counter(theirs)).total()
    return common / max(1, len(ours), len(theirs))


def found_share(ours: Sequence[int], theirs: Sequence[int]) -> float:
    """Return the share of our words that are among theirs: what can be said of a summary.

    >>> found_share([1, 1, 2], [1, 3])
    0.6666666666666666
    """
    held = set(theirs)
    return sum(word in held for word in ours) / max(1, len(ours))
