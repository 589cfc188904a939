"""A query in units beside one document: alike units, the sentences that stand there, the stretches that they make."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import Levenshtein

from pmbf import kernels
from pmbf.base.span import Span, overlap
from pmbf.kernels import Units
from pmbf.sentences.report import Pair
from pmbf.sentences.verdict import Words, plain, shared_part, similarity, stands_in

TOUCHING_CHARS = 20
"""Two units with at most so many characters between them are one stretch: marks, the number of a note."""
AROUND_CHARS = 120
"""Characters on both sides of a document's unit in which a shared part may go on."""
EXACT_CHARS = 20_000
"""Similarity of longer stretches is the mean of their units'."""


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


class Asked:
    """A query in units: a unit begins at each of its sentences.

    Args:
        text: The query.
        units: Its units.
    """

    def __init__(self, text: str, units: Units) -> None:
        self.text = text
        self.units = units
        self.spans = [Span(*span) for span in self.units.spans.tolist()]
        self.sentences = [Span(*span) for span in self.units.sentences.tolist()]
        self._known_words: dict[int, Words] = {}

    @classmethod
    def of(cls, text: str, code: str) -> Asked:
        """Return a query in units with the keys of a code."""
        return cls(text, kernels.units(text.encode("utf-8"), code=code, from_each=True))

    def unit(self, number: int) -> str:
        """Return a unit as it is compared."""
        return self._units[number]

    @cached_property
    def _units(self) -> list[str]:
        return [plain(self.text[span.start : span.stop]) for span in self.spans]

    @cached_property
    def parts(self) -> list[list[tuple[int, str]]]:
        """Of each unit the numbers of its sentences, each with what of it stands in the unit, as it is compared."""
        found, stops = [], [sentence.stop for sentence in self.sentences]
        for span in self.spans:
            number, parts = bisect_right(stops, span.start), list[tuple[int, str]]()
            while number < len(self.sentences) and self.sentences[number].start < span.stop:
                sentence = self.sentences[number]
                parts.append(
                    (number, plain(self.text[max(sentence.start, span.start) : min(sentence.stop, span.stop)]))
                )
                number += 1
            found.append(parts)
        return found

    def alike(self, text: str, candidates: Iterable[tuple[int, Sequence[int], int]]) -> list[Alike]:
        """Return the units that are alike to a unit of a document, or share a part with one, each with the best one.

        Args:
            text: Of the document.
            candidates: Unit of the query, start and stop of a unit of the document, and the keys that both have.
        """
        best: dict[int, tuple[float, Alike]] = {}
        words: dict[int, Words] = {}
        for number, (start, stop), n_equal in candidates:
            found = self._whole(number, text, Span(start, stop), n_equal)
            if found is None:
                around = max(0, start - AROUND_CHARS)
                if start not in words:
                    words[start] = Words.of(text[around : stop + AROUND_CHARS])
                found = self._part(number, words[start], around, n_equal)
            if found and (score := found.similarity * len(found.query)) > best.get(number, (0.0, found))[0]:
                best[number] = score, found
        return [best[number][1] for number in sorted(best) if best[number][1].sentences]

    def _whole(self, number: int, text: str, source: Span, n_equal: int) -> Alike | None:
        """Return a unit with a unit of a document if they are alike as wholes."""
        unit = plain(text[source.start : source.stop])
        found = similarity(self.unit(number), unit)
        if not found:
            return None
        parts = self.parts[number]
        held = tuple(sentence for sentence, part in parts if len(parts) == 1 or stands_in(part, unit))
        return Alike(self.spans[number], source, round(found, 4), n_equal, held)

    def _part(self, number: int, source: Words, base: int, n_equal: int) -> Alike | None:
        """Return the part that a unit shares with a stretch of a document; `base` is where the stretch begins."""
        span = self.spans[number]
        shared = shared_part(self._words(number), source)
        if shared is None:
            return None
        ours, theirs, found = shared
        ours = Span(ours.start + span.start, ours.stop + span.start)
        held = tuple(sentence for sentence, _ in self.parts[number] if self._stands_mostly(sentence, ours, span))
        return Alike(ours, Span(theirs.start + base, theirs.stop + base), round(found, 4), n_equal, held)

    def _stands_mostly(self, sentence: int, part: Span, unit: Span) -> bool:
        """Return whether most of what a unit has of a sentence stands in a part."""
        whole = overlap(self.sentences[sentence], unit)
        return 2 * overlap(self.sentences[sentence], part) > whole

    def _words(self, number: int) -> Words:
        if number not in self._known_words:
            span = self.spans[number]
            self._known_words[number] = Words.of(self.text[span.start : span.stop])
        return self._known_words[number]

    def pairs(self, text: str, alike: Sequence[Alike]) -> list[Pair]:
        """Return the stretches that alike units make: units that touch in both texts are one."""
        stretches: list[list[Alike]] = []
        for one in sorted(alike, key=lambda one: (one.query.start, one.source.start)):
            if stretches and _touches(stretches[-1], one):
                stretches[-1].append(one)
            else:
                stretches.append([one])
        return [self._pair(text, some) for some in stretches]

    def _pair(self, text: str, units: Sequence[Alike]) -> Pair:
        query, source = _hull([one.query for one in units]), _hull([one.source for one in units])
        similar = sum(one.similarity * len(one.query) for one in units) / sum(len(one.query) for one in units)
        if len(units) > 1 and max(len(query), len(source)) <= EXACT_CHARS:
            ours, theirs = self.text[query.start : query.stop], text[source.start : source.stop]
            similar = max(similar, Levenshtein.normalized_similarity(plain(ours), plain(theirs)))
        return Pair(query, source, round(similar, 4))


def _touches(units: Sequence[Alike], following: Alike) -> bool:
    last, query, source = units[-1], following.query, following.source
    near = query.start - last.query.stop <= TOUCHING_CHARS and source.start - last.source.stop <= TOUCHING_CHARS
    return near and (source.start >= last.source.start or overlap(source, last.source) > 0)


def _hull(spans: Sequence[Span]) -> Span:
    return Span(min(span.start for span in spans), max(span.stop for span in spans))
