"""Documents on their way in: short texts by `add_many` and from files, and whole documents from files.

The short texts are stretches of 200 words of the folder's documents. Each step makes a new collection, in a process of
its own, and is done several times: a figure is the least. Files are in the system's cache. `alone` is the processor
time of the committing thread: as much of a load does not get faster with more threads.
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time, thread_time
from typing import Any

from benchmarks.short_texts import SHORT_WORDS, stretches, texts_of
from measure import report
from measure.commands import add_folder, add_numbers
from measure.process import alone
from pmbf import Collection

Figures = dict[str, Any]

JOBS = (1, 2)
_FOLDER_TEXTS = 1000
"""Short texts in one folder."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the benchmark."""
    add_folder(parser)
    add_numbers(parser, n_texts=(20_000, "short texts"), n_rounds=(5, "rounds; the fastest counts"))


def run(folder: Path, *, n_texts: int, n_rounds: int) -> Figures:
    """Return the figures of each way in, for short texts and for the .txt files below a folder."""
    figures: Figures = {"n_rounds": n_rounds}
    with tempfile.TemporaryDirectory() as place:
        short, whole = Path(place, "short"), Path(place, "whole")
        _write([" ".join(words).encode() for words in stretches(folder, n_texts)], short)
        _write(texts_of(folder), whole)
        for name, texts in (("short", short), ("whole", whole)):
            sizes = [path.stat().st_size for path in texts.rglob("*.txt")]
            loads = {str(n): _best("load", texts, n_rounds, jobs=n) for n in JOBS}
            figures[name] = {"n_texts": len(sizes), "n_bytes": sum(sizes), "load": loads}
        figures["short"]["add_many"] = _best("add", short, n_rounds)
    return figures


def _best(step: str, texts: Path, n_rounds: int, **given: Any) -> Figures:
    """Return the least time of each clock."""
    rounds = [alone(f"benchmarks.loading:{step}", folder=str(texts), **given) for _ in range(n_rounds)]
    return {clock: min(one[clock] for one in rounds) for clock in rounds[0]}


def _write(texts: list[bytes], folder: Path) -> None:
    for number, text in enumerate(texts):
        path = folder / f"{number // _FOLDER_TEXTS:03}" / f"{number:06}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


# ---------------------------------------------------------------------- in processes of their own


def add(folder: str) -> Figures:
    """Add the texts of a folder in one call."""
    pairs = [(path.stem, path.read_text(encoding="utf-8")) for path in sorted(Path(folder).rglob("*.txt"))]
    return _timed(lambda collection: collection.add_many(pairs))


def load(folder: str, jobs: int) -> Figures:
    """Load a folder."""
    return _timed(lambda collection: collection.load([folder], jobs=jobs))


def _timed(step: Callable[[Collection], object]) -> Figures:
    place = tempfile.mkdtemp()
    try:
        with Collection(Path(place, "c.pmbf"), create=True) as collection:
            collection.add("The first text imports what the others need.", name="first")
            clocks = (perf_counter, process_time, thread_time)
            before = [clock() for clock in clocks]
            step(collection)
            after = [clock() for clock in clocks]
    finally:
        shutil.rmtree(place)
    seconds = [stop - start for start, stop in zip(before, after, strict=True)]
    return dict(zip(("clock_s", "cpu_s", "alone_s"), seconds, strict=True))


# ---------------------------------------------------------------------- the table


def table(figures: Figures) -> str:
    """Return the figures as a Markdown table."""
    short, whole = figures["short"], figures["whole"]
    ways = [
        (f"`add_many`, texts of {SHORT_WORDS} words", short, short["add_many"]),
        *((f"`load`, texts of {SHORT_WORDS} words, jobs: {n}", short, one) for n, one in short["load"].items()),
        *((f"`load`, whole documents, jobs: {n}", whole, one) for n, one in whole["load"].items()),
    ]
    lines = [
        report.line(figures["about"]),
        f"{short['n_texts']:,} texts of {report.size(short['n_bytes'] // short['n_texts'])} each, and "
        f"{whole['n_texts']:,} documents of {report.size(whole['n_bytes'] // whole['n_texts'])} each; the least of "
        f"{figures['n_rounds']} rounds",
        "",
        *report.head("| | CPU, a text | of it one thread alone | MB/s of CPU | MB/s on the clock |"),
    ]
    for name, texts, one in ways:
        each = [report.time(one[clock] / texts["n_texts"]) for clock in ("cpu_s", "alone_s")]
        rates = [f"{texts['n_bytes'] / one[clock] / 1e6:.0f}" for clock in ("cpu_s", "clock_s")]
        lines.append(f"| {' | '.join(itertools.chain([name], each, rates))} |")
    return "\n".join(lines) + "\n"
