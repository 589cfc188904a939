"""`pan score`: detections against the cases, for each kind of obfuscation and for all kinds together.

If the corpus lists pairs, then only detections in listed pairs count, as in PAN 2014. A kind is then scored on its
pairs. If the corpus lists no pairs, then all detections count. A kind then has the detections that detect one of its
cases. So its precision says how well these detections fit; false detections lower the precision of `all` alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments.pan.annotations import detections_in, file_name
from experiments.pan.corpus import Corpus, Kind
from experiments.pan.normplagdet import Lengths, Side, normalised, side
from experiments.pan.plagdet import Annotation, Scores, by_document, macro, micro, overlaps
from measure import report
from measure.corpora import read
from pmbf.base.errors import NotFoundError

ALL = "all"
Annotations = Collection[Annotation]


@dataclass(frozen=True, slots=True)
class Documents:
    """Source retrieval: how many pairs have a case, how many have a detection, how many have both.

    Args:
        cases: Pairs with a case.
        found: Pairs with a detection.
        right: Pairs with a case and a detection.
    """

    cases: int
    found: int
    right: int
    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, cases: Annotations, found: Annotations) -> Documents:
        """Return the measures. Without cases and detections all are 1; without one of the two all are 0."""
        wanted, had = ({(one.suspicious, one.source) for one in some} for some in (cases, found))
        right = len(wanted & had)
        if not wanted or not had:
            nothing = float(not wanted and not had)
            return cls(len(wanted), len(had), right, nothing, nothing, nothing)
        f1 = 2 * right / (len(wanted) + len(had))
        return cls(len(wanted), len(had), right, right / len(had), right / len(wanted), f1)


@dataclass(frozen=True, slots=True)
class Result:
    """The scores of some detections, and the number of detections.

    Args:
        macro: Official averages over cases and detections.
        micro: Averages over characters.
        normalised: Normplagdet, macro averages.
        suspicious, source: Each side alone.
        documents: Pairs found.
    """

    cases: int
    detections: int
    macro: Scores
    micro: Scores
    normalised: Scores
    suspicious: Side
    source: Side
    documents: Documents

    @classmethod
    def of(cls, cases: Annotations, found: Annotations, lengths: Lengths) -> Result:
        """Return the scores of the detections found."""
        return cls(
            len(cases),
            len(found),
            macro(cases, found),
            micro(cases, found),
            normalised(cases, found, lengths),
            side(cases, found, 0),
            side(cases, found, 1),
            Documents.of(cases, found),
        )


@dataclass(frozen=True, slots=True)
class Detections:
    """The detections of a folder.

    Args:
        all: Every detection; equal detections once.
        problems: A sentence for each file that cannot be read, and for each odd annotation.
    """

    all: frozenset[Annotation]
    problems: tuple[str, ...]

    @classmethod
    def at(cls, folder: Path) -> Detections:
        """Return the detections in a folder and the folders inside. A file holds those of a pair or of a document.

        Raises:
            NotFoundError: The path is no folder, or holds no XML file.
        """
        if not folder.is_dir():
            raise NotFoundError(f"{folder}: is no folder of detections")
        paths = sorted([*folder.glob("*.xml"), *folder.glob("*/*.xml")])
        if not paths:
            raise NotFoundError(f"{folder}: holds no XML files; `pan align` and `pan retrieve` write them")
        found: set[Annotation] = set()
        problems: list[str] = []
        for path in paths:
            found.update(detections_in(path, problems))
        return cls(frozenset(found), tuple(problems))

    def within(self, corpus: Corpus) -> tuple[Annotation, ...]:
        """Return the detections that count: if the corpus lists pairs, then those in listed pairs; otherwise all."""
        pairs = corpus.pairs
        return tuple(one for one in self.all if pairs is None or (one.suspicious, one.source) in pairs)


def results(corpus: Corpus, found: Annotations, lengths: Lengths) -> dict[str, Result]:
    """Return the scores of each kind; the scores of all kinds together are last."""
    kinds = {kind.name: Result.of(kind.cases, of_kind(kind, found), lengths) for kind in corpus.kinds}
    return kinds | {ALL: Result.of(corpus.cases, found, lengths)}


def plain(scores: Scores) -> dict[str, float]:
    """Return the four scores by name, ready for JSON."""
    return {name: getattr(scores, name) for name in ("precision", "recall", "granularity", "plagdet")}


def of_kind(kind: Kind, found: Annotations) -> list[Annotation]:
    """Return the detections that a kind is scored with. The module's docstring has the rule."""
    if kind.pairs is not None:
        return [one for one in found if (one.suspicious, one.source) in kind.pairs]
    near = by_document(kind.cases)
    return [one for one in found if any(overlaps(one, case) for case in near.get(one.suspicious, ()))]


def lengths(corpus: Corpus, annotations: Iterable[Annotation]) -> dict[str, int]:
    """Return the length in characters of each document that some annotations name."""
    names = {name for one in annotations for name in (one.suspicious, one.source)}
    paths = {**corpus.sources, **corpus.suspicious}
    return {name: len(read(paths[name])) for name in sorted(names & paths.keys())}


def within_texts(corpus: Corpus, known: Lengths) -> Corpus:
    """Return the corpus with the cases cut at the end of their text, and a problem for each such case.

    A case that begins behind the end of its text is left out. A case of a missing text stays.
    """
    cut = {case: _cut(case, known) for case in corpus.cases}
    n_cut, n_gone = sum(new not in (case, None) for case, new in cut.items()), sum(new is None for new in cut.values())
    kinds = tuple(replace(kind, cases=frozenset(filter(None, map(cut.get, kind.cases)))) for kind in corpus.kinds)
    told = (
        (n_cut, "reach past the end of their text: cut there"),
        (n_gone, "lie behind the end of their text: left out"),
    )
    problems = tuple(f"{count} of {len(cut)} cases {what}" for count, what in told if count)
    return replace(corpus, kinds=kinds, problems=(*corpus.problems, *problems))


def _cut(case: Annotation, known: Lengths) -> Annotation | None:
    """Return the part of a case that lies inside its texts."""
    length = min(case.length, known.get(case.suspicious, case.spans[0].stop) - case.start)
    source_length = min(case.source_length, known.get(case.source, case.spans[1].stop) - case.source_start)
    if length <= 0 or (case.source and source_length <= 0):
        return None
    return case._replace(length=length, source_length=source_length)


def unfinished(corpus: Corpus, folder: Path, run: Mapping[str, Any]) -> Iterator[str]:
    """Yield a problem if a run of pmbf is not finished, by the parameters in its `run.json`."""
    if run.get("step") == "align":
        noted, what = run["n_pairs"], "pairs"
        wanted = [file_name(pair) for pair in corpus.aligned_pairs(every=run["every"])]
    elif run.get("step") == "retrieve":
        noted, what = run["n_suspicious"], "suspicious documents"
        wanted = [name.removesuffix(".txt") + ".xml" for name in corpus.suspicious]
    else:
        return
    if noted != len(wanted):
        yield f"{folder}: is of a run on {noted} {what}, the corpus has {len(wanted)}: it is another, or has changed"
    if missing := [name for name in wanted if not (folder / name).exists()]:
        yield (
            f"{folder}: {len(missing)} of {len(wanted)} {what} have no file, {missing[0]} for one; the scores are "
            f"those of an unfinished run: the same `pan {run['step']}` again does what is missing"
        )


def oddities(found: Annotations, known: Lengths) -> Iterator[str]:
    """Yield a problem for odd detections. They are scored all the same, as PAN's script does."""
    strangers = sum(not known.keys() >= {one.suspicious, one.source} - {""} for one in found)
    outside = sum(
        span.stop > known.get(name, span.stop)
        for one in found
        for name, span in zip((one.suspicious, one.source), one.spans, strict=True)
    )
    for count, what in (
        (strangers, "name a document that is not in the corpus"),
        (outside, "reach past the end of their text"),
    ):
        if count:
            yield f"{count} of {len(found)} detections {what}; they count as PAN's script counts them"


def table(some: Mapping[str, Any]) -> str:
    """Return a table in Markdown of each kind's `Result`, given as a dict; macro averages first."""
    lines = report.head(
        "| pairs | cases | found | precision | recall | granularity | plagdet | micro plagdet | normplagdet "
        "| sources: precision | recall | F1 |"
    )
    for kind, one in some.items():
        official, documents = one["macro"], one["documents"]
        scores = [official[part] for part in ("precision", "recall", "granularity", "plagdet")]
        scores += [one["micro"]["plagdet"], one["normalised"]["plagdet"]]
        scores += [documents[part] for part in ("precision", "recall", "f1")]
        cells = " | ".join(f"{score:.4f}" for score in scores)
        lines.append(f"| {kind} | {one['cases']} | {one['detections']} | {cells} |")
    return "\n".join(lines)
