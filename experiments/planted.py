"""Is the source of one planted passage found, and are only sources named? Texts of `measure.planting`.

- recall: share of the texts whose planted source is named, for `candidates` alone (score: evidence of the shared hashes
  of the best window) and for the whole screening (score: evidence of the passages);
- cut: the least score that at most one clean text in a hundred exceeds. A document is named if its score is above it;
- first: share of the texts whose best named document is the source;
- precision: share of the named documents that the passage was taken from;
- stretch: as precision, but documents with eight words in a row of the passage count as right too
  (`measure.overlap.holds_stretch`);
- ms: time of a text, median and 99th percentile, one text after another in this process.

A text that has a passage of another document by chance would count against pmbf; `measure.planting` says how such texts
are left out. Settings are tuned on the texts of one seed; the figures are those of another seed.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from measure import report
from measure.commands import add_folder, add_numbers
from measure.corpora import described
from measure.overlap import holds_stretch
from measure.planting import CLEAN, LEVELS, Planted, Query, plant
from pmbf.collection import Collection
from pmbf.fingerprint import query_sample
from pmbf.intake.texts import Text
from pmbf.screen import Folder, candidates, screen
from pmbf.store.folder import Store

CLEAN_SHARE = 0.01
"""Greatest share of clean texts that may name a document."""

Named = list[tuple[tuple[str, ...], float]]
"""Documents of an answer by their paths, and their scores."""


@dataclass(frozen=True)
class Cell:
    """The figures of one kind of planted passage; see the module."""

    level: str
    edited: bool
    n_texts: int
    recall: float
    first: float
    precision: float
    stretch: float


@dataclass(frozen=True)
class Result:
    """A way to name documents, candidates or the whole screening: its cut, cells and time."""

    method: str
    cut: float
    clean_named: float
    ms_p50: float
    ms_p99: float
    cells: list[Cell] = field(default_factory=list)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the experiment."""
    add_folder(parser)
    add_numbers(parser, n_clean=(200, "texts without a planted passage"), seed=(2, "seed of the texts"))
    add_numbers(parser, n_planted=(100, "texts for each length of passage"))


def run(folder: Path, *, n_clean: int, n_planted: int, seed: int) -> dict[str, Any]:
    """Plant, load, screen every text, and return the figures.

    Args:
        folder: Documents, as `.txt` files, searched recursively.
        n_clean: Clean texts, at least 100 for a cut of 1 %.
        n_planted: Texts of each length of passage, verbatim, and as many edited.
        seed: Seed of the texts.
    """
    return measured(plant(folder, n_clean=n_clean, n_planted=n_planted, seed=seed), seed=seed)


def measured(planted: Planted, *, seed: int | None = None) -> dict[str, Any]:
    """Return the figures of texts with passages planted before, and their seed if there was one."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "planted.pmbf"
        with Collection(path, create=True) as collection:
            collection.load(planted.paths())
        with Store(path) as store:
            results = [
                _result(planted, "candidates", lambda text: _candidates(store, text)),
                _result(planted, "screen", lambda text: _screened(store, text)),
            ]
    return {
        "corpus": described(Path(planted.folder)),
        "seed": seed,
        "loaded": len(planted.loaded),
        "clean": sum(query.level == CLEAN for query in planted.queries),
        "results": [asdict(one) for one in results],
    }


def _candidates(store: Store, text: str) -> Named:
    found = candidates(store.generation, query_sample(text, store.params))
    paths = store.paths_of(one.document for one in found)
    return [(tuple(paths[one.document]), one.evidence) for one in found]


def _screened(store: Store, text: str) -> Named:
    return [(match.document.paths, match.evidence) for match in screen(Folder.of(store), Text("", text)).matches]


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
    """Return the figures of the texts of one kind."""
    n_right = n_first = n_holding = n_named = 0
    for query, answer in asked:
        source = str(folder / query.source)
        named = [(paths, score) for paths, score in answer if score > cut]
        highest = max((score for _, score in named), default=0.0)
        n_right += any(source in paths for paths, _ in named)
        n_first += any(source in paths for paths, score in named if score == highest)
        n_holding += sum(source in paths or holds_stretch(Path(paths[0]), query.passage) for paths, _ in named)
        n_named += len(named)
    query, n_texts = asked[0][0], len(asked)
    precision, stretch = (n_right / n_named, n_holding / n_named) if n_named else (1.0, 1.0)
    return Cell(query.level, query.edited, n_texts, n_right / n_texts, n_first / n_texts, precision, stretch)


def table(figures: dict[str, Any]) -> str:
    """Return the figures of both ways as Markdown tables."""
    n_planted = sum(cell["n_texts"] for cell in figures["results"][0]["cells"])
    lines = [f"{figures['loaded']} documents, {figures['clean']} clean texts, {n_planted} planted ones"]
    for one in figures["results"]:
        times = f"{one['ms_p50']:.1f} ms a text (99 of 100: {one['ms_p99']:.1f})"
        lines += ["", f"{one['method']}: cut {one['cut']:g}, {times}", ""]
        lines += report.head("| passage | | texts | recall | first | precision | stretch |")
        for cell in one["cells"]:
            shares = " | ".join(f"{cell[name]:.3f}" for name in ("recall", "first", "precision", "stretch"))
            kind = "edited" if cell["edited"] else "verbatim"
            lines.append(f"| {cell['level']} | {kind} | {cell['n_texts']} | {shares} |")
    return "\n".join(lines)
