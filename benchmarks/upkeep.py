"""The upkeep of a collection of many short texts: adding, opening, listing, checking, removing a tenth, compacting.

The texts are made-up words, as frequent as words are. Each step runs in a process of its own, on one thread. Times are
CPU time, but opening is a time on the clock; memory is the peak beyond what the process held before.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from benchmarks import arguments
from measure import report
from measure.commands import add_numbers, positive
from measure.process import alone, folder_bytes, peak_bytes, resident_bytes
from measure.timing import clock_s
from pmbf import Collection
from pmbf.store.folder import Store

Figures = dict[str, Any]

DOCUMENTS = (50_000, 1_000_000)
WORDS = 40
_STEPS = ("add", "open_", "list_", "check", "remove", "compact")
_ADDED_TOGETHER = 100_000
_VOCABULARY = 20_000
_OPENED = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the benchmark."""
    parser.add_argument(
        "--documents", dest="sizes", nargs="+", type=positive, default=DOCUMENTS, metavar="N", help="numbers of texts"
    )
    add_numbers(parser, n_words=(WORDS, "words of a text"))


def run(sizes: Sequence[int], *, n_words: int) -> Figures:
    """Return the figures of collections of several numbers of texts.

    Args:
        sizes: Numbers of texts.
        n_words: Words of a text.
    """
    results = []
    for n_documents in sizes:
        one: Figures = {"name": f"{n_documents:,} texts of {n_words} words", "n_documents": n_documents}
        with tempfile.TemporaryDirectory() as place:
            given: Figures = {"folder": f"{place}/c.pmbf", "n_documents": n_documents, "n_words": n_words}
            for step in _STEPS:
                one |= alone(f"benchmarks.upkeep:{step}", **given)
        results.append(one)
        arguments.show(one)
    return {"n_words": n_words, "results": results}


# ---------------------------------------------------------------------- in processes of their own


def add(folder: str, n_documents: int, n_words: int) -> Figures:
    """Add texts, 100,000 in a commit."""
    n_bytes, seconds, before = 0, 0.0, resident_bytes()
    with Collection(folder, create=True) as collection:
        pairs = texts(n_documents, n_words)
        while some := list(itertools.islice(pairs, _ADDED_TOGETHER)):
            n_bytes += sum(len(text) for _, text in some)
            start = process_time()
            collection.add_many(some)
            seconds += process_time() - start
    figures = {"add_s": seconds, "add_peak_bytes": peak_bytes() - before, "n_bytes": n_bytes}
    return figures | {"disk_bytes": folder_bytes(Path(folder))}


def open_(folder: str, n_documents: int, n_words: int) -> Figures:
    """Open the folder again and again."""
    return {"open_s": median(clock_s(lambda: Store(folder).close()) for _ in range(_OPENED))}


def list_(folder: str, n_documents: int, n_words: int) -> Figures:
    """List every document."""
    return _measured("list", folder, lambda collection: sum(1 for _ in collection.documents()))


def check(folder: str, n_documents: int, n_words: int) -> Figures:
    """Compare every file, row and bit."""
    return _measured("check", folder, lambda collection: _require(not collection.check().problems))


def remove(folder: str, n_documents: int, n_words: int) -> Figures:
    """Remove each tenth document."""
    return _measured("remove", folder, lambda collection: collection.remove(*range(1, n_documents + 1, 10)))


def compact(folder: str, n_documents: int, n_words: int) -> Figures:
    """Give back the room of what was removed."""
    return _measured("compact", folder, lambda collection: collection.compact())


def _measured(what: str, folder: str, use: Callable[[Collection], object]) -> Figures:
    before = resident_bytes()
    with Collection(folder) as collection:
        start = process_time()
        use(collection)
        return {f"{what}_s": process_time() - start, f"{what}_peak_bytes": peak_bytes() - before}


def _require(is_well: bool) -> None:
    if not is_well:
        raise RuntimeError("the collection has problems")


def texts(n_documents: int, n_words: int) -> Iterator[tuple[str, str]]:
    """Yield names and texts of made-up words, of which some are far more frequent than others.

    >>> [name for name, text in texts(2, 5) if len(text.split()) == 5]
    ['text-0', 'text-1']
    """
    random = np.random.default_rng(5)
    letters = [random.integers(97, 123, size=n, dtype=np.uint8) for n in random.integers(2, 11, _VOCABULARY)]
    words = np.array([one.tobytes().decode() for one in letters])
    for number in range(n_documents):
        chosen = (random.pareto(0.9, n_words) * 3).astype(np.int64)
        yield f"text-{number}", " ".join(words[np.minimum(chosen, _VOCABULARY - 1)].tolist())


def table(figures: Figures) -> str:
    """Return the figures as a Markdown table."""
    done = figures["results"]
    lines = [
        report.line(figures["about"]),
        "CPU time of one thread, but opening is a time on the clock; memory is the peak beyond the process's own",
        "",
        *report.head("| | " + " | ".join(one["name"] for one in done) + " |"),
    ]
    rows = {
        "`add_many`, a text": [report.time(one["add_s"] / one["n_documents"]) for one in done],
        "`add_many`, MB/s": [f"{one['n_bytes'] / one['add_s'] / 1e6:.1f}" for one in done],
        "on disk": [report.size(one["disk_bytes"]) for one in done],
        "open": [report.time(one["open_s"]) for one in done],
    }
    names = {"list": "list", "check": "check", "remove": "remove a tenth", "compact": "compact"}
    for what, name in names.items():
        rows[name] = [f"{report.time(one[f'{what}_s'])}, {report.size(one[f'{what}_peak_bytes'])}" for one in done]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items())]) + "\n"
