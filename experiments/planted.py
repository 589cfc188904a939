"""Is the source of one planted passage found, and are only sources named? Texts of `experiments.planting`.

- recall: share of the texts whose planted source is named, for `candidates` alone (score: evidence, what the
  shared hashes of the best window weigh) and for the whole screen (score: evidence, what the passages say);
- cut: what is named scores above the cut, the least score that at most one clean text in a hundred exceeds;
- first: share of the texts whose best named document is the source;
- precision: sources among all documents that planted texts name, leaving out those that have a run of six words of the
  planted passage too;
- ms: of a text, median and 99 of 100, one after another in this process.

A text with a passage of another document by chance would count against us; `experiments.planting` says how those are
left out. Settings are tuned on the texts of one seed, and the figures are those of another.
"""

from __future__ import annotations

import json
import math
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from experiments.overlap import grams, read_words, word_hashes
from experiments.planting import CLEAN, LEVELS, Planted, Query, plant
from pmbf.collection import Collection
from pmbf.fingerprint import query_sample
from pmbf.screen import candidates, screen
from pmbf.store import Store

CLEAN_SHARE = 0.01
"""Of the clean texts, how many may name a document."""

Named = list[tuple[str, float]]
"""Documents of an answer by one of their paths, and their scores."""


@dataclass(frozen=True)
class Cell:
    """What was found of one kind of planted passage: see the module."""

    level: str
    edited: bool
    n_texts: int
    recall: float
    first: float
    precision: float


@dataclass(frozen=True)
class Result:
    """One way to name documents: its cut, its cells, its time."""

    method: str
    cut: float
    clean_named: float
    ms_p50: float
    ms_p99: float
    cells: list[Cell] = field(default_factory=list)


def run(folder: Path, *, n_clean: int, n_planted: int, seed: int, out: Path | None = None) -> str:
    """Plant, load, screen every text, and return the tables in Markdown.

    Args:
        folder: Documents, as `.txt` files, searched recursively.
        n_clean: Clean texts, at least 100 for a cut of 1 %.
        n_planted: Texts of each length of passage, verbatim and again edited.
        seed: Of the texts.
        out: JSON file to write.
    """
    return measured(plant(folder, n_clean=n_clean, n_planted=n_planted, seed=seed), out)


def measured(planted: Planted, out: Path | None = None) -> str:
    """Return the tables of texts that are planted already."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "planted.pmbf"
        with Collection(path, create=True) as collection:
            collection.load(planted.paths())
        with Store(path) as store:
            results = [
                _result(planted, "candidates", lambda text: _candidates(store, text)),
                _result(planted, "screen", lambda text: _screened(store, text)),
            ]
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps([asdict(one) for one in results], indent=1) + "\n", encoding="utf-8")
    n_clean = sum(query.level == CLEAN for query in planted.queries)
    head = f"{len(planted.loaded)} documents, {n_clean} clean texts, {len(planted.queries) - n_clean} planted ones"
    return "\n\n".join([head, *map(table, results)])


def _candidates(store: Store, text: str) -> Named:
    found = candidates(store, query_sample(text, store.params))
    paths = store.paths_of(one.document for one in found)
    return [(path, one.evidence) for one in found for path in paths[one.document]]


def _screened(store: Store, text: str) -> Named:
    matches = screen(store, text).matches
    return [(path, match.evidence) for match in matches for path in match.document.paths]


def _result(planted: Planted, method: str, ask: Callable[[str], Named]) -> Result:
    answers, seconds = [], []
    for query in planted.queries:
        started = time.perf_counter()
        answers.append(ask(query.text))
        seconds.append(time.perf_counter() - started)
    asked = list(zip(planted.queries, answers, strict=True))
    best = [max((score for _, score in named), default=0.0) for query, named in asked if query.level == CLEAN]
    cut = lowest_cut(best)
    folder = Path(planted.folder).absolute()
    cells = [
        cell([(query, named) for query, named in asked if (query.level, query.edited) == kind], cut, folder)
        for kind in ((level, edited) for level in LEVELS for edited in (False, True))
    ]
    p50, p99 = np.percentile(seconds, [50, 99]) * 1000
    return Result(method, cut, float(np.mean([score > cut for score in best])), float(p50), float(p99), cells)


def lowest_cut(best: Sequence[float]) -> float:
    """Return the least score that at most `CLEAN_SHARE` of clean texts exceed, given the best score of each.

    >>> lowest_cut([0.0] * 97 + [5.0, 7.0, 9.0]), lowest_cut([3.0])
    (7.0, 3.0)
    """
    return sorted(best, reverse=True)[math.floor(CLEAN_SHARE * len(best))]


def cell(asked: Sequence[tuple[Query, Named]], cut: float, folder: Path) -> Cell:
    """Return the figures of the texts of one kind; a document's copies under other paths are the document."""
    named = [[(path, score) for path, score in answer if score > cut] for _, answer in asked]
    sources = [str(folder / query.source) for query, _ in asked]
    right = [source in dict(answer) for source, answer in zip(sources, named, strict=True)]
    first = [
        bool(answer) and (source, max(score for _, score in answer)) in answer
        for source, answer in zip(sources, named, strict=True)
    ]
    n_wrong = sum(
        not _shares(Path(path), query)
        for (query, _), source, answer in zip(asked, sources, named, strict=True)
        for path, _ in answer
        if path != source
    )
    query = asked[0][0]
    precision = sum(right) / (sum(right) + n_wrong) if any(named) else 1.0
    return Cell(query.level, query.edited, len(asked), float(np.mean(right)), float(np.mean(first)), precision)


def _shares(path: Path, query: Query) -> bool:
    """Return whether a document has a run of words of the planted passage."""
    passage = grams(word_hashes(query.text[query.start : query.stop]))
    return bool(np.isin(passage, grams(word_hashes(read_words(path)))).any())


def table(result: Result) -> str:
    """Return the figures of one way as a Markdown table."""
    lines = [
        f"{result.method}: cut {result.cut:g}, {result.ms_p50:.1f} ms a text (99 of 100: {result.ms_p99:.1f})",
        "",
        "| passage | | texts | recall | first | precision |",
        "|---|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {one.level} | {'edited' if one.edited else 'verbatim'} | {one.n_texts} | {one.recall:.3f} "
        f"| {one.first:.3f} | {one.precision:.3f} |"
        for one in result.cells
    ]
    return "\n".join(lines)
