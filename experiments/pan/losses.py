"""Where recall and precision of detections are lost, by cause, as shares of the whole.

The causes of a kind add up to what its macro recall and its macro precision lack.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.pan.annotations import Pair
from experiments.pan.corpus import Corpus
from experiments.pan.plagdet import Annotation, by_document, overlaps
from experiments.pan.scoring import of_kind
from measure import report
from pmbf.base.span import Span, union_length

SHORT_CHARS = 300
"""A case under 300 characters is some three sentences; of these most are missed."""

CAUSES = {
    "no_candidate": "not a candidate",
    "missed_short": f"missed, under {SHORT_CHARS} characters",
    "missed_long": "missed, longer",
    "query": "part of the query",
    "source": "part of the source",
}
"""Why recall is lost: of a whole case, then of a case that is found in part."""

FALSE = {"no_case": "no case", "query": "beyond the case, query", "source": "beyond the case, source"}
"""Why precision is lost: a detection meets no case, or reaches beyond the case."""

SIDES = "query", "source"
"""The causes that lie in each side of an annotation."""


@dataclass(frozen=True, slots=True)
class Losses:
    """What the recall and the precision of some detections lack, by cause.

    Args:
        recall: Share of the characters of cases, by `CAUSES`; each case has the same weight.
        precision: Share of the characters of detections, by `FALSE`; each detection has the same weight.
        split: Cases with more than one detection.
    """

    recall: Mapping[str, float]
    precision: Mapping[str, float]
    split: int

    @classmethod
    def of(
        cls, cases: Collection[Annotation], found: Iterable[Annotation], candidates: Collection[Pair] | None = None
    ) -> Losses:
        """Return what some detections lack.

        Args:
            cases: The truth.
            found: The detections.
            candidates: Pairs that were compared; None if all were.
        """
        detections = set(found)
        near, true = by_document(detections), by_document(cases)
        lost, beyond, split = Counter[str](), Counter[str](), 0
        for case in cases:
            met = [one for one in near.get(case.suspicious, ()) if overlaps(case, one)]
            split += len(met) > 1
            lost.update(_outside(case, met) if met else {_why_missed(case, candidates): 1.0})
        for one in detections:
            met = [case for case in true.get(one.suspicious, ()) if overlaps(case, one)]
            beyond.update(_outside(one, met) if met else {"no_case": 1.0})
        return cls(_shares(lost, CAUSES, len(cases)), _shares(beyond, FALSE, len(detections)), split)


def losses(corpus: Corpus, found: Collection[Annotation], candidates: Collection[Pair]) -> dict[str, Losses]:
    """Return what the detections of each kind with a case lack.

    Args:
        corpus: The truth.
        found: Detections that count.
        candidates: Pairs that were compared; empty if all were.
    """
    compared = candidates or None
    return {kind.name: Losses.of(kind.cases, of_kind(kind, found), compared) for kind in corpus.kinds if kind.cases}


def table(by_step: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the losses of some steps beside each other in hundredths, as a table in Markdown.

    Args:
        by_step: By the name of the step, its figures of each kind: `Losses` as JSON.
    """
    titles = [*(f"recall: {title}" for title in CAUSES.values()), *(f"precision: {title}" for title in FALSE.values())]
    lines = report.head("| pairs | step | " + " | ".join(titles) + " | cases split |")
    for kind in next(iter(by_step.values())):
        for step, kinds in by_step.items():
            one = kinds[kind]
            shares = [one["recall"][cause] for cause in CAUSES] + [one["precision"][cause] for cause in FALSE]
            cells = " | ".join(f"{100 * share:.2f}" for share in shares)
            lines.append(f"| {kind} | {step} | {cells} | {one['split']} |")
    return "\n".join(lines)


def _why_missed(case: Annotation, candidates: Collection[Pair] | None) -> str:
    if candidates is not None and (case.suspicious, case.source) not in candidates:
        return "no_candidate"
    return "missed_short" if case.length < SHORT_CHARS else "missed_long"


def _outside(one: Annotation, others: Sequence[Annotation]) -> dict[str, float]:
    """Return which part of an annotation lies outside of others, on each side, as a share of both sides together."""
    sides = [(name, one.spans[side], [other.spans[side] for other in others]) for side, name in enumerate(SIDES)]
    return {name: (len(span) - _covered(span, spans)) / one.n_chars for name, span, spans in sides}


def _covered(span: Span, others: Iterable[Span]) -> int:
    cut = (Span(max(span.start, one.start), min(span.stop, one.stop)) for one in others)
    return union_length(one for one in cut if one.start < one.stop)


def _shares(sums: Mapping[str, float], causes: Iterable[str], n: int) -> dict[str, float]:
    return {cause: sums[cause] / max(1, n) for cause in causes}
