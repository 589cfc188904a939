"""How long a full run and an incremental one take as an archive grows, the share of each step, and the memory.

Texts are loaded, then all similarities are computed. Then some documents are changed and others removed, and the
similarities are brought up to date. After the last of some changes the table is compared with that of a full run.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import random
import shutil
import sqlite3
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from experiments.retrieval import drawn
from measure import process, report
from measure.commands import add_folder, add_numbers, positive
from measure.corpora import described
from measure.timing import spent_s
from pmbf.alike.similar import update
from pmbf.collection import Collection

ARCHIVE = 1_200_000
"""Documents of the archive that the paper computed in three hours on 45 machines (Kasprzak & Brandejs 2009)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the experiment."""
    add_folder(parser)
    parser.add_argument("--sizes", type=positive, nargs="+", default=[10_000, 20_000, 40_000, 80_000], metavar="N")
    add_numbers(parser, n_changed=(100, "documents that change"), rounds=(3, "incremental runs"))
    add_numbers(parser, jobs=(2, "processes of a full run"), seed=(2, "seed of all random choices"))


def run(folder: Path, *, sizes: Sequence[int], n_changed: int, rounds: int, jobs: int, seed: int) -> dict[str, Any]:
    """Measure, and return the figures.

    Args:
        folder: Folder of `.txt` files, searched recursively.
        sizes: Numbers of these files.
        n_changed: Documents that change before an incremental run; a fifth of them is removed.
        rounds: Incremental runs.
        jobs: Ranges of chunk IDs.
        seed: Of all random choices.
    """
    texts, points = drawn(folder, max(sizes)), []
    with tempfile.TemporaryDirectory() as parent:
        for size in sorted(sizes):
            path = Path(parent) / f"{size}.pmbf"
            with Collection(path, create=True) as collection:
                collection.load(texts[:size], jobs=2)
            points.append(_point(path, n_changed, rounds, jobs, seed))
            shutil.rmtree(path)
    return {"corpus": described(folder), "jobs": jobs, "n_changed": n_changed, "points": points}


def updated(folder: str, jobs: int, how: dict[str, Any]) -> dict[str, Any]:
    """Update a collection; return the report of the run, with processor time and the most memory of this process."""
    begun = spent_s()
    report = asdict(update(folder, jobs=jobs, **how))
    spent = {"processor_seconds": spent_s() - begun, "peak_bytes": process.peak_bytes()}
    return report | {"incomplete": {}} | spent


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a Markdown table."""
    lines = report.head(
        "| documents | chunks | rows | full | processor time | texts | similarities | table | memory | incremental "
        "| processor time | again | patched |"
    )
    for one in figures["points"]:
        full, near = one["full"], one["incremental"]
        longest = max(near, key=lambda run: float(run["seconds"]))
        steps = [f"{100 * full['steps'][name] / full['seconds']:.0f} %" for name in ("texts", "similarities", "table")]
        cells = [f"{full['n_documents']:,}", f"{one['n_chunks'] / 1e6:.1f} M", f"{full['n_rows']:,}"]
        cells += [*map(report.time, (full["seconds"], full["processor_seconds"])), *steps]
        cells += [report.size(full["peak_bytes"])]
        cells += [*map(report.time, (longest["seconds"], longest["processor_seconds"]))]
        cells += [f"{longest['n_again']:,}", f"{longest['n_patched']:,}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def projection(figures: dict[str, Any]) -> dict[str, float]:
    """Return hours of a full run and minutes of an incremental one on one core, at `ARCHIVE` documents.

    Processor time grows as a power of the number of documents. The exponent is that between the two largest sizes, but
    at least 1: each run reads all lists.
    """
    two = figures["points"][-2:]
    times = {
        "full_hours": [one["full"]["processor_seconds"] / 3600 for one in two],
        "incremental_minutes": [min(run["processor_seconds"] for run in one["incremental"]) / 60 for one in two],
    }
    sizes = [one["full"]["n_documents"] for one in two]
    found: dict[str, float] = {}
    for name, (before, last) in times.items():
        growth = _exponent(sizes, before, last)
        found |= {name: last * (ARCHIVE / sizes[-1]) ** growth, f"{name}_exponent": growth}
    return found


def _exponent(sizes: Sequence[int], before: float, last: float) -> float:
    return max(1.0, math.log(last / before) / math.log(sizes[-1] / sizes[0]))


def _point(path: Path, n_changed: int, rounds: int, jobs: int, seed: int) -> dict[str, Any]:
    full = process.alone("experiments.similar:updated", folder=str(path), jobs=jobs, how={})
    near = []
    for number in range(rounds):
        change(path, n_changed, seed + number)
        near.append(process.alone("experiments.similar:updated", folder=str(path), jobs=1, how={}))
    rows = _rows(path)
    again = process.alone("experiments.similar:updated", folder=str(path), jobs=jobs, how={"full": True})
    assert rows == _rows(path), "an incremental run differs from a full one"
    with contextlib.closing(sqlite3.connect(path / "similar" / "similarities.sqlite")) as connection:
        [(n_chunks,)] = connection.execute("SELECT sum(n_chunks) FROM document").fetchall()
    return {"full": full, "incremental": near, "again": again, "n_chunks": n_chunks}


def change(path: Path, n_changed: int, seed: int) -> None:
    """Remove a fifth of some documents, so that their ids are free, and change a paragraph of the others."""
    chosen = random.Random(seed)
    with Collection(path) as collection:
        some = chosen.sample(list(collection), n_changed)
        texts = [(one.paths[0], collection.text(one.id)) for one in some[n_changed // 5 :]]
        collection.remove(*(one.id for one in some[: n_changed // 5]))
        collection.compact()
        collection.add_many([(name, _changed(text, chosen)) for name, text in texts])


def _changed(text: str, chosen: random.Random) -> str:
    paragraphs = text.split("\n\n")
    paragraphs[chosen.randrange(len(paragraphs))] = f"Changed as number {chosen.randrange(10**9)} on this very day."
    return "\n\n".join(paragraphs)


def _rows(path: Path) -> int:
    """Return a checksum over the rows of a table, and of its documents."""
    with contextlib.closing(sqlite3.connect(path / "similar" / "similarities.sqlite")) as connection:
        rows = connection.execute("SELECT id, key, n_counted, n_similar, least, rows_crc FROM document ORDER BY id")
        return hash(tuple(rows))
