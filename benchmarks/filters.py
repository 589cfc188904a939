"""The filter beside other methods that find the document a query was taken from: build time, bytes, query time, recall.

Documents are hashes drawn at random; for COBS they are letters, since COBS hashes runs of letters itself. A query has
30 % of its hashes from one document, in one run. Each method runs in a process of its own, on one thread, and answers
each query in each round. Its time is CPU time, of the fastest round. A method has found the document that it ranks
first.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks import arguments
from benchmarks.filter_methods import METHODS, TERM, Cobs, PmbfRows, installed
from benchmarks.results import measure_each
from benchmarks.synthetic import planted_query
from measure import report
from measure.process import FailedError, alone, peak_bytes

Figures = dict[str, Any]
SHORT = 150
"""Hashes of a short query, a page. A long query has as many as a document."""
PLANTED = 0.3
LETTERS = 26


@dataclass(frozen=True, slots=True)
class Size:
    """The number of documents, of hashes of each, and of queries."""

    n_documents: int
    n_hashes: int
    n_short: int
    n_long: int


SMALL = Size(n_documents=3607, n_hashes=2850, n_short=100, n_long=20)
FULL = Size(n_documents=14_428, n_hashes=11_400, n_short=100, n_long=20)


def add_arguments(some: Any) -> None:
    """Add the benchmark to the command line."""
    what = "a filter beside other ways to find a document by its hashes"
    one = arguments.add_benchmark(some, "filters", what, _run, table)
    one.add_argument("--full", action="store_true", help="14,428 documents of 11,400 hashes; takes 4 GB of memory")
    one.add_argument("--rounds", type=int, default=5, help="rounds; each time is that of the fastest (5)")
    arguments.add_only(one, list(METHODS))


def _run(given: argparse.Namespace) -> Figures:
    size, before = FULL if given.full else SMALL, arguments.before(given)
    return run(size, names=given.only, n_rounds=given.rounds, on_done=arguments.show, before=before)


def run(
    size: Size,
    *,
    names: Sequence[str],
    n_rounds: int,
    on_done: Callable[[Figures], None],
    before: Figures | None = None,
) -> Figures:
    """Return the figures of each method.

    Args:
        size: The numbers of documents, hashes and queries.
        names: Keys of `METHODS`.
        n_rounds: Rounds; each time is that of the fastest.
        on_done: Called with the figures of each method.
        before: Figures of an earlier run of this size. Those of methods that are measured now are replaced.

    Raises:
        ValueError: The earlier run had another size.
    """
    return measure_each(
        names,
        lambda name: measured(name, size, n_rounds=n_rounds),
        setup={"size": asdict(size)},
        order=list(METHODS),
        on_done=on_done,
        before=before,
    )


def measured(name: str, size: Size, *, n_rounds: int) -> Figures:
    """Return one method's figures, measured in a process of its own.

    Raises:
        FailedError: Its package is not installed, or its process ended without figures.
    """
    if not installed(name):
        raise FailedError("not installed")
    figures: Figures = alone("benchmarks.filters:measure", name=name, size=asdict(size), n_rounds=n_rounds)
    return figures


def measure(name: str, size: dict[str, int], n_rounds: int) -> Figures:
    """Return one method's figures. Call it in a process of its own."""
    wanted, made = Size(**size), METHODS[name]
    workload: Any = Letters if issubclass(made, Cobs) else Numbers
    with tempfile.TemporaryDirectory() as folder:
        work, method = workload(wanted, Path(folder)), made(Path(folder))
        wall, cpu = perf_counter(), process_time()
        method.build(work.documents)
        figures: Figures = {"build_s": perf_counter() - wall, "build_cpu_s": process_time() - cpu}
        figures["n_bytes"] = method.n_bytes()
        same = PmbfRows.docs_per_row if made is PmbfRows else 1
        for n_hashes, n_queries in ((SHORT, wanted.n_short), (wanted.n_hashes, wanted.n_long)):
            queries, planted = work.queries(n_hashes, n_queries)
            rounds, found = [], []
            for _ in range(n_rounds):
                start = process_time()
                found = [method.ask(query) for query in queries]
                rounds.append((process_time() - start) / n_queries)
            key = "short" if n_hashes == SHORT else "long"
            hits = [one // same == other // same for one, other in zip(found, planted, strict=True)]
            figures |= {f"{key}_s": min(rounds), f"{key}_recall": float(np.mean(hits))}
        return figures | {"peak_bytes": peak_bytes()}


class Numbers:
    """Documents and queries of random hashes."""

    def __init__(self, size: Size, folder: Path) -> None:
        self.random = np.random.default_rng(1)
        self.documents = self.random.integers(0, 2**32, (size.n_documents, size.n_hashes), np.uint32)

    def queries(self, n_hashes: int, n_queries: int) -> tuple[list[Any], list[int]]:
        """Return queries of `n_hashes` hashes, and the document that each was taken from."""
        planted = self.random.integers(len(self.documents), size=n_queries).tolist()
        return [planted_query(self.documents[one], n_hashes, PLANTED, self.random) for one in planted], planted


class Letters:
    """Documents and queries of random letters, whose runs are hashed. The documents are files."""

    def __init__(self, size: Size, folder: Path) -> None:
        self.random = np.random.default_rng(1)
        self.documents = self._letters((size.n_documents, size.n_hashes + TERM - 1))
        (folder / "texts").mkdir()
        for number, letters in enumerate(self.documents):
            (folder / "texts" / f"{number}.txt").write_bytes(letters.tobytes())

    def queries(self, n_hashes: int, n_queries: int) -> tuple[list[Any], list[int]]:
        """Return queries of `n_hashes` hashes, and the document that each was taken from."""
        planted = self.random.integers(len(self.documents), size=n_queries).tolist()
        return [self._query(one, n_hashes) for one in planted], planted

    def _query(self, planted: int, n_hashes: int) -> str:
        query, document = self._letters(n_hashes + TERM - 1), self.documents[planted]
        n = round(PLANTED * n_hashes) + TERM - 1
        here, there = self.random.integers(len(query) - n + 1), self.random.integers(len(document) - n + 1)
        query[here : here + n] = document[there : there + n]
        return str(query.tobytes(), "ascii")

    def _letters(self, shape: Any) -> Any:
        return self.random.integers(ord("a"), ord("a") + LETTERS, shape, np.uint8)


def table(figures: Figures) -> str:
    """Return the figures as a Markdown table."""
    size = figures["size"]
    long = f"{size['n_hashes']:,}"
    lines = [
        report.line(figures["about"]),
        f"{size['n_documents']:,} documents of {long} hashes; {PLANTED:.0%} of a query's hashes from one of them",
        "",
        *report.head(f"| | build | bytes | query of {SHORT} hashes | found | query of {long} | found |"),
    ]
    for one in figures["results"]:
        if "failed" not in one:
            lines.append(
                f"| {one['name']} | {report.time(one['build_cpu_s'])} | {report.size(one['n_bytes'])} "
                f"| {report.time(one['short_s'])} | {one['short_recall']:.2f} "
                f"| {report.time(one['long_s'])} | {one['long_recall']:.2f} |"
            )
    lines += [f"\n{one['name']}: {one['failed']}" for one in figures["results"] if "failed" in one]
    return "\n".join(lines) + "\n"
