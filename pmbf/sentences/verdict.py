"""Are two units the same but for edits, or do they share a part that is? Levenshtein similarity decides."""

from __future__ import annotations

from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq, Levenshtein, Opcodes

from pmbf import kernels
from pmbf.base.span import Span

LEAST_SIMILARITY = 0.60
"""Of two units, or of the part that they share. Chance pairs of English units have .2 to .3, seldom more than .4."""
LEAST_PART = 50
"""Columns of a part on either side: some ten words."""
LEAST_SENTENCE = 0.65
"""Of a sentence and the most similar part of an alike unit."""
LEAST_OF_SHORT = 0.85
"""The same for a sentence under 40 characters: some part of any text is a little like it."""
SHORT_CHARS = 40
_UNMATCHED = 0.5
"""What a word without an equal one on the other side takes from the score of a part; a word with one adds 1."""


class Words(NamedTuple):
    """A text with its words.

    Args:
        text: The text.
        hashes: Of each word, or letter in scripts written without spaces.
        starts, stops: Where each word stands.
    """

    text: str
    hashes: list[int]
    starts: list[int]
    stops: list[int]

    @classmethod
    def of(cls, text: str) -> Words:
        """Return a text with its words."""
        tokens = kernels.tokenise(text.encode("utf-8"))
        return cls(text, tokens.hashes.tolist(), tokens.starts.tolist(), tokens.stops.tolist())

    def part(self, first: int, stop: int) -> Span:
        """Return where the words `[first, stop)` stand; at least one."""
        return Span(self.starts[first], self.stops[stop - 1])


def plain(text: str) -> str:
    """Return a text as it is compared: lower case, and one space where there is white space.

    >>> plain("The  SEA\\ncomes in")
    'the sea comes in'
    """
    return " ".join(text.lower().split())


def similarity(one: str, other: str) -> float:
    """Return the similarity of two plain texts if it is enough, else 0.

    >>> similarity("the sea comes in twice a day", "the sea goes in twice a day"), similarity("the sea", "no wonder")
    (0.9285714285714286, 0.0)
    """
    return float(Levenshtein.normalized_similarity(one, other, score_cutoff=LEAST_SIMILARITY))


def shared_part(one: Words, other: Words) -> tuple[Span, Span, float] | None:
    """Return the part that two texts share, on both sides, and its similarity; None if they share none.

    The longest common sequence of words says what may be shared. Of it the stretch counts in which most words are
    common.

    >>> tides = "Nobody knows why the sea comes in twice a day and goes out again to the reef"
    >>> moon = "He said the sea comes in twice each day and goes out again to the rocks"
    >>> query, source, alike = shared_part(Words.of(tides), Words.of(moon))
    >>> tides[query.start : query.stop]
    'the sea comes in twice a day and goes out again to the'
    """
    best = _densest(LCSseq.opcodes(one.hashes, other.hashes))
    if best is None:
        return None
    ours, theirs = one.part(*best[0]), other.part(*best[1])
    sides = one.text[ours.start : ours.stop], other.text[theirs.start : theirs.stop]
    if min(map(columns, sides)) < LEAST_PART:
        return None
    alike = similarity(*map(plain, sides))
    return (ours, theirs, alike) if alike else None


def _densest(steps: Opcodes) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return the words of the stretch with the highest score, on both sides."""
    best, score, begin, found = 0.0, 0.0, None, None
    for step in steps:
        if step.tag == "equal":
            if score <= 0:
                score, begin = 0.0, (step.src_start, step.dest_start)
            score += step.src_end - step.src_start
            if score > best and begin:
                best, found = score, ((begin[0], step.src_end), (begin[1], step.dest_end))
        else:
            score -= _UNMATCHED * (step.src_end - step.src_start + step.dest_end - step.dest_start)
    return found


def columns(text: str) -> int:
    """Return how wide a text is: as units are measured, with 3 for a letter of Han.

    >>> columns("tide"), columns("潮水")
    (4, 6)
    """
    return len(text) if text.isascii() else sum(3 if "\u3400" <= letter < "\ua000" else 1 for letter in text)


def stands_in(sentence: str, unit: str) -> bool:
    """Return whether a plain unit holds a plain sentence, but for edits.

    >>> stands_in("the sea comes in", "nobody knows. the sea comes in twice a day."), stands_in("why not?", "of a day.")
    (True, False)
    """
    least = LEAST_SENTENCE if len(sentence) >= SHORT_CHARS else LEAST_OF_SHORT
    return bool(fuzz.partial_ratio(sentence, unit, score_cutoff=100 * least))
