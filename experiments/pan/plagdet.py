"""Precision, recall, granularity and plagdet of detected passages, as the PAN competitions define them.

A detection detects a case if they share at least one character of the suspicious document. If both name a source, then
they must share a character of the same source, too. S are the cases, R the detections; |x| are the characters of x on
both sides together:

    precision = 1/|R| · Σ over R of |the part of r inside cases that r detects| / |r|
    recall    = 1/|S| · Σ over S of |the part of s inside detections of s| / |s|
    granularity = detections per detected case, at least 1
    plagdet = F1(precision, recall) / log2(1 + granularity)

*Macro* averages are taken over passages: a detection of 30 characters weighs as much as a detection of 30,000. *Micro*
averages are taken over characters: each character of a document counts once.

Source:
    Potthast, Stein, Barrón-Cedeño & Rosso 2010, An Evaluation Framework for Plagiarism Detection, section 3; edge cases
    as in the measures published with the PAN corpora, version 1.3 of 2009.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pmbf.base.span import union_length
from pmbf.report import Span


class Annotation(NamedTuple):
    """A passage of a suspicious document with its source: a case of the truth, or a detection.

    `source` is empty if no source is named (intrinsic detection). Then only the suspicious sides are compared.
    """

    suspicious: str
    start: int
    length: int
    source: str = ""
    source_start: int = 0
    source_length: int = 0

    @property
    def n_chars(self) -> int:
        """Characters on both sides together."""
        return self.length + self.source_length

    @property
    def spans(self) -> tuple[Span, Span]:
        """The characters in the suspicious document and in the source."""
        here, there = self.start, self.source_start
        return Span(here, here + self.length), Span(there, there + self.source_length)


@dataclass(frozen=True, slots=True)
class Scores:
    """The four measures of some detections. Precision, recall and plagdet are from 0 to 1.

    Args:
        precision: Share of the detected characters that lie in a case.
        recall: Share of the characters of the cases that was detected.
        granularity: Detections per detected case, at least 1.
        plagdet: The three measures before, as one number.
    """

    precision: float
    recall: float
    granularity: float
    plagdet: float


def macro(cases: Iterable[Annotation], detections: Iterable[Annotation]) -> Scores:
    """Return the scores in which every passage has the same weight. Equal passages count once.

    >>> case = Annotation("a", 0, 100, "b", 0, 100)
    >>> macro([case], [Annotation("a", 0, 50, "b", 0, 50), Annotation("a", 60, 40, "b", 60, 40)])
    Scores(precision=1.0, recall=0.9, granularity=2.0, plagdet=0.5977229244361176)
    """
    return _scores(set(cases), set(detections), _macro_share)


def micro(cases: Iterable[Annotation], detections: Iterable[Annotation]) -> Scores:
    """Return the scores in which every character of a document has the same weight; each counts once a side."""
    return _scores(set(cases), set(detections), _micro_share)


def plagdet(precision: float, recall: float, granularity: float) -> float:
    """Return plagdet of three measures; 0 if their values are not possible.

    >>> plagdet(1.0, 1.0, 1.0), plagdet(0.0, 0.0, 1.0)
    (1.0, 0.0)
    """
    if min(precision, recall) < 0 or precision + recall == 0 or granularity < 1:
        return 0.0
    return 2 * precision * recall / (precision + recall) / math.log2(1 + granularity)


def granularity(cases: Collection[Annotation], detections: Collection[Annotation]) -> float:
    """Return the detections per detected case; 1 if no case is detected."""
    near = by_document(detections)
    counts = [sum(overlaps(case, other) for other in near.get(case.suspicious, ())) for case in cases]
    detected = [count for count in counts if count]
    return sum(detected) / len(detected) if detected else 1.0


def overlaps(one: Annotation, other: Annotation) -> bool:
    """Return whether two annotations share a character on both sides; if either names no source, on one side."""
    if one.suspicious != other.suspicious or not _meet(one.spans[0], other.spans[0]):
        return False
    return not (one.source and other.source) or (one.source == other.source and _meet(one.spans[1], other.spans[1]))


Share = Callable[[Collection[Annotation], Collection[Annotation]], float]


def _scores(cases: set[Annotation], detections: set[Annotation], share: Share) -> Scores:
    precision, recall = share(detections, cases), share(cases, detections)
    pieces = granularity(cases, detections)
    return Scores(precision, recall, pieces, plagdet(precision, recall, pieces))


def _macro_share(those: Collection[Annotation], found: Collection[Annotation]) -> float:
    """Return the mean share of each of `those` that lies inside the annotations `found`."""
    if not those or not found:
        return float(not those and not found)
    near = by_document(found)
    return sum(_covered_share(one, near.get(one.suspicious, ())) for one in those) / len(those)


def _micro_share(those: Collection[Annotation], found: Collection[Annotation]) -> float:
    if not those or not found:
        return float(not those and not found)
    near = by_document(found)
    met = [common(one, other) for one in those for other in near.get(one.suspicious, ()) if overlaps(one, other)]
    n_chars = _characters(those)
    return _characters(met) / n_chars if n_chars else 0.0


def _covered_share(one: Annotation, others: Collection[Annotation]) -> float:
    met = [common(one, other).spans for other in others if overlaps(one, other)]
    covered = union_length(here for here, _ in met) + union_length(there for _, there in met)
    return covered / one.n_chars if one.n_chars else 0.0


def common(one: Annotation, other: Annotation) -> Annotation:
    """Return the part of one annotation that another covers; without the source's side, if either names no source."""
    here = _cut(one.spans[0], other.spans[0])
    there = _cut(one.spans[1], other.spans[1]) if one.source and other.source else Span(0, 0)
    return Annotation(one.suspicious, here.start, len(here), one.source, there.start, len(there))


def _characters(annotations: Iterable[Annotation]) -> int:
    spans: defaultdict[tuple[int, str], list[Span]] = defaultdict(list)
    for one in annotations:
        here, there = one.spans
        spans[0, one.suspicious].append(here)
        spans[1, one.source].append(there)
    return sum(map(union_length, spans.values()))


def by_document(annotations: Iterable[Annotation]) -> Mapping[str, list[Annotation]]:
    """Return the annotations of each suspicious document."""
    near: defaultdict[str, list[Annotation]] = defaultdict(list)
    for one in annotations:
        near[one.suspicious].append(one)
    return near


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.stop and other.start < one.stop


def _cut(one: Span, other: Span) -> Span:
    start = max(one.start, other.start)
    return Span(start, max(start, min(one.stop, other.stop)))
