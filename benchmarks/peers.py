"""pmbf beside its peers on real text: loading, asking, memory, disk, and the planted passages found.

All get the same files and the same texts (`measure.planting`), one after another, each in a process of its own on one
thread. Times are CPU time. A document is named if its score is above the cut: the score that at most one clean text in
a hundred exceeds with any document.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks import arguments, earlier_engine
from benchmarks.earlier_engine import EARLIER
from benchmarks.index_peers import Fts5, Pmbf, PmbfWhole, Sourmash, SourmashWhole
from benchmarks.peer import Answer, Peer
from benchmarks.results import measure_each
from benchmarks.sketch_peers import Datasketch, DatasketchChunks, FastSketch, Gaoya, Rensa, RensaChunks
from measure import report
from measure.overlap import holds_stretch
from measure.planting import CLEAN, LEVELS, Planted, n_words_of
from measure.process import FailedError, alone, peak_bytes, resident_bytes
from measure.timing import asked, p50_p99

Figures = dict[str, Any]
PEERS: dict[str, type[Peer]] = {
    "gaoya": Gaoya,
    "rensa": Rensa,
    "rensa, chunks": RensaChunks,
    "datasketch": Datasketch,
    "datasketch, chunks": DatasketchChunks,
    "FastSketchLSH": FastSketch,
    "sourmash, 1 in 10": Sourmash,
    "sourmash, all": SourmashWhole,
    "sqlite3, FTS5": Fts5,
    "pmbf, candidates": Pmbf,
    "pmbf, whole screen": PmbfWhole,
}
"""The programs, each in the configuration that found most."""

NAMES = [*PEERS, *EARLIER]
CLEAN_SHARE = 0.01
"""Greatest share of clean texts that may have a document above the cut."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the benchmark."""
    arguments.add_texts(parser)
    arguments.add_only(parser, NAMES)


def run(given: argparse.Namespace) -> Figures:
    """Return the figures of the peers that were asked for."""
    with arguments.texts(given) as texts:
        how: Figures = {"names": given.only, "on_done": arguments.show, "before": arguments.before(given)}
        return arguments.corpus(given) | measured_each(texts, **how)


def measured_each(
    texts: Path, *, names: Sequence[str], on_done: Callable[[Figures], None], before: Figures | None = None
) -> Figures:
    """Return the figures of each peer, each with the date and the commit of its measurement.

    Args:
        texts: A file that `Planted.save` wrote: documents and texts to screen.
        names: Some of `NAMES`.
        on_done: Called with the figures of each peer.
        before: Figures of an earlier run with these texts. Those of peers that are measured now are replaced.

    Raises:
        ValueError: The earlier run had other documents or texts.
    """
    return measure_each(
        names,
        lambda name: _measured(name, texts),
        setup={"workload": _workload(Planted.read(texts))},
        order=NAMES,
        on_done=on_done,
        before=before,
    )


def _workload(planted: Planted) -> Figures:
    return {
        "n_documents": len(planted.loaded),
        "n_bytes": sum(path.stat().st_size for path in planted.paths()),
        "n_clean": sum(query.level == CLEAN for query in planted.queries),
        "n_per_cell": sum(query.level == next(iter(LEVELS)) and query.edited for query in planted.queries),
        "text_words": n_words_of(planted.queries[0].text),
    }


def _measured(name: str, texts: Path) -> Figures:
    if name in EARLIER:
        return earlier_engine.measured(name, texts)
    if not installed(name):
        raise FailedError("not installed")
    figures: Figures = alone("benchmarks.peers:measure", name=name, texts=str(texts))
    return figures


def installed(name: str) -> bool:
    """Return whether the package that a peer needs is installed."""
    return importlib.util.find_spec(name.partition(",")[0]) is not None


def measure(name: str, texts: str) -> Figures:
    """Return one peer's figures. Call it in a process of its own."""
    if name not in PEERS:
        raise ValueError(f"no such peer: {name!r}, expected one of {', '.join(PEERS)}")
    planted = Planted.read(Path(texts))
    paths = list(planted.paths())
    n_bytes = sum(path.stat().st_size for path in paths)
    with tempfile.TemporaryDirectory() as folder:
        peer = PEERS[name](Path(folder))
        before = resident_bytes()
        wall, cpu = perf_counter(), process_time()
        peer.load(paths)
        wall, cpu = perf_counter() - wall, process_time() - cpu
        held, peak = resident_bytes() - before, peak_bytes()
        queries = [query.text for query in planted.queries]
        for query in queries[:3]:
            peer.ask(query)
        answers, seconds = asked(peer.ask, queries)
        p50, p99 = p50_p99(seconds)
        numbered = [[(peer.number(key), score) for key, score in answer] for answer in answers]
        return {
            "package": report.version(name.partition(",")[0]),
            "load_s": wall,
            "load_cpu_s": cpu,
            "load_mb_per_cpu_s": n_bytes / cpu / 1e6,
            "query_p50_s": p50,
            "query_p99_s": p99,
            "held_bytes_per_document": held / len(paths),
            "peak_bytes": peak,
            "disk_bytes_per_document": peer.saved_bytes() / len(paths),
            "found": quality(numbered, planted),
        }


def quality(answers: Sequence[Answer], planted: Planted) -> Figures:
    """Return the shares of planted passages found, at the cut that clean texts give.

    Args:
        answers: For each query the `(number, score)` of documents, best first.
        planted: The queries, and the documents that the numbers stand for.
    """
    asked = list(zip(answers, planted.queries, strict=True))
    cut = _cut([answer for answer, query in asked if query.level == CLEAN])
    cells: dict[str, list[tuple[bool, bool]]] = {}
    n_right = n_holding = n_named = 0
    for answer, query in asked:
        if query.level == CLEAN:
            continue
        named = {planted.loaded[number] for number, score in answer if score > cut}
        right = query.source in named
        first = bool(answer) and planted.loaded[answer[0][0]] == query.source
        cells.setdefault(f"{query.level} {'edited' if query.edited else 'verbatim'}", []).append((first, right))
        n_right, n_named = n_right + right, n_named + len(named)
        others = (Path(planted.folder) / name for name in named if name != query.source)
        n_holding += right + sum(holds_stretch(other, query.passage) for other in others)
    return {
        "cut": cut,
        "precision": n_right / n_named if n_named else None,
        "precision_stretch": n_holding / n_named if n_named else None,
        "cells": {
            cell: {
                "first": sum(first for first, _ in some) / len(some),
                "named": sum(one for _, one in some) / len(some),
            }
            for cell, some in cells.items()
        },
    }


def _cut(clean: Sequence[Answer]) -> float:
    """Return the score that at most one clean answer in a hundred exceeds."""
    best = sorted((answer[0][1] if answer else 0.0) for answer in clean)
    return float(best[len(best) - 1 - int(CLEAN_SHARE * len(best))])


def table(figures: Figures) -> str:
    """Return the figures as Markdown tables: costs, then shares found."""
    work = figures["workload"]
    cells = [f"{level} {kind}" for level in LEVELS for kind in ("verbatim", "edited")]
    lines = [
        report.line(figures["about"]),
        f"{work['n_documents']:,} documents, {work['n_bytes'] / 1e6:.1f} MB; texts of {work['text_words']:,} words: "
        f"{work['n_clean']} clean, {work['n_per_cell']} for each level, verbatim and edited",
        "",
        *report.head(
            "| | load, MB a CPU second | query p50 | p99 | memory a document | disk a document | precision | stretch |"
        ),
    ]
    done = [one for one in figures["results"] if "failed" not in one]
    for one in done:
        lines.append(
            f"| {one['name']} | {one['load_mb_per_cpu_s']:.1f} | {report.time(one['query_p50_s'])} "
            f"| {report.time(one['query_p99_s'])} | {report.size(one['held_bytes_per_document'])} "
            f"| {report.size(one['disk_bytes_per_document']) if one['disk_bytes_per_document'] else 'cannot be saved'} "
            f"| {_share(one['found']['precision'])} | {_share(one['found'].get('precision_stretch'))} |"
        )
    lines += ["", *report.head("| first / above the cut | " + " | ".join(cells) + " |")]
    for one in done:
        found = (one["found"]["cells"][cell] for cell in cells)
        shares = " | ".join(f"{cell['first']:.2f} / {cell['named']:.2f}" for cell in found)
        lines.append(f"| {one['name']} | {shares} |")
    lines += [f"\n{one['name']}: {one['failed']}" for one in figures["results"] if "failed" in one]
    return "\n".join(lines) + "\n"


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.3f}"
