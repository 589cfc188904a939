"""A collection of rows beside one with postings: bytes of the index, time of a text, sources named. PAN13's training
corpus among unrelated texts, in one run.

- recall: share of the listed pairs with a case of a kind whose source is a candidate, and whose source is reported;
- time: processor time of whole screenings of texts without a source, the collections in turn; a first time, and again.
"""

from __future__ import annotations

import tempfile
import time
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
        with Store(Path(place) / "postings") as usual, Store(Path(place) / "rows") as of_rows:
            times = timed({"postings": usual, "rows": of_rows}, pan, n_queries)
    figures = {
        "about": report.about(),
        "sources": described(pan / "src"),
        "filler": described(filler),
        "n_filler": n_filler,
        "n_queries": n_queries,
        "loads": loads,
        "found": found,
        "times": times,
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
    """Screen suspicious documents of one kind."""
    chosen = _drawn(pan, kind, n_queries)
    n_pairs, n_candidates, n_named, n_reported = 0, 0, 0, 0
    for text, wanted in chosen:
        names, reported = _candidates(store, text, options), _reported(store, text, options)
        n_pairs, n_candidates = n_pairs + len(wanted), n_candidates + len(names)
        n_named, n_reported = n_named + len(wanted & names), n_reported + len(wanted & reported)
    shares = {"recall": n_named / n_pairs, "reported": n_reported / n_pairs, "candidates": n_candidates / len(chosen)}
    return {"kind": kind, "n_pairs": n_pairs, "n_queries": len(chosen)} | shares


def timed(stores: dict[str, Store], pan: Path, n_queries: int) -> dict[str, dict[str, float]]:
    """Return the processor time of texts without a source, by index: the collections are asked in turn, twice."""
    texts = [text for text, _ in _drawn(pan, CLEAN, n_queries)]
    seconds: dict[str, dict[str, list[float]]] = {index: {"first": [], "again": []} for index in stores}
    for when in ("first", "again"):
        for text in texts:
            for index, store in stores.items():
                started = time.process_time()
                _reported(store, text, Options())
                seconds[index][when].append(time.process_time() - started)
    return {
        index: {f"{when}_s": median(some) for when, some in of.items()}
        | {f"{when}_mean_s": float(np.mean(some)) for when, some in of.items()}
        for index, of in seconds.items()
    }


def _drawn(pan: Path, kind: str, n_queries: int) -> list[tuple[str, set[str]]]:
    """Return suspicious documents of one kind, drawn by chance, each with its sources."""
    wanted_of = sorted(sources(pan, kind, None).items())
    chosen = np.random.default_rng(SEED).permutation(len(wanted_of))[:n_queries]
    return [(read(pan / "susp" / wanted_of[at][0]), wanted_of[at][1]) for at in chosen.tolist()]


def _candidates(store: Store, text: str, options: Options) -> set[str]:
    found = candidates(store.generation, query_sample(text, store.params), options)
    return {path for some in store.paths_of([one.document for one in found]).values() for path in some}


def _reported(store: Store, text: str, options: Options) -> set[str]:
    return {path for match in screen(store, Text("", text), options=options).matches for path in match.document.paths}


def ratio_to_both(figures: dict[str, Any]) -> str:
    """Return the bytes of the rows as a share of these rows and the postings together."""
    of_rows, postings = figures["loads"]["rows"]["index_bytes"], figures["loads"]["postings"]["bytes"]["POST"]
    return f"{of_rows / (of_rows + postings):.2f}"


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
    lines += ["", *report.head("| a text without a source | first | again | mean, first | mean, again |")]
    names = ("first_s", "again_s", "first_mean_s", "again_mean_s")
    times = {index: [figures["times"][index][name] for name in names] for index in KINDS}
    lines += [f"| {index} | {' | '.join(map(report.time, some))} |" for index, some in times.items()]
    ratios = [f"{rows / usual:.2f}" for rows, usual in zip(times["rows"], times["postings"], strict=True)]
    lines.append(f"| rows, times that of postings | {' | '.join(ratios)} |")
    return "\n".join(lines)


def _name(how: dict[str, str]) -> str:
    return f"| {how['index']} | {how.get('sensitivity', '`--method popcount`')} |"
