"""Everyone with everyone by features: documents whose chunks are inverted and counted, and short texts that are joined.

Times are processor times of one core, of the fastest of several rounds. Ours and those beside them are measured in one
run, each in a process of its own.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks import arguments, short_texts
from benchmarks.chunked import Times, least, lists_of, texts_of, timed
from measure import report
from measure.process import alone, peak_bytes
from pmbf import kernels, sharing
from pmbf.errors import UnsupportedError

Figures = dict[str, Any]

N_WORDS, KEEP = 5, 100
_COUNTED = 1 << 24


def add_arguments(some: Any) -> None:
    """Add the benchmark to the command line."""
    what = "everyone with everyone by features, beside NumPy and rensa"
    one = arguments.add_benchmark(some, "inverted", what, _run, table)
    arguments.add_folder(one)
    one.add_argument("--short", type=int, default=20_000, help="number of short texts (20000)")
    one.add_argument("--rounds", type=int, default=3, help="rounds; each time is that of the fastest (3)")


def _run(given: argparse.Namespace) -> Figures:
    return run(given.folder, n_short=given.short, n_rounds=given.rounds)


def run(folder: Path, *, n_short: int, n_rounds: int) -> Figures:
    """Return the figures of all steps.

    Args:
        folder: Searched for .txt files.
        n_short: Number of short texts.
        n_rounds: Rounds of each measurement.

    Raises:
        UnsupportedError: The native kernels are not built; nothing is measured on NumPy.
    """
    if kernels.NAME != "native":
        raise UnsupportedError("the native kernels are not built; nothing is measured on NumPy")
    where = str(folder)
    figures = {
        name: alone(f"benchmarks.inverted:{name}", folder=where, n_rounds=n_rounds) for name in ("documents", "beside")
    }
    return figures | short_texts.run(where, n_texts=n_short, n_rounds=n_rounds)


def documents(folder: str, n_rounds: int) -> Figures:
    """Return the times of all steps from texts to the highest counts of each document."""
    texts = texts_of(folder)
    rounds = []
    for _ in range(n_rounds):
        times, found = _everyone(texts)
        rounds.append(times)
    n_bytes = sum(map(len, texts))
    return {"n_documents": len(texts), "n_bytes": n_bytes, "peak_bytes": peak_bytes() - n_bytes} | found | least(rounds)


def beside(folder: str, n_rounds: int) -> Figures:
    """Return the times of NumPy for the same numbers, and of the text kernels without chunks."""
    texts = texts_of(folder)
    lists = lists_of(texts, N_WORDS)
    keys = lists.features.astype(np.uint64) << np.uint64(32) | np.repeat(np.arange(len(lists)), lists.sizes).astype(
        np.uint64
    )
    numbers = np.random.default_rng(1).integers(0, len(lists), _COUNTED)
    steps: dict[str, Callable[[], Any]] = {
        "words": lambda: [len(kernels.tokenise(text)) for text in texts],
        "sort": lambda: np.sort(keys),
        "add": lambda: np.bincount(numbers, minlength=len(lists)),
    }
    times = least([{name: timed(step) for name, step in steps.items()} for _ in range(n_rounds)])
    return times | {"add": times["add"] / _COUNTED}


def table(figures: Figures) -> str:
    """Return the figures as two Markdown tables."""
    some, other = figures["documents"], figures["beside"]
    n, n_counted, n_bytes = some["n_postings"], some["n_counted"], some["n_bytes"]
    lines = [
        report.line(figures["about"]),
        f"{some['n_documents']:,} documents, {n_bytes / 1e6:.0f} MB; {n / 1e6:.1f} M chunk IDs, counted "
        f"{n_counted / 1e6:.0f} M times, {some['n_pairs'] / 1e6:.1f} M pairs of documents",
        "",
        *report.head("| step | takes | rate | beside it | takes | ratio |"),
    ]
    for what, name, per_second, unit, peer, theirs in (
        ("chunk IDs", "chunks", n_bytes, "MB/s", "words alone", other["words"]),
        ("inverted", "invert", n, "M a second", "NumPy sorts them", other["sort"]),
        ("all pairs counted", "count", n_counted, "M a second", "NumPy adds 1 as often", other["add"] * n_counted),
    ):
        rate = f"{per_second / some[name] / 1e6:.0f} {unit}"
        shown = report.time(some[name]), rate, peer, report.time(theirs), _ratio(some[name], theirs)
        lines.append(f"| {what} | {' | '.join(shown)} |")
    whole, peak = some["invert"] + some["count"] + some["highest"], some["peak_bytes"] / 1e6
    lines.append(f"| the highest {KEEP} of each kept | {report.time(some['highest'])} | | | | |")
    lines.append(f"| all but chunk IDs | {report.time(whole)} | {peak:.0f} MB at the peak, without the texts | | | |")
    return "\n".join([*lines, "", *short_texts.lines(figures)]) + "\n"


def _ratio(ours: float, theirs: float) -> str:
    shown = f"{ours / theirs:.2f}"
    return f"**{shown}**" if ours > theirs else shown


def _everyone(texts: list[bytes]) -> tuple[Times, Figures]:
    start = process_time()
    lists = lists_of(texts, N_WORDS)
    chunked = process_time()
    inverted = kernels.invert(lists)
    made = process_time()
    rows, n_pairs, kept_s = sharing.Highest(len(lists), KEEP), 0, 0.0
    for numbers, counts in sharing.pairs_within(inverted, lists):
        n_pairs += counts.n_pairs
        kept_s += timed(lambda some=counts, into=numbers: rows.add(some, into, mirrored=True))  # type: ignore[misc]
    kept_s += timed(rows.ranked)
    times = {
        "chunks": chunked - start,
        "invert": made - chunked,
        "count": process_time() - made - kept_s,
        "highest": kept_s,
    }
    frequencies = inverted.frequencies.astype(np.int64)
    n_counted = int((frequencies * (frequencies - 1) // 2).sum())
    return times, {"n_postings": len(lists.features), "n_counted": n_counted, "n_pairs": n_pairs}
