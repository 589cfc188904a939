"""A collection of rows beside one with postings: bytes of the index, time of a text, sources named. PAN13's training
corpus among unrelated texts, in one run.

- recall: share of the listed pairs with a case of a kind whose source is a candidate, and whose source is reported;
- time: median processor time of a screening, of candidates alone and of the whole; the first time, and again.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from experiments.arguments import write_figures
from experiments.retrieval import CLEAN, drawn, sources
from measure import report
from measure.corpora import PAN13_KINDS, described, read
from pmbf.collection import Collection
from pmbf.fingerprint import query_sample
from pmbf.intake.texts import Text
from pmbf.params import Params
from pmbf.screen import Options, candidates, screen
from pmbf.screen.options import SENSITIVITIES
from pmbf.store.folder import Store

KINDS = {"postings": Params(), "rows": Params.rows()}
INDEX_KINDS = ("TILE", "POST", "ROWS")
"""Files of the index: rows of the filter and postings."""

METHODS: list[dict[str, str]] = [
    *({"index": "postings", "sensitivity": one} for one in SENSITIVITIES),
    *({"index": "rows", "sensitivity": one} for one in SENSITIVITIES),
    {"index": "rows", "method": "popcount"},
]
SEED = 1


def run(pan: Path, *, filler: Path, n_filler: int | None, n_queries: int, jobs: int, out: Path | None) -> str:
    """Load the corpus' sources and unrelated texts into both kinds of collection, screen, and return the table.

    Args:
        pan: The folder `pan13_train`.
        filler: Folder of unrelated `.txt` files to load too, searched recursively.
        n_filler: Number of these files, drawn by chance; None for all.
        n_queries: Suspicious documents of each kind, drawn by chance.
        jobs: Threads of the loads.
        out: JSON file to write.
    """
    with tempfile.TemporaryDirectory() as place:
        loads = {
            name: _loaded(Path(place) / name, name, [pan / "src", *drawn(filler, n_filler)], jobs) for name in KINDS
        }
        found = []
        for how in METHODS:
            with Store(Path(place) / how["index"]) as store:
                options = Options.of({name: value for name, value in how.items() if name != "index"})
                found += [how | _screened(store, pan, kind, n_queries, options) for kind in [CLEAN, *PAN13_KINDS]]
    figures = {
        "about": report.about(),
        "sources": described(pan / "src"),
        "filler": described(filler),
        "n_filler": n_filler,
        "n_queries": n_queries,
        "loads": loads,
        "found": found,
    }
    write_figures(figures, out)
    return table(figures)


def _loaded(folder: Path, index: str, paths: list[Path], jobs: int) -> dict[str, Any]:
    """Load files into a collection; return its bytes and the processor time."""
    started = time.process_time()
    with Collection(folder, create=True, params=KINDS[index]) as collection:
        collection.load(paths, jobs=jobs)
    seconds = time.process_time() - started
    with Collection(folder) as collection, Store(folder) as store:
        sizes = {kind: sum(file.payload_bytes for file in store.catalog.files(kind)) for kind in INDEX_KINDS}
        n_documents = collection.stats().n_documents
    return {"n_documents": n_documents, "load_cpu_s": seconds, "bytes": sizes, "index_bytes": sum(sizes.values())}


def _screened(store: Store, pan: Path, kind: str, n_queries: int, options: Options) -> dict[str, Any]:
    """Screen suspicious documents of one kind, each four times: candidates alone and the whole, first and again."""
    wanted_of = sorted(sources(pan, kind, None).items())
    chosen = np.random.default_rng(SEED).permutation(len(wanted_of))[:n_queries]
    n_pairs, n_candidates, n_named, n_reported, seconds = 0, 0, 0, 0, list[tuple[float, ...]]()
    for suspicious, wanted in (wanted_of[at] for at in chosen.tolist()):
        text = read(pan / "susp" / suspicious)
        names, first, again = _twice(partial(_candidates, store, text, options))
        reported, whole_first, whole_again = _twice(partial(_reported, store, text, options))
        n_pairs, n_candidates = n_pairs + len(wanted), n_candidates + len(names)
        n_named, n_reported = n_named + len(wanted & names), n_reported + len(wanted & reported)
        seconds.append((first, again, whole_first, whole_again))
    columns = ("candidates_first_s", "candidates_s", "screen_first_s", "screen_s")
    times = {name: median(one) for name, one in zip(columns, zip(*seconds, strict=True), strict=True)}
    means = {f"{name}_mean": float(np.mean(one)) for name, one in zip(columns, zip(*seconds, strict=True), strict=True)}
    shares = {"recall": n_named / n_pairs, "reported": n_reported / n_pairs, "candidates": n_candidates / len(chosen)}
    return {"kind": kind, "n_pairs": n_pairs, "n_queries": len(chosen)} | shares | times | means


def _candidates(store: Store, text: str, options: Options) -> set[str]:
    found = candidates(store.generation, query_sample(text, store.params), options)
    return {path for some in store.paths_of([one.document for one in found]).values() for path in some}


def _reported(store: Store, text: str, options: Options) -> set[str]:
    return {path for match in screen(store, Text("", text), options=options).matches for path in match.document.paths}


def _twice(call: Callable[[], set[str]]) -> tuple[set[str], float, float]:
    """Return what a call returns, and the processor time of a first and of a second call."""
    seconds, found = list[float](), set[str]()
    for _ in range(2):
        started = time.process_time()
        found = call()
        seconds.append(time.process_time() - started)
    return found, seconds[0], seconds[1]


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown: bytes and loads, sources named, time of a text without a source."""
    usual, of_rows = figures["loads"]["postings"], figures["loads"]["rows"]
    lines = [
        f"{usual['n_documents']:,} documents. The index takes {report.size(of_rows['index_bytes'])} in place of "
        f"{report.size(usual['index_bytes'])}: {of_rows['index_bytes'] / usual['index_bytes']:.2f} times as much; "
        f"a load {of_rows['load_cpu_s'] / usual['load_cpu_s']:.2f} times the processor time.",
        "",
        *report.head("| index | sensitivity | verbatim | random | translated | summarised | candidates a query |"),
    ]
    by_method = [(how, [one for one in figures["found"] if how.items() <= one.items()]) for how in METHODS]
    for how, some in by_method:
        cells = [f"{one['recall']:.3f}, {one['reported']:.3f}" for one in some if one["kind"] != CLEAN]
        n_candidates = [one["candidates"] for one in some]
        lines.append(f"{_name(how)} {' | '.join(cells)} | {min(n_candidates):.1f} to {max(n_candidates):.1f} |")
    what = "a text without a source: candidates, first"
    lines += ["", *report.head(f"| index | sensitivity | {what} | again | whole screening, first | again | mean |")]
    for how, some in by_method:
        [clean] = [one for one in some if one["kind"] == CLEAN]
        names = ("candidates_first_s", "candidates_s", "screen_first_s", "screen_s", "screen_s_mean")
        lines.append(f"{_name(how)} {' | '.join(report.time(clean[name]) for name in names)} |")
    return "\n".join(lines)


def _name(how: dict[str, str]) -> str:
    return f"| {how['index']} | {how.get('sensitivity', '`--method popcount`')} |"
