"""How costs grow with a collection: of real documents as far as there are enough, then of made-up fingerprints.

Loading, asking and the command line run each in processes of their own. Times are CPU time on one core. Three are times
on the clock, with the files in the system's cache: opening, loading in several processes, and the wait for
`pmbf screen`. Other work on the machine makes these longer.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks import arguments, stages, synthetic
from benchmarks.results import measure_each
from measure import report
from measure.planting import CLEAN, Planted
from measure.process import ROOT, alone, folder_bytes, installed, peak_bytes, resident_bytes
from measure.timing import asked, clock_s, command_s, p50_p99
from pmbf import Collection
from pmbf.fingerprint import query_sample
from pmbf.intake.texts import Text
from pmbf.screen import Folder, candidates, screen
from pmbf.store.folder import Store

Figures = dict[str, Any]

REAL = (1000, 10_000, 80_000)
SYNTHETIC = (100_000, 1_000_000)
DOCUMENT_HASHES, SMALL_HASHES = 300, 60
"""Hashes of a made-up document, as of a text of 6,000 characters, and of a small one, as of 1,200 characters."""
QUERY_HASHES, PLANTED = 1200, 0.05
"""Hashes of a made-up query, as of a text of 4,000 words, and the share of them that one document has."""
N_QUERIES = 200
_REPEATS = 5


def add_arguments(one: argparse.ArgumentParser) -> None:
    """Add the arguments of the benchmark."""
    arguments.add_texts(one)
    one.add_argument("--real", nargs="*", type=int, default=REAL, metavar="N", help="numbers of the folder's documents")
    one.add_argument(
        "--synthetic", nargs="*", type=int, default=SYNTHETIC, metavar="N", help="numbers of made-up documents"
    )
    one.add_argument(
        "--small", nargs="*", type=int, default=(), metavar="N", help="numbers of small made-up documents (none)"
    )
    one.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes of a second load, beside one (cores)"
    )
    one.add_argument("--update", action="store_true", help="keep the other figures in OUT")


def run(given: argparse.Namespace) -> Figures:
    """Return the figures of the sizes that were asked for."""
    with arguments.texts(given) as texts:
        how: Figures = {"real": given.real, "made": given.synthetic, "small": given.small, "jobs": given.jobs}
        how |= {"on_done": arguments.show, "before": arguments.before(given)}
        return arguments.corpus(given) | measured_each(texts, **how)


def measured_each(
    texts: Path,
    *,
    real: Sequence[int],
    made: Sequence[int],
    small: Sequence[int] = (),
    jobs: int,
    on_done: Callable[[Figures], None],
    before: Figures | None = None,
) -> Figures:
    """Return the figures of collections of several sizes.

    Args:
        texts: A file that `Planted.save` wrote: documents and texts to screen.
        real: Numbers of real documents. Numbers over that of the documents are left out.
        made: Numbers of made-up documents.
        small: Numbers of small made-up documents.
        jobs: Processes of a second load, beside a load in one process.
        on_done: Called with the figures of each size.
        before: Figures of an earlier run. Those of sizes that are measured now are replaced.
    """
    n_loaded = len(Planted.read(texts).loaded)
    sizes = [("real", n) for n in real if n <= n_loaded] + [("synthetic", n) for n in made]
    sizes += [("small", n) for n in small]
    named = {f"{n:,} {kind}": (kind, n) for kind, n in sizes}
    known = [one["name"] for one in before["results"]] if before else []
    return measure_each(
        named,
        lambda name: _measured(texts, *named[name], jobs),
        setup={"document_hashes": DOCUMENT_HASHES, "query_hashes": QUERY_HASHES},
        order=sorted({*known, *named}, key=lambda name: (name.split()[1], int(name.split()[0].replace(",", "")))),
        on_done=on_done,
        before=before,
    )


def _measured(texts: Path, kind: str, n_documents: int, jobs: int) -> Figures:
    figures: Figures = {"kind": kind, "n_documents": n_documents}
    with tempfile.TemporaryDirectory() as place:
        if kind != "real":
            n_hashes = SMALL_HASHES if kind == "small" else DOCUMENT_HASHES
            figures |= alone("benchmarks.growth:make", place=place, n_documents=n_documents, n_hashes=n_hashes)
            figures |= alone("benchmarks.growth:ask_made", place=place, n_hashes=n_hashes)
            return figures
        given: Figures = {"texts": str(texts), "place": place, "n_documents": n_documents}
        figures |= alone("benchmarks.growth:load", **given, jobs=1)
        several = alone("benchmarks.growth:load", **given, jobs=jobs)
        figures |= {"jobs": jobs, "load_jobs_s": several["load_s"]}
        figures |= alone("benchmarks.growth:ask", texts=str(texts), place=place)
        query = next(query.text for query in Planted.read(texts).queries if query.source)
        return figures | command_line(Path(place), query)


# ---------------------------------------------------------------------- in processes of their own


def load(texts: str, place: str, n_documents: int, jobs: int) -> Figures:
    """Load `n` real documents, among them those that passages were taken from."""
    planted, before = Planted.read(Path(texts)), resident_bytes()
    paths = chosen(planted, n_documents)
    folder = Path(place) / f"{jobs}.pmbf"
    wall, cpu = perf_counter(), process_time()
    with Collection(folder, create=True) as collection:
        collection.load(paths, jobs=jobs)
    wall, cpu = perf_counter() - wall, process_time() - cpu
    n_bytes = sum(path.stat().st_size for path in paths)
    return {"n_bytes": n_bytes, "load_s": wall, "load_cpu_s": cpu} | _sizes(folder, before)


def make(place: str, n_documents: int, n_hashes: int) -> Figures:
    """Write a collection of made-up documents of `n_hashes` each."""
    before, folder = resident_bytes(), Path(place) / "1.pmbf"
    wall, cpu = perf_counter(), process_time()
    synthetic.write(folder, synthetic.random_documents(n_documents, n_hashes))
    return {"load_s": perf_counter() - wall, "load_cpu_s": process_time() - cpu} | _sizes(folder, before)


def ask(texts: str, place: str) -> Figures:
    """Open a collection of real documents and screen texts with it."""
    queries = [query.text for query in Planted.read(Path(texts)).queries]
    some = random.Random(1).sample(queries, min(N_QUERIES, len(queries)))
    before = resident_bytes()
    store, figures = _opened(Path(place) / "1.pmbf")
    figures |= _asked("candidates", lambda text: candidates(store.generation, query_sample(text, store.params)), some)
    figures |= {"candidates_held_bytes": resident_bytes() - before}
    figures |= stages.measure(store.generation, some)
    figures |= _asked("screen", lambda text: screen(Folder.of(store), Text("", text)), some)
    return figures | {"screen_held_bytes": resident_bytes() - before}


def ask_made(place: str, n_hashes: int) -> Figures:
    """Open a collection of made-up documents, and look for the documents of queries."""
    chance = np.random.default_rng(2)
    first = list(itertools.islice(synthetic.random_documents(N_QUERIES, n_hashes), N_QUERIES))
    some = [synthetic.as_query(synthetic.planted_query(document, QUERY_HASHES, PLANTED, chance)) for document in first]
    before = resident_bytes()
    store, figures = _opened(Path(place) / "1.pmbf")
    figures |= _asked("candidates", lambda sample: candidates(store.generation, sample), some)
    return figures | {"candidates_held_bytes": resident_bytes() - before}


# ---------------------------------------------------------------------- pieces


def chosen(planted: Planted, n_documents: int) -> list[Path]:
    """Return the paths of `n` documents, among them those that passages were taken from."""
    sources = {query.source for query in planted.queries if query.level != CLEAN}
    others = sorted(set(planted.loaded) - sources)
    random.Random(1).shuffle(others)
    names = [*sorted(sources), *others][:n_documents]
    return [Path(planted.folder) / name for name in sorted(names)]


def command_line(place: Path, text: str) -> Figures:
    """Return the seconds of whole processes: `pmbf screen` with one text and, for comparison, `pmbf --help`."""
    file = place / "query.txt"
    file.write_text(text, encoding="utf-8")
    figures: Figures = {}
    screening = ["screen", str(file), "--collection", str(place / "1.pmbf"), "--json"]
    for what, words in (("cli_screen", screening), ("cli_help", ["--help"])):
        command = [sys.executable, "-m", "pmbf", *words]
        wall, cpu = command_s(command, _REPEATS, most_code=1, cwd=ROOT, env=installed())
        figures |= {f"{what}_s": wall, f"{what}_cpu_s": cpu}
    return figures


def _opened(folder: Path) -> tuple[Store, Figures]:
    """Return a collection, and the median seconds of opening it."""
    times = [clock_s(lambda: Store(folder).close()) for _ in range(_REPEATS)]
    return Store(folder), {"open_s": median(times)}


def _asked(what: str, answer: Callable[[Any], Any], queries: Sequence[Any]) -> Figures:
    """Return median and 99th percentile of the seconds of a query."""
    p50, p99 = p50_p99(asked(answer, queries)[1])
    return {f"{what}_p50_s": p50, f"{what}_p99_s": p99}


def _sizes(folder: Path, before: int) -> Figures:
    """Return the bytes of a collection on disk, and the memory that loading took beyond that held before."""
    texts = folder_bytes(folder / "texts")
    return {
        "disk_text_bytes": texts,
        "disk_index_bytes": folder_bytes(folder) - texts,
        "load_peak_bytes": peak_bytes() - before,
    }


def table(figures: Figures) -> str:
    """Return the figures as Markdown tables: loading, then asking."""
    has_small = any(one.get("kind") == "small" for one in figures["results"])
    small = f", small ones of {SMALL_HASHES}" if has_small else ""
    lines = [
        report.line(figures["about"]),
        f"real documents, and synthetic ones of {figures['document_hashes']} hashes{small};",
        f"texts of 4,000 words, queries of {figures['query_hashes']} hashes to the synthetic ones",
        "",
        *report.head("| documents | load, a document | load, MB/s | jobs, MB/s | memory | disk, index | texts |"),
    ]
    done = [one for one in figures["results"] if "failed" not in one]
    for one in done:
        seconds = [one["load_cpu_s"], one["load_jobs_s"]] if "n_bytes" in one else []
        rates = [f"{one['n_bytes'] / some / 1e6:.1f}" for some in seconds] or ["", ""]
        lines.append(
            f"| {one['name']} | {report.time(one['load_cpu_s'] / one['n_documents'])} | {' | '.join(rates)} "
            f"| {report.size(one['load_peak_bytes'])} | {report.size(one['disk_index_bytes'])} "
            f"| {report.size(one['disk_text_bytes'])} |"
        )
    columns = ("open_s", *(f"{what}_{part}_s" for what in ("candidates", "screen") for part in ("p50", "p99")))
    columns += ("cli_screen_cpu_s", "cli_screen_s")
    head = "| documents | open | candidates p50 | p99 | whole screen p50 | p99 | `pmbf screen` | waited | memory |"
    lines += ["", *report.head(head)]
    for one in done:
        times = " | ".join(report.time(one[column]) if column in one else "" for column in columns)
        held = one.get("screen_held_bytes", one["candidates_held_bytes"])
        lines.append(f"| {one['name']} | {times} | {report.size(held)} |")
    lines += stages.table(done)
    lines += [f"\n{one['name']}: {one['failed']}" for one in figures["results"] if "failed" in one]
    return "\n".join(lines) + "\n"
