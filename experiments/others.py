"""Other corpora: other languages and scripts, answers of students, editions, old codes of law with OCR noise.

- clough_stevenson: 95 answers on 5 articles. Their authors were told to copy (cut), to edit (light, heavy) or to write
  their own text (non). Found: a passage from the right article; coverage: the share of the answer in it.
- ru_editions, zh_subset, civil_codes: documents with a list of pairs and their containment, which others measured from
  runs of words or letters. Each document is screened against all. Found: the pair is a match; coverage: of the query.
  A pair that is found but not listed may be right or wrong; the figures say how many such pairs share a run of words.
- indonesian_pan: scored as in PAN, by `pan align` on each pair, and by `pan retrieve`.

Source:
    Clough & Stevenson 2011, Developing a corpus of plagiarised short answers.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from statistics import fmean
from typing import Any

from experiments.alignment import runs_of
from experiments.pan import scoring
from experiments.pan.aligning import align
from experiments.pan.corpus import Corpus
from experiments.pan.retrieving import retrieve
from measure import report
from measure.commands import add_numbers
from measure.corpora import read
from pmbf.collection import Collection
from pmbf.verify import prepare

Figures = dict[str, Any]
Pair = tuple[str, str]
BINS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.0)
"""Pairs are grouped by containment, each group from one of these numbers up to the number before it."""

RUN_TOKENS = 8
"""Words in a row, or letters that are tokens, that two texts hardly ever share by chance."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the experiment."""
    parser.add_argument("corpora", type=Path, help=f"folder with {', '.join(CORPORA)}, or some of them")
    parser.add_argument("--only", nargs="+", choices=list(CORPORA), default=(), metavar="NAME")
    add_numbers(parser, jobs=(1, "processes"))


def run(corpora: Path, *, jobs: int = 1, only: Iterable[str] = ()) -> Figures:
    """Return the figures of each corpus, ready for JSON. For a missing corpus they say that it is missing.

    Args:
        corpora: The folder of the corpora.
        jobs: Number of processes.
        only: Names of corpora; all by default.
    """
    figures: Figures = {"corpora": {}}
    for name in only or CORPORA:
        there = (corpora / name).is_dir()
        figures["corpora"][name] = CORPORA[name](corpora / name, jobs) if there else {"failed": "is not there"}
    return figures


def answers(folder: Path, jobs: int) -> Figures:
    """Return the shares found of students' answers, by the instruction to their authors."""
    with (folder / "file_information.csv").open(encoding="utf-8-sig", newline="") as lines:
        rows = [(row["File"], row["Task"], row["Category"]) for row in csv.DictReader(lines)]
    articles = {name: folder / name for name, _, level in rows if level == "orig"}
    asked = {name: folder / name for name, _, level in rows if level != "orig"}
    found = screened(articles, asked, jobs)
    levels: defaultdict[str, list[float]] = defaultdict(list)
    n_wrong: defaultdict[str, int] = defaultdict(int)
    for name, task, level in rows:
        if name in asked:
            right = f"orig_task{task}.txt"
            levels[level].append(found.get((name, right), 0.0))
            n_wrong[level] += sum((name, other) in found for other in articles if other != right)
    return {
        "levels": {
            level: {"texts": len(some), "found": sum(map(bool, some)), "wrong": n_wrong[level], "coverage": fmean(some)}
            for level, some in levels.items()
        }
    }


def editions(folder: Path, jobs: int) -> Figures:
    """Return the shares found of books in another edition."""
    here = {path.name: path for path in sorted((folder / "a").glob("*.txt"))}
    there = {str(path.relative_to(folder / "b")): path for path in sorted((folder / "b").rglob("*.txt"))}
    return _pairs(there, here, _listed(folder / "pairs.tsv"), jobs)


def all_of(texts: str, pairs: str, folder: Path, jobs: int) -> Figures:
    """Return the shares found of the documents of a folder in each other."""
    documents = {path.name: path for path in sorted((folder / texts).glob("*.txt"))}
    return _pairs(documents, documents, _listed(folder / pairs), jobs)


def pan(folder: Path, jobs: int) -> Figures:
    """Return the scores of a corpus of PAN's format, aligned and screened."""
    corpus = Corpus.at(folder)
    figures: Figures = {}
    with tempfile.TemporaryDirectory() as place:
        for name, step in (("align", partial(align, every=True)), ("retrieve", retrieve)):
            step(corpus, Path(place) / name, jobs=jobs)
            found = scoring.Detections.at(Path(place) / name).within(corpus)
            lengths = scoring.lengths(corpus, {*corpus.cases, *found})
            figures[name] = {
                kind: {"cases": one.cases, "found": one.detections, **scoring.plain(one.macro)}
                for kind, one in scoring.results(corpus, found, lengths).items()
            }
    return figures


CORPORA: dict[str, Callable[[Path, int], Figures]] = {
    "clough_stevenson": answers,
    "indonesian_pan": pan,
    "ru_editions": editions,
    "zh_subset": partial(all_of, "corpus", "pairs_silver.tsv"),
    "civil_codes": partial(all_of, "procedure-codes", "pairs.tsv"),
}


def screened(stored: Mapping[str, Path], asked: Mapping[str, Path], jobs: int) -> dict[Pair, float]:
    """Return for each query and each other document that matches, the share of the query in their passages."""
    found = {}
    with (
        tempfile.TemporaryDirectory() as place,
        Collection(Path(place) / "others.pmbf", create=True) as collection,
    ):
        collection.add_many((name, read(path)) for name, path in stored.items())
        reports = collection.screen_many(map(read, asked.values()), jobs=jobs)
        for name, one in zip(asked, reports, strict=True):
            for match in one.matches:
                for other in match.document.paths:
                    if other != name:
                        found[name, other] = match.coverage
    return found


def table(figures: Figures) -> str:
    """Return the figures as tables in Markdown."""
    parts = []
    for name, one in figures["corpora"].items():
        if "failed" in one:
            shown = one["failed"]
        elif "levels" in one:
            shown = _levels_table(one)
        elif "bins" in one:
            shown = _bins_table(one)
        else:
            shown = "\n\n".join(f"`pan {step}`:\n\n{_scores_table(some)}" for step, some in one.items())
        parts.append(f"### {name}\n\n{shown}")
    return "\n\n".join(parts)


def _pairs(stored: Mapping[str, Path], asked: Mapping[str, Path], listed: Mapping[Pair, float], jobs: int) -> Figures:
    found = screened(stored, asked, jobs)
    bins: defaultdict[float, list[tuple[float, float]]] = defaultdict(list)
    for pair, share in listed.items():
        if pair[0] in asked and pair[1] in stored:
            bins[next(low for low in BINS if share >= low)].append((share, found.get(pair, 0.0)))
    others = [pair for pair in found if pair not in listed]
    paths = {**stored, **asked}
    return {
        "documents": len(stored),
        "queries": len(asked),
        "bins": {
            str(low): {
                "pairs": len(some),
                "found": sum(bool(coverage) for _, coverage in some),
                "containment": fmean(share for share, _ in some),
                "coverage": fmean(coverage for _, coverage in some),
            }
            for low, some in sorted(bins.items(), reverse=True)
        },
        "unlisted": len(others),
        "unlisted_sharing_a_run": sum(_share_a_run(paths[one], paths[other]) for one, other in others),
    }


def _listed(path: Path) -> dict[Pair, float]:
    """Return the containment of each listed pair in both directions: of the first document in the second."""
    listed = {}
    for line in path.read_text(encoding="utf-8-sig").splitlines()[1:]:
        of_one, of_other, _, _, one, other = line.split("\t")
        listed[one, other], listed[other, one] = float(of_one), float(of_other)
    return listed


def _share_a_run(one: Path, other: Path) -> bool:
    return bool(_runs(one) & _runs(other))


@cache
def _runs(path: Path) -> set[bytes]:
    return set(runs_of(prepare(read(path)), RUN_TOKENS))


def _levels_table(one: Figures) -> str:
    lines = report.head("| told to | texts | found | in another article | coverage |")
    for level, some in one["levels"].items():
        lines.append(f"| {level} | {some['texts']} | {some['found']} | {some['wrong']} | {some['coverage']:.2f} |")
    return "\n".join(lines)


def _bins_table(one: Figures) -> str:
    lines = report.head("| containment, from | pairs | found | containment, mean | coverage, mean |")
    for low, some in one["bins"].items():
        means = f"{some['containment']:.3f} | {some['coverage']:.3f}"
        lines.append(f"| {low} | {some['pairs']} | {some['found']} | {means} |")
    told = f"{one['unlisted']} pairs were found that are not listed; {one['unlisted_sharing_a_run']} of them share"
    return "\n".join([*lines, "", f"{told} {RUN_TOKENS} words (or letters) in a row."])


def _scores_table(some: Figures) -> str:
    lines = report.head("| cases | | found | precision | recall | granularity | plagdet |")
    for kind, one in some.items():
        scores = " | ".join(f"{one[part]:.3f}" for part in ("precision", "recall", "granularity", "plagdet"))
        lines.append(f"| {kind} | {one['cases']} | {one['found']} | {scores} |")
    return "\n".join(lines)
