"""Texts compared with each other, as their number doubles: `compare`, `near_duplicates`, and `similar update`.

Each number of texts is a process of its own, on one thread. Times are CPU time. The larger sets have the smaller ones
in them. An update is measured for a new collection, and once more after 100 more documents are loaded.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pmbf
from benchmarks import arguments
from measure import report
from measure.commands import add_folder, positive
from measure.corpora import described, read
from measure.process import alone, peak_bytes
from measure.timing import processor_s
from pmbf.alike.similar import update

Figures = dict[str, Any]
Rows = dict[str, tuple[str, Callable[[Any], str]]]

SIZES = {
    "compare": (500, 1000, 2000, 4000),
    "near_duplicates": (5000, 10_000, 20_000, 40_000),
    "similar": (5000, 10_000, 20_000, 40_000),
}
N_MORE = 100
_PAIRS: Rows = {"n_pairs": ("pairs", "{:,}".format)}
_PEAK: Rows = {"peak_bytes": ("memory", report.size)}
ROWS: dict[str, Rows] = {
    "compare": {"s": ("`compare`", report.time)} | _PAIRS | _PEAK,
    "near_duplicates": {"s": ("`near_duplicates`", report.time)} | _PAIRS | _PEAK,
    "similar": {
        "s": ("`similar update`, the first", report.time),
        "more_s": (f"`similar update`, {N_MORE} more documents", report.time),
    }
    | _PEAK,
}
"""By what is measured, the figures that the table shows: their names, and how they are written."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the benchmark."""
    add_folder(parser)
    parser.add_argument("--of", type=Path, metavar="FOLDER", help="texts for `compare` (default: those of the folder)")
    for name, sizes in SIZES.items():
        words = f"numbers of texts of `{name}` (default: {' '.join(map(str, sizes))})"
        parser.add_argument(
            f"--{name.replace('_', '-')}", nargs="*", type=positive, default=sizes, help=words, metavar="N"
        )


def run(given: argparse.Namespace) -> Figures:
    """Return the figures of each number of texts."""
    folders = {name: given.of if given.of and name == "compare" else given.folder for name in SIZES}
    results = []
    for name, folder in folders.items():
        paths = sorted(map(str, folder.rglob("*.txt")))
        random.Random(1).shuffle(paths)
        for n_texts in getattr(given, name):
            with tempfile.TemporaryDirectory() as place:
                listed = Path(place) / "paths.json"
                listed.write_text(json.dumps(paths[: n_texts + N_MORE]), encoding="utf-8")
                figures = alone(f"benchmarks.doubling:{name}", place=place, n_texts=min(n_texts, len(paths)))
            one: Figures = {"name": f"{name} of {n_texts:,}", "what": name, "n_texts": n_texts} | figures
            results.append(one)
            arguments.show(one)
    return {"folders": {name: described(folder) for name, folder in folders.items()}, "results": results}


# ---------------------------------------------------------------------- in processes of their own


def compare(place: str, n_texts: int) -> Figures:
    """Return the time of comparing texts with each other."""
    texts = _texts(place, n_texts)
    found: list[pmbf.Comparison] = []
    seconds = processor_s(lambda: found.append(pmbf.compare(texts)))
    return {"s": seconds, "n_pairs": len(found[0].pairs), "peak_bytes": peak_bytes()}


def near_duplicates(place: str, n_texts: int) -> Figures:
    """Return the time of finding near-duplicates."""
    texts = list(_texts(place, n_texts).values())
    found: list[pmbf.NearDuplicates] = []
    seconds = processor_s(lambda: found.append(pmbf.near_duplicates(texts)))
    return {"s": seconds, "n_pairs": len(found[0].pairs), "peak_bytes": peak_bytes()}


def similar(place: str, n_texts: int) -> Figures:
    """Return the times of a collection's first update, and of one after more documents."""
    paths, folder = _paths(place), Path(place) / "c.pmbf"
    figures: Figures = {}
    for name, some in (("s", paths[:n_texts]), ("more_s", paths[n_texts:])):
        with pmbf.Collection(folder, create=True) as collection:
            collection.load(some)
        figures[name] = processor_s(lambda: update(folder))
    return figures | {"peak_bytes": peak_bytes()}


def _paths(place: str) -> list[str]:
    paths: list[str] = json.loads((Path(place) / "paths.json").read_text(encoding="utf-8"))
    return paths


def _texts(place: str, n_texts: int) -> dict[str, str]:
    return {path: read(Path(path)) for path in _paths(place)[:n_texts]}


# ---------------------------------------------------------------------- the table


def table(figures: Figures) -> str:
    """Return the figures as Markdown tables, one of what is measured, with the powers by which they grow."""
    lines = [report.line(figures["about"])]
    for name, rows in ROWS.items():
        some = [one for one in figures["results"] if one["what"] == name]
        if some:
            lines += ["", *_table(some, rows, figures["folders"][name]["name"])]
    return "\n".join(lines) + "\n"


def _table(results: Sequence[Figures], rows: Rows, folder: str) -> list[str]:
    sizes = " | ".join(f"{one['n_texts']:,}" for one in results)
    lines = report.head(f"| texts of {folder} | {sizes} | exponent | last doubling |")
    for key, (shown, words) in rows.items():
        values = {one["n_texts"]: one[key] for one in results}
        last = dict(list(values.items())[-2:])
        cells = [*map(words, values.values()), report.power(values), report.power(last)]
        lines.append(f"| {shown} | {' | '.join(cells)} |")
    return lines
