"""How long the detailed comparison of two texts takes, beside `difflib` on the same words.

Texts are made of a folder's documents: a query, and a source made of other documents. `COPIED` words of the source
stand in the query. A screening prepares a query once for many sources. So `prepared` times the comparison alone;
`source` makes the source ready, too. `unrelated` is `source` for a text that the query has nothing of. Hostile pairs
are texts that repeat themselves, have few different words, or consist of pieces of each other. Times are CPU time,
the least of several rounds.
"""

from __future__ import annotations

import argparse
import difflib
import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import arguments
from measure import report
from measure.corpora import read
from pmbf.verify import Prepared, Settings, SourceText, Statistics, passages, passages_in, prepare

COPIED = 200
SIZES = ((4_000, 1_000), (4_000, 4_000), (200_000, 200_000))
"""Words of the query and of the source."""

N_PAIRS = 6
N_SAMPLED = 64
MOST_DIFFLIB_WORDS = 10_000
HOSTILE_BYTES = 1_000_000
"""Bytes of each text of a hostile pair, about."""


def add_arguments(some: Any) -> None:
    """Add the benchmark to the command line."""
    one = arguments.add_benchmark(some, "align", "two texts compared in detail, beside difflib", _run, table)
    arguments.add_folder(one)
    one.add_argument("--rounds", type=int, default=15, help="rounds; each time is the least (15)")


def _run(given: argparse.Namespace) -> dict[str, Any]:
    return run(given.folder, n_rounds=given.rounds)


def run(
    folder: Path,
    *,
    n_rounds: int = 15,
    sizes: tuple[tuple[int, int], ...] = SIZES,
    n_bytes: int = HOSTILE_BYTES,
) -> dict[str, Any]:
    """Return the times, in ms.

    Args:
        folder: Searched recursively for `.txt` files.
        n_rounds: Rounds of each pair of short texts. Long texts get fewer.
        sizes: Words of the query and of the source.
        n_bytes: Bytes of each text of a hostile pair, about.
    """
    rng = random.Random(0)
    paths = sorted(folder.rglob("*.txt"))
    statistics = Statistics.of(prepare(read(path)).words for path in rng.sample(paths, min(N_SAMPLED, len(paths))))
    rows = []
    for n_query, n_source in sizes:
        rounds = max(1, min(n_rounds, 200_000 // n_query))
        pairs = [_pair(paths, rng, n_query, n_source) for _ in range(min(N_PAIRS, rounds))]
        others = [_words(paths, rng, n_source) for _ in pairs]
        times = [_times(*pair, " ".join(other), statistics, rounds) for pair, other in zip(pairs, others, strict=True)]
        rows.append(
            {"query": n_query, "source": n_source} | {name: _median([one[name] for one in times]) for name in times[0]}
        )
    hostile = max(_least(partial(_alone, *pair), 1) for pair in _hostile(n_bytes))
    return {"rows": rows, "hostile": hostile}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    lines = [
        report.line(figures["about"]) if "about" in figures else "",
        "",
        "| words of the query | of the source | prepared, ms | source, ms | unrelated | difflib |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for row in figures["rows"]:
        other = "" if row["difflib"] is None else f"{row['difflib']:.0f}"
        times = " | ".join(f"{row[name]:.2f}" for name in ("prepared", "whole", "unrelated"))
        lines.append(f"| {row['query']:,} | {row['source']:,} | {times} | {other} |")
    return "\n".join([*lines, "", f"Worst of some hostile pairs of 1 MB: {figures['hostile']:.0f} ms", ""])


def _times(query: str, source: str, other: str, statistics: Statistics, n_rounds: int) -> dict[str, float | None]:
    ours, theirs = prepare(query), prepare(source)
    assert _compared(ours, theirs, statistics)
    words = query.split(), source.split()
    is_short = max(map(len, words)) <= MOST_DIFFLIB_WORDS
    return {
        "prepared": _least(lambda: _compared(ours, theirs, statistics), n_rounds),
        "whole": _least(lambda: passages_in(ours, SourceText(source), None, statistics), n_rounds),
        "unrelated": _least(lambda: passages_in(ours, SourceText(other), None, statistics), n_rounds),
        "difflib": _least(lambda: difflib.SequenceMatcher(None, *words, False).get_matching_blocks(), 1)
        if is_short
        else None,
    }


def _compared(query: Prepared, source: Prepared, statistics: Statistics) -> int:
    return len(passages(query, source, Settings(), statistics))


def _alone(query: str, source: str) -> int:
    return len(passages(prepare(query), prepare(source)))


def _least(call: Callable[[], object], n_rounds: int) -> float:
    times = []
    for _ in range(n_rounds):
        started = time.process_time()
        call()
        times.append(time.process_time() - started)
    return 1000 * min(times)


def _median(values: list[float | None]) -> float | None:
    known = sorted(value for value in values if value is not None)
    return known[len(known) // 2] if known else None


def _pair(paths: list[Path], rng: random.Random, n_query: int, n_source: int) -> tuple[str, str]:
    """Return a query, and a source of other documents, part of which stands in the query."""
    source = _words(paths, rng, n_source)
    first = rng.randrange(n_source - COPIED)
    query = _words(paths, rng, n_query - COPIED)
    at = rng.randrange(len(query))
    return " ".join([*query[:at], *source[first : first + COPIED], *query[at:]]), " ".join(source)


def _words(paths: list[Path], rng: random.Random, n_words: int) -> list[str]:
    found: list[str] = []
    while len(found) < n_words:
        found += read(rng.choice(paths)).split()
    return found[:n_words]


def _hostile(n_bytes: int) -> Iterator[tuple[str, str]]:
    """Yield pairs of texts: one thing over and over, few words in any order, copies broken up small."""

    def part(count: int) -> int:
        return count * n_bytes // HOSTILE_BYTES

    rng = random.Random(0)
    yield "word " * part(200_000), "word " * part(200_000)
    yield "a b " * part(250_000), "b a " * part(250_000)
    yield "中文" * part(170_000), "文中文" * part(110_000)
    one, other = (" ".join(f"w{n * factor % 12000}" for n in range(part(170_000))) for factor in (1, 7))
    yield one, other
    for n_types, n_words in ((2, 330_000), (60, 300_000), (9_000, 170_000)):
        one, other = (" ".join(f"w{rng.randrange(n_types)}" for _ in range(part(n_words))) for _ in range(2))
        yield one, other
    one, other = (" ".join("ab"[(factor * n).bit_count() % 2] for n in range(part(500_000))) for factor in (1, 3))
    yield one, other
    words = [f"w{rng.randrange(40_000)}" for _ in range(part(150_000))]
    for n_together, n_between in ((5, 0), (40, 20)):
        yield " ".join(words), " ".join(_shuffled(words, n_together, n_between, rng))


def _shuffled(words: list[str], n_together: int, n_between: int, rng: random.Random) -> Iterator[str]:
    """Yield the words in pieces: of pieces with others between them each is shuffled, else the pieces are."""
    width = n_together + n_between
    pieces = [words[start : start + width] for start in range(0, len(words), width)]
    if not n_between:
        rng.shuffle(pieces)
    for piece in pieces:
        together = piece[:n_together]
        yield from rng.sample(together, len(together)) if n_between else together
        yield from (f"x{rng.randrange(40_000)}" for _ in piece[n_together:])
