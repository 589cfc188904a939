"""A query in units beside one document: alike units, the sentences that stand there, the stretches that they make.

Are two units the same but for edits, or do they share a part that is? Levenshtein similarity decides.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq, Levenshtein, Opcodes

from pmbf import kernels
from pmbf.base.span import Span, overlap
from pmbf.kernels import Units
from pmbf.sentences.report import StretchPair

TOUCHING_CHARS = 20
"""Two units with at most so many characters between them are one stretch: marks, the number of a note."""
AROUND_CHARS = 120
"""Characters on both sides of a document's unit in which a shared part may go on."""
EXACT_CHARS = 20_000
"""Similarity of longer stretches is the mean of their units'."""
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

UnitPair = tuple[int, Sequence[int], int]
"""A unit of the query, start and stop of a unit of a document, and the keys that both have."""


@dataclass(frozen=True, slots=True)
class Alike:
    """A unit of the query and a unit of a document that are alike.

    Args:
        query, source: Where both stand.
        similarity: 0 to 1.
        n_equal: Keys that both have.
        sentences: The sentences of the query that stand in the document's unit, by number.
    """

    query: Span
    source: Span
    similarity: float
    n_equal: int
    sentences: tuple[int, ...]


class QueryUnits:
    """A query in units: a unit begins at each of its sentences."""

    def __init__(self, text: str, units: Units) -> None:
        self.text = text
        self.units = units
        self.spans = [Span(*span) for span in self.units.spans.tolist()]
        self.sentences = [Span(*span) for span in self.units.sentences.tolist()]
        self._known_words: dict[int, PlacedWords] = {}

    @classmethod
    def of(cls, text: str, code: str) -> QueryUnits:
        """Return a query in units with the keys of a code."""
        return cls(text, kernels.units(text.encode("utf-8"), code=code, from_each=True))

    @cached_property
    def plain_units(self) -> list[str]:
        """The units as they are compared."""
        return [plain(self.text[span.start : span.stop]) for span in self.spans]

    @cached_property
    def parts(self) -> list[list[tuple[int, str]]]:
        """Of each unit the numbers of its sentences, each with what of it stands in the unit, as it is compared."""
        found, stops = [], [sentence.stop for sentence in self.sentences]
        for span in self.spans:
            number, parts = bisect_right(stops, span.start), list[tuple[int, str]]()
            while number < len(self.sentences) and self.sentences[number].start < span.stop:
                start, stop = max(self.sentences[number].start, span.start), min(self.sentences[number].stop, span.stop)
                parts.append((number, plain(self.text[start:stop])))
                number += 1
            found.append(parts)
        return found

    def alike(self, text: str, candidates: Sequence[UnitPair]) -> list[Alike]:
        """Return the units that are alike to a unit of a document, or share a part with one, each with the best one."""
        best: dict[int, tuple[float, Alike]] = {}
        words: dict[int, PlacedWords] = {}
        for number, (start, stop), n_equal in candidates:
            found = self._whole(number, text, Span(start, stop), n_equal)
            if found is None:
                around = max(0, start - AROUND_CHARS)
                if start not in words:
                    words[start] = PlacedWords.of(text[around : stop + AROUND_CHARS])
                found = self._part(number, words[start], around, n_equal)
            if found and (score := found.similarity * len(found.query)) > best.get(number, (0.0, found))[0]:
                best[number] = score, found
        return [best[number][1] for number in sorted(best) if best[number][1].sentences]

    def _whole(self, number: int, text: str, source: Span, n_equal: int) -> Alike | None:
        """Return a unit with a unit of a document if they are alike as wholes."""
        unit = plain(text[source.start : source.stop])
        found = similarity(self.plain_units[number], unit)
        if not found:
            return None
        parts = self.parts[number]
        held = tuple(sentence for sentence, part in parts if len(parts) == 1 or stands_in(part, unit))
        return Alike(self.spans[number], source, round(found, 4), n_equal, held)

    def _part(self, number: int, source: PlacedWords, base: int, n_equal: int) -> Alike | None:
        """Return the part that a unit shares with a stretch of a document; `base` is where the stretch begins."""
        span = self.spans[number]
        shared = shared_part(self._words(number), source)
        if shared is None:
            return None
        ours, theirs, found = shared
        ours = Span(ours.start + span.start, ours.stop + span.start)
        its = [(sentence, self.sentences[sentence]) for sentence, _ in self.parts[number]]
        held = tuple(sentence for sentence, where in its if 2 * overlap(where, ours) > overlap(where, span))  # mostly
        return Alike(ours, Span(theirs.start + base, theirs.stop + base), round(found, 4), n_equal, held)

    def _words(self, number: int) -> PlacedWords:
        if number not in self._known_words:
            span = self.spans[number]
            self._known_words[number] = PlacedWords.of(self.text[span.start : span.stop])
        return self._known_words[number]

    def pairs(self, text: str, alike: Sequence[Alike]) -> list[StretchPair]:
        """Return the stretches that alike units make: units that touch in both texts are one."""
        stretches: list[list[Alike]] = []
        for one in sorted(alike, key=lambda one: (one.query.start, one.source.start)):
            if stretches and _touches(stretches[-1], one):
                stretches[-1].append(one)
            else:
                stretches.append([one])
        return [self._pair(text, some) for some in stretches]

    def _pair(self, text: str, units: Sequence[Alike]) -> StretchPair:
        query, source = _hull([one.query for one in units]), _hull([one.source for one in units])
        similar = sum(one.similarity * len(one.query) for one in units) / sum(len(one.query) for one in units)
        if len(units) > 1 and max(len(query), len(source)) <= EXACT_CHARS:
            ours, theirs = self.text[query.start : query.stop], text[source.start : source.stop]
            similar = max(similar, Levenshtein.normalized_similarity(plain(ours), plain(theirs)))
        return StretchPair(query, source, round(similar, 4))


def _touches(units: Sequence[Alike], following: Alike) -> bool:
    last, query, source = units[-1], following.query, following.source
    near = query.start - last.query.stop <= TOUCHING_CHARS and source.start - last.source.stop <= TOUCHING_CHARS
    return near and (source.start >= last.source.start or overlap(source, last.source) > 0)


def _hull(spans: Sequence[Span]) -> Span:
    return Span(min(span.start for span in spans), max(span.stop for span in spans))


# ---------------------------------------------------------------------- two units


class PlacedWords(NamedTuple):
    """A text with the hash of each word, or letter in scripts written without spaces, and where each stands."""

    text: str
    hashes: list[int]
    starts: list[int]
    stops: list[int]

    @classmethod
    def of(cls, text: str) -> PlacedWords:
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


def shared_part(one: PlacedWords, other: PlacedWords) -> tuple[Span, Span, float] | None:
    """Return the part that two texts share, on both sides, and its similarity; None if they share none.

    The longest common sequence of words says what may be shared. Of it the stretch counts in which most words are
    common.

    >>> tides = "Nobody knows why the sea comes in twice a day and goes out again to the reef"
    >>> moon = "He said the sea comes in twice each day and goes out again to the rocks"
    >>> query, source, alike = shared_part(PlacedWords.of(tides), PlacedWords.of(moon))
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
