"""Plagdet of each side, and normalised plagdet: neither rewards a program that reports a whole source for a summary.

Plagdet counts the characters of both sides together. If a short text sums up a long source, then nearly all characters
are those of the source. So a program that reports whole documents scores well. Two measures mend this:

- recall and precision of *each side* alone;
- *normplagdet*: the overlap is measured on a scale from the least possible overlap to the most. Each side has a weight:
  (b − a)/d. On one side, c is the number of characters of a case, r of the detections that detect it, i of their
  overlap, d of the document; a = max(0, c + r − d) is the least overlap, b = min(c, r) the most:

      recall of a case = Σ over sides of (i − a)·(b − a)/d  /  Σ of (c − a)·(b − a)/d

  Precision is the same formula with cases and detections exchanged. A side with b = a has weight 0. If both sides have
  weight 0, then a detection of both whole documents is right, and any other detection is wrong.

Source:
    Belyy, Dubova & Nekrasov 2018, Improved Evaluation Framework for Complex Plagiarism Detection, sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from experiments.pan.plagdet import Annotation, Scores, by_document, common, granularity, overlaps, plagdet
from pmbf.base.span import union_length

Lengths = Mapping[str, int]
"""Characters of each document, by name."""


@dataclass(frozen=True, slots=True)
class Side:
    """Recall and precision of one side alone, as macro averages."""

    precision: float
    recall: float


def side(cases: Iterable[Annotation], detections: Iterable[Annotation], number: int) -> Side:
    """Return recall and precision of the suspicious side (0) or of the source's side (1).

    >>> case = Annotation("a", 0, 100, "b", 0, 1000)
    >>> side([case], [Annotation("a", 0, 50, "b", 0, 1000)], 0)
    Side(precision=1.0, recall=0.5)
    """
    some, found = set(cases), set(detections)
    return Side(_side_share(found, some, number), _side_share(some, found, number))


def normalised(cases: Iterable[Annotation], detections: Iterable[Annotation], lengths: Lengths) -> Scores:
    """Return the normalised scores, as macro averages.

    Args:
        cases: The truth.
        detections: The passages that were found.
        lengths: Characters of each document; a document that is missing here ends with its last annotation.
    """
    some, found = set(cases), set(detections)
    known = _ends(some | found) | dict(lengths)
    precision, recall = _normal_share(found, some, known), _normal_share(some, found, known)
    pieces = granularity(some, found)
    return Scores(precision, recall, pieces, plagdet(precision, recall, pieces))


def _side_share(those: Collection[Annotation], found: Collection[Annotation], number: int) -> float:
    if not those or not found:
        return float(not those and not found)
    near = by_document(found)
    shares = []
    for one in those:
        met = [common(one, other).spans[number] for other in near.get(one.suspicious, ()) if overlaps(one, other)]
        shares.append(union_length(met) / max(1, len(one.spans[number])))
    return sum(shares) / len(shares)


def _normal_share(those: Collection[Annotation], found: Collection[Annotation], lengths: Lengths) -> float:
    if not those or not found:
        return float(not those and not found)
    near = by_document(found)
    met = ([other for other in near.get(one.suspicious, ()) if overlaps(one, other)] for one in those)
    return sum(_normal_recall(one, others, lengths) for one, others in zip(those, met, strict=True)) / len(those)


def _normal_recall(one: Annotation, others: list[Annotation], lengths: Lengths) -> float:
    if not others:
        return 0.0
    reached, possible, all_found = 0.0, 0.0, True
    for number, document in enumerate((one.suspicious, one.source)):
        n_document = max(1, lengths.get(document, 0))
        n_case = len(one.spans[number])
        n_found = union_length(other.spans[number] for other in others)
        n_both = union_length(common(one, other).spans[number] for other in others)
        least, most = max(0, n_case + n_found - n_document), min(n_case, n_found)
        weight = (most - least) / n_document
        reached += (n_both - least) * weight
        possible += (n_case - least) * weight
        all_found &= n_found >= n_document
    return reached / possible if possible else float(all_found)


def _ends(annotations: Iterable[Annotation]) -> dict[str, int]:
    ends: dict[str, int] = {}
    for one in annotations:
        for document, span in zip((one.suspicious, one.source), one.spans, strict=True):
            ends[document] = max(ends.get(document, 0), span.stop)
    return ends
