"""The kernels of a tile and of a text beside the limit of memory: cache lines read anywhere, or words one by one.

A query of q hashes needs k q lines; no arrangement of these bits needs fewer. New lines are drawn for each query and
round, for the limit as for the kernels, so that a line is in the cache only by chance. Each round takes all times, one
after another. A time is the median of the rounds, so that other work on the machine affects both sides of a ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import machine, sampling
from measure import report
from pmbf import kernels
from pmbf.errors import UnsupportedError

Figures = dict[str, Any]

SHORT, LONG = 150, 11_400
"""Hashes of a query: a page, and a document of 228,000 characters."""

NAT = 1024
"""Units of a weight in a nat."""

WINDOW, LEAST = 16, 32 * NAT
"""Hashes of a window of the query, and the least evidence of a row, as in a large collection."""


@dataclass(frozen=True, slots=True)
class Size:
    """Sizes: rows of a tile, words and hashes of a row, queries of a round, and bytes of a text."""

    n_rows: int
    row_words: int
    row_hashes: int
    n_short: int
    n_long: int
    text_bytes: int
    n_hashes: int = 3

    def to_dict(self) -> dict[str, int]:
        """Return the fields and the bytes of all rows."""
        return asdict(self) | {"n_bytes": 8 * self.n_rows * self.row_words}


SMALL = Size(n_rows=498, row_words=2400, row_hashes=12_400, n_short=300, n_long=8, text_bytes=4 << 20)
FULL = Size(n_rows=498, row_words=63_848, row_hashes=29 * 11_400, n_short=2000, n_long=30, text_bytes=16 << 20)
"""12.36 bits per hash; 29 documents per row."""


@dataclass(frozen=True, slots=True)
class Result:
    """A time beside its limit."""

    what: str
    seconds: float
    limit: str
    limit_seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and the ratio."""
        return asdict(self) | {"ratio": self.seconds / self.limit_seconds}


PARTS = ("tile", "text")


def run(
    size: Size,
    *,
    n_rounds: int,
    parts: Sequence[str] = PARTS,
    texts: Mapping[str, Path] | None = None,
    before: Figures | None = None,
) -> Figures:
    """Return the figures of every kernel, as JSON knows them.

    Args:
        size: Sizes of the tile and the texts.
        n_rounds: Rounds of each measurement.
        parts: Some of `PARTS`: the kernels of a tile, the kernel of a text.
        texts: Real texts by language; see `sampling.run`.
        before: Figures of an earlier run. Parts that are not measured now are kept.
    """
    figures = before or {}
    if "tile" in parts:
        results = [one.to_dict() for one in measure(size, n_rounds=n_rounds)]
        figures |= {"about": report.about(), "size": size.to_dict(), "results": results}
    if "text" in parts:
        figures |= {"text": sampling.run(texts or {}, n_bytes=size.text_bytes, n_rounds=n_rounds)}
    return figures


def table(figures: Figures) -> str:
    """Return results as Markdown tables, each under a line about its run."""
    tables = [tile_table(figures)] if "results" in figures else []
    tables += [sampling.table(figures["text"])] if "text" in figures else []
    return "\n".join(tables)


def tile_table(figures: Figures) -> str:
    """Return the results of a tile's kernels."""
    size = figures["size"]
    row_bytes, n_megabytes = 8 * size["row_words"], size["n_bytes"] / 1e6
    lines = [
        report.line(figures["about"]),
        f"{size['n_rows']} rows of {row_bytes:,} bytes, k = {size['n_hashes']}: {n_megabytes:.0f} MB",
        "",
        "| what | takes | limit in the same run | takes | ratio |",
        "|---|---:|---|---:|---:|",
    ]
    for one in figures["results"]:
        times = report.time(one["seconds"]), report.time(one["limit_seconds"])
        lines.append(f"| {one['what']} | {times[0]} | {one['limit']} | {times[1]} | {one['ratio']:.2f} |")
    return "\n".join(lines) + "\n"


def measure(size: Size, *, n_rounds: int) -> list[Result]:
    """Return each kernel's time beside its limit.

    Raises:
        UnsupportedError: The native kernels are not built; nothing is measured on NumPy.
    """
    if kernels.NAME != "native":
        raise UnsupportedError("the native kernels are not built; nothing is measured on NumPy")
    bench = Bench(size)
    rounds = [dict(bench.times(np.random.default_rng(number))) for number in range(n_rounds)]
    times = {name: median(one[name] for one in rounds) for name in rounds[0]}
    return list(_results(size, times))


class Bench:
    """A full tile in both forms, and the calls that are timed."""

    def __init__(self, size: Size) -> None:
        self.size = size
        random = np.random.default_rng(1)
        self.stored = [random.integers(0, 2**32, size.row_hashes, np.uint32) for _ in range(4)]
        self.rows = machine.aligned(np.zeros((size.n_rows, size.row_words), np.uint64))
        self.fill()
        self.slices = machine.aligned(kernels.seal(self.rows))

    def fill(self) -> None:
        """Fill all rows."""
        for number, row in enumerate(self.rows):
            kernels.fill(row, self.stored[number % 4], n_hashes=self.size.n_hashes)

    def times(self, random: np.random.Generator) -> Iterator[tuple[str, float]]:
        """Yield the seconds of each call, made once."""
        for n, n_queries in ((SHORT, self.size.n_short), (LONG, self.size.n_long)):
            queries = random.integers(0, 2**32, (n_queries, n), np.uint32)
            places = random.integers(0, 2**32, (n_queries, self.size.n_hashes * n), np.uint32)
            yield f"lines {n}", _each(machine.read_lines, [(self.slices, some) for some in places])
            yield f"hits {n}", _each(self._hits, [(query,) for query in queries])
            yield f"rows {n}", _each(self._rows, [(query, *_weighed(n)) for query in queries])
        yield "row lines", self._row_lines(random)
        yield "fill", _seconds(self.fill)
        # The system takes half a second to find 262 MB in large pages for the first time, and nothing afterwards.
        self.rows.copy()
        yield "seal", _seconds(lambda: kernels.seal(self.rows))
        yield "copy", _seconds(self.rows.copy)
        yield "stream", _seconds(lambda: machine.read_in_order(self.rows))
        yield "scan", _seconds(lambda: kernels.popcounts(self.rows))

    def _hits(self, query: NDArray[np.uint32]) -> NDArray[np.uint64]:
        return kernels.look_up([(self.slices, True, self.size.n_hashes)], query)[0]

    def _rows(self, query: NDArray[np.uint32], weights: NDArray[np.int32], tokens: NDArray[np.uint32]) -> None:
        kernels.rows_with_evidence(self._hits(query), weights, tokens, kernels.HitRules(3, WINDOW), least=LEAST)

    def _row_lines(self, random: np.random.Generator) -> float:
        """Return the seconds of reading as many lines as filling all rows touches, in the cache that holds a row."""
        places = random.integers(0, 2**32, self.size.n_hashes * self.size.row_hashes, np.uint32)
        return self.size.n_rows * _each(
            machine.read_lines, [(row, places) for row in self.rows[:: self.size.n_rows // 9]]
        )


def _results(size: Size, times: dict[str, float]) -> Iterator[Result]:
    for n in (SHORT, LONG):
        lines, limit = times[f"lines {n}"], f"{size.n_hashes * n:,} lines anywhere"
        yield Result(f"query of {n:,} hashes: its hits", times[f"hits {n}"], limit, lines)
        yield Result(f"query of {n:,} hashes: its hits, and rows with evidence", times[f"rows {n}"], limit, lines)
    n_millions = size.n_rows * size.row_hashes / 1e6
    yield Result(
        f"fill all rows, {n_millions:.3g} M hashes", times["fill"], "their lines in the row", times["row lines"]
    )
    yield Result("seal all rows", times["seal"], "copy all rows", times["copy"])
    yield Result("popcount of all rows", times["scan"], "read all words", times["stream"])
    yield Result("the same", times["scan"], f"query of {SHORT} hashes, its rows", times[f"rows {SHORT}"])


def _weighed(n: int) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    """Return the weights of n rare hashes, 7 nats each, and where their shingles begin."""
    return np.full(n, 7 * NAT, np.int32), np.arange(0, 7 * n, 7, dtype=np.uint32)


def _each(call: Callable[..., Any], calls: list[tuple[Any, ...]]) -> float:
    """Return the mean seconds of many calls with different arguments."""
    start = perf_counter()
    for arguments in calls:
        call(*arguments)
    return (perf_counter() - start) / len(calls)


def _seconds(call: Callable[[], Any]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start
