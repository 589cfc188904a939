"""What a screening runs through, kernel by kernel, beside the limit of memory: the same bytes, read and not looked at.

A tile and its postings are files that are mapped, as a collection reads them. The limit is taken on the same bytes of
the same files. New lines are drawn for each query and round, for the limit as for the kernels, so that a line is in the
cache only by chance. Each round takes all times, one after another, of the processor. A time is the median of the
rounds; a ratio is the median of the ratios of each round, so that other work on the machine affects both sides.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks import arguments, sampling
from benchmarks.kernels_beside_memory import Files, Limit, Size, TextKernels, TileKernels
from measure import report
from pmbf import kernels
from pmbf.errors import UnsupportedError

__all__ = ["FULL", "PARTS", "SMALL", "Size", "run", "table"]

Figures = dict[str, Any]

SMALL = Size(n_rows=498, row_words=2400, row_documents=30, row_hashes=12_400, n_short=300, n_long=8, text_bytes=4 << 20)
FULL = Size(
    n_rows=498, row_words=63_848, row_documents=29, row_hashes=29 * 11_400, n_short=2000, n_long=30, text_bytes=16 << 20
)
"""12.36 bits per hash; 29 documents per row."""

PARTS = ("tile", "text")


@dataclass(frozen=True, slots=True)
class Result:
    """A time beside its limit."""

    what: str
    seconds: float
    limit: str
    limit_seconds: float
    ratio: float
    bound: str
    target: float | None


def add_arguments(some: Any) -> None:
    """Add the benchmark to the command line."""
    one = arguments.add_benchmark(some, "limit", "the kernels beside what memory allows", _run, table)
    one.add_argument("--full", action="store_true", help="14,428 documents of 11,400 hashes, 262 MB")
    one.add_argument("--rounds", type=int, default=7, help="rounds; a figure is their median, of a text the least (7)")
    one.add_argument(
        "--texts",
        action="append",
        default=[],
        type=_text,
        metavar="LANGUAGE=FILE",
        help=f"sample this file, or a folder's .txt files, not a made-up text, as one of {', '.join(sampling.NAMES)}",
    )
    arguments.add_only(one, list(PARTS))


def _text(given: str) -> tuple[str, Path]:
    language, _, path = given.partition("=")
    if language not in sampling.NAMES or not path:
        raise argparse.ArgumentTypeError(f"{given!r} names no text, expected for instance en=FILE")
    return language, Path(path)


def _run(given: argparse.Namespace) -> Figures:
    size, texts = FULL if given.full else SMALL, dict(given.texts)
    return run(size, n_rounds=given.rounds, parts=given.only, texts=texts, before=arguments.before(given))


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
        parts: Some of `PARTS`: the kernels of a query, the kernel that samples a text.
        texts: Real texts by language; see `sampling.run`.
        before: Figures of an earlier run. Parts that are not measured now are kept.
    """
    figures = before or {}
    if "tile" in parts:
        results = [asdict(one) for one in measure(size, n_rounds=n_rounds)]
        figures |= {"about": report.about(), "size": size.to_dict(), "results": results}
    if "text" in parts:
        figures |= {"text": sampling.run(texts or {}, n_bytes=size.text_bytes, n_rounds=n_rounds)}
    return figures


def measure(size: Size, *, n_rounds: int) -> list[Result]:
    """Return each kernel's time beside its limit.

    Raises:
        UnsupportedError: The native kernels are not built; nothing is measured on NumPy.
    """
    if kernels.NAME != "native":
        raise UnsupportedError("the native kernels are not built; nothing is measured on NumPy")
    with tempfile.TemporaryDirectory() as folder:
        files = Files(size, Path(folder))
        some = TileKernels(size, files), TextKernels(size)
        rounds = [
            dict(pair for one in some for pair in one.times(np.random.default_rng(number)))
            for number in range(n_rounds)
        ]
    return list(_results((limit for one in some for limit in one.limits()), rounds))


def _results(limits: Iterator[Limit], rounds: Sequence[Mapping[str, float]]) -> Iterator[Result]:
    for one in limits:
        seconds, limit_s = (median(times[name] for times in rounds) for name in (one.time, one.limit_time))
        ratio = median(times[one.time] / times[one.limit_time] for times in rounds)
        yield Result(one.what, seconds, one.limit, limit_s, ratio, one.bound, one.target)


def table(figures: Figures) -> str:
    """Return results as Markdown tables, each under a line about its run."""
    tables = [_beside_memory(figures)] if "results" in figures else []
    tables += [sampling.table(figures["text"])] if "text" in figures else []
    return "\n".join(tables)


def _beside_memory(figures: Figures) -> str:
    size = figures["size"]
    row_bytes, n_megabytes = 8 * size["row_words"], size["n_bytes"] / 1e6
    lines = [
        report.line(figures["about"]),
        f"{size['n_rows']} rows of {row_bytes:,} bytes, k = {size['n_hashes']}: {n_megabytes:.0f} MB; "
        f"{size['n_rows'] * size['row_hashes'] / 1e6:.3g} M postings",
        "",
        "| what | takes | limit in the same run | takes | ratio | target | bound by |",
        "|---|---:|---|---:|---:|---:|---|",
    ]
    for one in figures["results"]:
        times = report.time(one["seconds"]), report.time(one["limit_seconds"])
        target = f"≤ {one['target']}" if one["target"] else ""
        ratio = f"{one['ratio']:.2f}" if one["ratio"] < 100 else f"{one['ratio']:,.0f}"
        if one["target"] and one["ratio"] > one["target"]:
            ratio = f"**{ratio}**"
        lines.append(
            f"| {one['what']} | {times[0]} | {one['limit']} | {times[1]} | {ratio} | {target} | {one['bound']} |"
        )
    return "\n".join(lines) + "\n"
