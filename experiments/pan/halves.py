"""The scores of both halves of a corpus. Settings were chosen on the first half; the second half was not used for it.

Suspicious documents with even numbers are in the half `first`, those with odd numbers in `second`. A pair is in the
half of its suspicious document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from experiments.pan.candidates import Ranks, recalls
from experiments.pan.corpus import Corpus, Kind
from experiments.pan.normplagdet import Lengths
from experiments.pan.plagdet import Annotation
from experiments.pan.scoring import plain, results
from measure import report
from measure.corpora import HALVES, half_of

NUMBERS = {"first": "even numbers", "second": "odd numbers"}


def half(corpus: Corpus, name: str) -> Corpus:
    """Return the part of a corpus whose suspicious documents are in one half; all sources stay."""
    pairs = corpus.pairs
    return replace(
        corpus,
        suspicious={one: path for one, path in corpus.suspicious.items() if half_of(one) == name},
        kinds=tuple(_kind(kind, name) for kind in corpus.kinds),
        pairs=None if pairs is None else frozenset(pair for pair in pairs if half_of(pair[0]) == name),
    )


def scores(corpus: Corpus, found: Iterable[Annotation], lengths: Lengths, places: Ranks) -> dict[str, Any]:
    """Return for each half the documents found; for each kind its cases, scores and recall of candidates.

    Args:
        corpus: The truth.
        found: Detections that count.
        lengths: Lengths of the documents, in characters.
        places: The candidates; empty if nothing was screened.
    """
    counted, figures = list(found), {}
    for name in HALVES:
        part = half(corpus, name)
        some = results(part, [one for one in counted if half_of(one.suspicious) == name], lengths)
        figures[name] = {
            "suspicious": len(part.suspicious),
            "scores": {kind: {"cases": one.cases, **plain(one.macro)} for kind, one in some.items()},
        }
        if places:
            recall = recalls(part, places)
            figures[name]["recall"] = {
                kind: {"pairs": one.pairs, "recall": one.within[-1]} for kind, one in recall.items()
            }
    return figures


def table(figures: Mapping[str, Any]) -> str:
    """Return the halves beside each other as a table in Markdown."""
    has_recall = all("recall" in one for one in figures.values())
    titles = "| kind | half | cases | precision | recall | granularity | plagdet |"
    lines = report.head(titles + " its candidates |" * has_recall)
    kinds = [
        kind for kind in next(iter(figures.values()))["scores"] if any(_cases(one, kind) for one in figures.values())
    ]
    for kind in kinds:
        for name, one in figures.items():
            some = one["scores"][kind]
            cells = " | ".join(f"{some[part]:.4f}" for part in ("precision", "recall", "granularity", "plagdet"))
            recall = one.get("recall", {}).get(kind)
            more = (f" {recall['recall']:.4f} |" if recall else " |") if has_recall else ""
            lines.append(f"| {kind} | {NUMBERS[name]} | {some['cases']} | {cells} |{more}")
    return "\n".join(lines)


def _cases(one: Mapping[str, Any], kind: str) -> int:
    return int(one["scores"][kind]["cases"])


def _kind(kind: Kind, name: str) -> Kind:
    pairs = kind.pairs
    return replace(
        kind,
        cases=frozenset(case for case in kind.cases if half_of(case.suspicious) == name),
        pairs=None if pairs is None else frozenset(pair for pair in pairs if half_of(pair[0]) == name),
    )
