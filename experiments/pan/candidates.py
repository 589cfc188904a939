"""How good a run of `pan retrieve` is before texts are compared: is a case's source among the candidates?

    CORPUS/silver_shared_runs.tsv    optional: the long runs of words that two documents share, annotated or not. Each
                                     line is a run, with tabs between its columns: susp, this_offset, this_length,
                                     source, source_offset, source_length, words, status (`annotated`,
                                     `listed-pair`, `unlisted-pair`)

Only listed pairs are annotated. But suspicious documents also hold real copies from other sources. A detection of such
a copy is right. The runs tell how many of these copies are found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.pan.annotations import Pair, document_name
from experiments.pan.corpus import Corpus
from experiments.pan.plagdet import Annotation, by_document, common, overlaps
from experiments.pan.retrieving import CANDIDATES
from measure import report
from pmbf.base.errors import ParameterError
from pmbf.base.span import union_length

SILVER = "silver_shared_runs.tsv"
CUTS = (1, 10, 100, 500)
"""Recall is given within this many candidates, best first."""

Ranks = Mapping[Pair, int]
"""The place of each candidate in its query's list, from 1."""


@dataclass(frozen=True, slots=True)
class Recall:
    """How many pairs have their source among the first candidates.

    Args:
        pairs: Number of pairs.
        within: Share of the pairs whose source is in the list: lists of each length in `CUTS`, then whole lists.
    """

    pairs: int
    within: tuple[float, ...]

    @classmethod
    def of(cls, pairs: Collection[Pair], ranks: Ranks) -> Recall:
        """Return the shares. They are 1 if there are no pairs."""
        places = [ranks[pair] for pair in pairs if pair in ranks]
        cuts = (*CUTS, max(places, default=0))
        return cls(len(pairs), tuple(sum(place <= cut for place in places) / max(1, len(pairs)) for cut in cuts))


@dataclass(frozen=True, slots=True)
class Runs:
    """Silver runs of one status.

    Args:
        runs: Number of runs.
        candidates: Share of the runs whose pair is among the candidates.
        found: Share of the runs that detections of the same pair overlap on both sides.
        covered: Share of the characters, on the suspicious side, that these detections cover.
    """

    runs: int
    candidates: Recall
    found: float
    covered: float


def ranks(folder: Path) -> dict[Pair, int]:
    """Return the candidates that `pan retrieve` wrote into a folder. Detections of another step have none."""
    places: dict[Pair, int] = {}
    for path in sorted(folder.glob(f"*{CANDIDATES}")):
        suspicious = document_name(path.name.removesuffix(CANDIDATES))
        for place, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            places.setdefault((suspicious, line.split("\t")[0]), place)
    return places


def recalls(corpus: Corpus, places: Ranks) -> dict[str, Recall]:
    """Return the recall of the pairs with a case: for each kind, then for all kinds together."""
    by_kind = {kind.name: Recall.of(_pairs(kind.cases), places) for kind in corpus.kinds if kind.cases}
    return by_kind | {"all": Recall.of(_pairs(corpus.cases), places)}


def silver(path: Path) -> dict[str, set[Annotation]]:
    """Return the shared runs of a file by their status.

    Raises:
        ParameterError: A line has other columns.
    """
    runs: defaultdict[str, set[Annotation]] = defaultdict(set)
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    for number, line in enumerate(lines[1:], 2):
        try:
            here, start, length, there, source_start, source_length, _, status = line.split("\t")
            spans = int(start), int(length), document_name(there), int(source_start), int(source_length)
        except ValueError as error:
            raise ParameterError(f"{path}, line {number}: {error}; expected eight columns: {lines[0]}") from None
        runs[status].add(Annotation(document_name(here), *spans))
    return dict(runs)


def runs_found(runs: Mapping[str, set[Annotation]], found: Iterable[Annotation], places: Ranks) -> dict[str, Runs]:
    """Return for each status which share of the runs is found."""
    near = by_document(found)
    results = {}
    for status, some in sorted(runs.items()):
        met = [[common(run, one) for one in near.get(run.suspicious, ()) if overlaps(run, one)] for run in some]
        covered = sum(union_length(part.spans[0] for part in parts) for parts in met)
        n_chars = sum(run.length for run in some)
        share = sum(map(bool, met)) / max(1, len(some))
        results[status] = Runs(len(some), Recall.of(_pairs(some), places), share, covered / max(1, n_chars))
    return results


def unlisted(runs: Mapping[str, set[Annotation]], others: Iterable[Annotation]) -> dict[str, int]:
    """Return the number of detections outside the listed pairs, and how many of these overlap a shared run."""
    near, some = by_document(set().union(*runs.values())), list(others)
    met = sum(any(overlaps(one, run) for run in near.get(one.suspicious, ())) for one in some)
    return {"detections": len(some), "on_shared_runs": met}


def unlisted_line(counts: Mapping[str, int]) -> str:
    """Return the numbers of `unlisted` as a sentence."""
    return (
        f"Of {counts['detections']} detections outside of the listed pairs, {counts['on_shared_runs']} lie on a run of "
        "words that both documents share."
    )


def table(by_kind: Mapping[str, Any], counts: Mapping[str, int]) -> str:
    """Return the recall of the candidates as a table in Markdown.

    Args:
        by_kind: Each kind's `Recall` as a dict.
        counts: `queries`, `candidates` of all queries, and `sources` in the collection.
    """
    mean = counts["candidates"] / max(1, counts["queries"])
    lines = [
        f"Recall of the candidates among {counts['sources']:,} sources: {mean:.1f} candidates a query, "
        f"{counts['queries']:,} queries.",
        "",
        *report.head(f"| pairs with a case | | {' | '.join(f'first {cut}' for cut in CUTS)} | all |"),
    ]
    for kind, one in by_kind.items():
        shares = " | ".join(f"{share:.4f}" for share in one["within"])
        lines.append(f"| {kind} | {one['pairs']} | {shares} |")
    return "\n".join(lines)


def runs_table(runs: Mapping[str, Any]) -> str:
    """Return the shared runs found, given the `Runs` of each status as a dict, as a table in Markdown."""
    lines = report.head("| shared runs | | among the candidates | found | characters covered |")
    for status, one in runs.items():
        shares = f"{one['candidates']['within'][-1]:.4f} | {one['found']:.4f} | {one['covered']:.4f}"
        lines.append(f"| {status} | {one['runs']} | {shares} |")
    return "\n".join(lines)


def _pairs(cases: Iterable[Annotation]) -> set[Pair]:
    return {(case.suspicious, case.source) for case in cases if case.source}
