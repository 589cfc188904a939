"""F1 of both features over the threshold, for four bands of document frequency, on labelled revisions.

The threshold is chosen on one half of the documents and F1 is shown on the other half, for either half. A document and
its revision are in one half.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.near.revisions import HALVES, Set, drawn, labelled
from measure import report
from measure.commands import add_folder
from pmbf import kernels
from pmbf.alike.pairs.bands import Background, Band, banded
from pmbf.alike.pairs.features import Features, featured
from pmbf.kernels import Lists, join_lists
from pmbf.text import utf8

BANDS = (Band(), Band(0.1, 0.95), Band(0.2, 0.85), Band(0.3, 0.85))
FEATURES = (
    Features("words", shingle_tokens=2),
    Features("words"),
    Features("words", shingle_tokens=5),
    Features("spotsigs", chain=1),
    Features("spotsigs"),
    Features("spotsigs", chain=3),
)
THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(4, 17))
SEED = 1
_BATCH = 500
Pairs = set[tuple[int, int]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the experiment."""
    add_folder(parser)
    parser.add_argument("--others", type=Path, nargs="+", default=(), metavar="FOLDER", help="texts of a background")


def run(folder: Path, others: Sequence[Path]) -> dict[str, Any]:
    """Measure, and return the figures.

    Args:
        folder: The corpus `revisions`.
        others: Folders of texts from which, with the documents, the frequencies of bands come.
    """
    documents, half, own = revisions(folder)
    rows = []
    for features in FEATURES:
        lists = featured([utf8(text) for text in documents.texts], features).lists
        background = _background(others, features, own) if others and _is_banded(features) else None
        for band in BANDS if background else BANDS[:1]:
            rows.append(_row(features, band, banded(lists, band, background), documents.copies, half))
    return {
        "documents": len(documents.texts),
        "alike": len(documents.copies),
        "rows": rows,
    }


def revisions(folder: Path) -> tuple[Set, NDArray[np.int64], set[str]]:
    """Return the labelled documents, the half of each, and their paths below the folder."""
    halves, _ = drawn(folder, SEED)
    paths = [path for name in HALVES for path in halves[name]]
    half = np.repeat(np.arange(len(HALVES)), [len(halves[name]) for name in HALVES])
    return labelled(paths), half, {path.relative_to(folder).as_posix() for path in paths}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    head = " | ".join(f"{one:g}" for one in THRESHOLDS[1::2])
    lines = report.head(f"| features | idf | a text | {head} | best, at | chosen on one half, shown on the other |")
    for row in figures["rows"]:
        f1 = dict(zip(THRESHOLDS, row["f1"], strict=True))
        cells = " | ".join(_told(f1[one]) for one in THRESHOLDS[1::2])
        best = max(f1, key=lambda one: f1[one])
        halves = ", ".join(f"{_told(score)} (τ {tau:g})" for tau, score in row["halves"])
        low, high = row["band"]
        lines.append(
            f"| {row['features']} | {low:g} to {high:g} | {row['per_text']:.0f} | {cells} | {_told(f1[best])}, "
            f"{best:g} | {halves} |"
        )
    return "\n".join(lines)


def _told(score: float) -> str:
    return f"{score:.3f}".lstrip("0")


def _is_banded(features: Features) -> bool:
    return features in (Features("words"), Features("spotsigs"))


def named(features: Features) -> str:
    """Return features in words."""
    if features.kind == "words":
        return f"{features.shingle_tokens} words"
    return f"spot signatures, chain {features.chain}"


def _row(features: Features, band: Band, lists: Lists, copies: Pairs, half: NDArray[np.int64]) -> dict[str, Any]:
    found = kernels.jaccard_join(lists, THRESHOLDS[0])
    sizes = lists.sizes.astype(np.float64)
    first, second = found.lists(), found.documents
    similarity = found.counts / (sizes[first] + sizes[second] - found.counts)

    def f1(threshold: float, of: int | None) -> float:
        some = similarity >= threshold
        told = set(zip(first[some].tolist(), second[some].tolist(), strict=True))
        true = copies
        if of is not None:
            told, true = ({p for p in pairs if half[p[0]] == half[p[1]] == of} for pairs in (told, true))
        return 2 * len(told & true) / (len(told) + len(true))

    halves = []
    for chosen, shown in ((0, 1), (1, 0)):
        best = max(THRESHOLDS, key=lambda one: f1(one, chosen))
        halves.append((best, round(f1(best, shown), 4)))
    return {
        "features": named(features),
        "band": (band.low, band.high),
        "per_text": round(float(sizes.mean()), 1),
        "f1": [round(f1(one, None), 4) for one in THRESHOLDS],
        "halves": halves,
    }


def _background(folders: Sequence[Path], features: Features, own: set[str]) -> Background:
    """Return the frequencies of the texts of some folders, without the documents themselves."""
    parts = [featured(batch, features).lists for batch in _batches(folders, own)]
    return Background.of(join_lists(parts))


def _batches(folders: Sequence[Path], own: set[str]) -> Iterator[list[bytes]]:
    paths = [
        path
        for folder in folders
        for path in sorted(folder.rglob("*.txt"))
        if path.relative_to(folder).as_posix() not in own
    ]
    for start in range(0, len(paths), _BATCH):
        some = paths[start : start + _BATCH]
        yield [utf8(path.read_text(encoding="utf-8", errors="replace")) for path in some]
