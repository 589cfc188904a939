"""How costs grow with a collection: of real documents as far as there are enough, then of made-up fingerprints.

Loading, asking and the command line run each in processes of their own. Times are CPU time on one core. Three are times
on the clock, with the files in the system's cache: opening, loading in several processes, and the wait for
`pmbf screen`. Other work on the machine makes these longer.

Real documents are asked for by texts with a planted passage, and by the first words of documents that are held out of
the collection: those have all the sources that a manual has. The engine of an earlier commit is asked the same.
"""

from __future__ import annotations

import argparse
import itertools
import json
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

from benchmarks import arguments, earlier_engine, stages, synthetic
from benchmarks.results import measure_each
from measure import report
from measure.overlap import WORD, read_words
from measure.planting import CLEAN, Planted
from measure.process import ROOT, alone, folder_bytes, installed, peak_bytes, resident_bytes
from measure.timing import asked, clock_s, command_s, p50_p99
from pmbf import Collection
from pmbf.fingerprint import query_sample
from pmbf.intake.texts import Text
from pmbf.screen import Folder, candidates, screen
from pmbf.store.folder import Store

Figures = dict[str, Any]

REAL = (10_000, 20_000, 40_000, 80_000)
SYNTHETIC = (100_000, 1_000_000)
DOCUMENT_HASHES, SMALL_HASHES = 300, 60
"""Hashes of a made-up document, as of a text of 6,000 characters, and of a small one, as of 1,200 characters."""
QUERY_HASHES, PLANTED = 1200, 0.05
"""Hashes of a made-up query, as of a text of 4,000 words, and the share of them that one document has."""
N_QUERIES = 200
HELD_WORDS, N_HELD = (200, 1000, 4000), 40
"""Words of texts that are the beginnings of held-out documents, and how many texts of each length."""
EARLIER = f"real, pmbf {earlier_engine.COMMIT}"
"""The kind of results of real documents with the earlier engine."""
_REPEATS = 5


def add_arguments(one: argparse.ArgumentParser) -> None:
    """Add the arguments of the benchmark."""
    arguments.add_texts(one)
    one.add_argument("--real", nargs="*", type=int, default=REAL, metavar="N", help="numbers of the folder's documents")
    one.add_argument(
        "--earlier", nargs="*", type=int, metavar="N", help="of these, measured with the earlier engine too (all)"
    )
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
        how["earlier"] = given.real if given.earlier is None else given.earlier
        how |= {"on_done": arguments.show, "before": arguments.before(given)}
        return arguments.corpus(given) | measured_each(texts, **how)


def measured_each(
    texts: Path,
    *,
    real: Sequence[int],
    earlier: Sequence[int],
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
        earlier: Numbers of real documents, for the earlier engine.
        made: Numbers of made-up documents.
        small: Numbers of small made-up documents.
        jobs: Processes of a second load, beside a load in one process.
        on_done: Called with the figures of each size.
        before: Figures of an earlier run. Those of sizes that are measured now are replaced.
    """
    n_loaded = len(Planted.read(texts).loaded)
    wanted = {"real": real, EARLIER: earlier}
    sizes = [(kind, n) for kind, some in wanted.items() for n in some if n <= n_loaded]
    sizes += [("synthetic", n) for n in made] + [("small", n) for n in small]
    named = {f"{n:,} {kind}": (kind, n) for kind, n in sizes}
    known = [one["name"] for one in before["results"]] if before else []
    return measure_each(
        named,
        lambda name: _measured(texts, *named[name], jobs),
        setup={"document_hashes": DOCUMENT_HASHES, "query_hashes": QUERY_HASHES},
        order=sorted({*known, *named}, key=lambda name: (name.partition(" ")[2], _number(name))),
        on_done=on_done,
        before=before,
    )


def _measured(texts: Path, kind: str, n_documents: int, jobs: int) -> Figures:
    figures: Figures = {"kind": kind, "n_documents": n_documents}
    with tempfile.TemporaryDirectory() as place:
        if kind in ("real", EARLIER):
            return figures | _real(texts, place, n_documents, jobs, is_earlier=kind == EARLIER)
        n_hashes = SMALL_HASHES if kind == "small" else DOCUMENT_HASHES
        figures |= alone("benchmarks.growth:make", place=place, n_documents=n_documents, n_hashes=n_hashes)
        figures |= alone("benchmarks.growth:ask_made", place=place, n_hashes=n_hashes)
    return figures


def _real(texts: Path, place: str, n_documents: int, jobs: int, *, is_earlier: bool) -> Figures:
    """Return the figures of real documents. The earlier engine is measured by its own tree's functions."""
    own, either = (earlier_engine.own, earlier_engine.ours) if is_earlier else (alone, earlier_engine.today)
    given: Figures = {"texts": str(texts), "place": place}
    figures: Figures = own("benchmarks.growth:load", **given, n_documents=n_documents, jobs=1)
    several = own("benchmarks.growth:load", **given, n_documents=n_documents, jobs=jobs)
    figures |= {"jobs": jobs, "load_jobs_s": several["load_s"]}
    figures |= own("benchmarks.growth:ask", **given)
    held = Path(place) / "held.json"
    planted = Planted.read(texts)
    held.write_text(json.dumps(held_out(planted)), encoding="utf-8")
    figures["held"] = either("screen", folder=f"{place}/1.pmbf", texts=str(held))
    if is_earlier:
        return figures
    return figures | command_line(Path(place), next(query.text for query in planted.queries if query.source))


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


def held_out(planted: Planted) -> dict[str, list[str]]:
    """Return the first words of documents that are not loaded, by their number; documents with fewer are left out."""
    folder, loaded = Path(planted.folder), set(planted.loaded)
    names = sorted({str(path.relative_to(folder)) for path in folder.rglob("*.txt") if path.is_file()} - loaded)
    random.Random(1).shuffle(names)
    texts: dict[str, list[str]] = {f"{n_words:,} words": [] for n_words in HELD_WORDS}
    for text in (read_words(folder / name) for name in names):
        places = [match.end() for match in itertools.islice(WORD.finditer(text), max(HELD_WORDS))]
        for n_words, some in zip(HELD_WORDS, texts.values(), strict=True):
            if len(places) >= n_words and len(some) < N_HELD:
                some.append(text[: places[n_words - 1]])
    return {name: some for name, some in texts.items() if some}


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
    lines += _held_table(done)
    lines += [f"\n{one['name']}: {one['failed']}" for one in figures["results"] if "failed" in one]
    return "\n".join(lines) + "\n"


def _held_table(results: Sequence[Figures]) -> list[str]:
    """Return the lines of the times of held-out documents, with the power of the size by which they grow."""
    rows: dict[tuple[str, str], dict[int, Figures]] = {}
    for one in results:
        for name, times in one.get("held", {}).items():
            rows.setdefault((one["kind"], name), {})[one["n_documents"]] = times
    sizes = sorted({n for times in rows.values() for n in times})
    lines = ["", f"The first words of at most {N_HELD} held-out documents, whole screen: median / longest", ""]
    lines += report.head(f"| words, engine | {' | '.join(f'{n:,}' for n in sizes)} | exponents |")
    for (kind, name), times in sorted(rows.items(), key=lambda row: (_number(row[0][1]), row[0][0])):
        cells = [
            f"{report.time(times[n]['p50_s'])} / {report.time(times[n]['worst_s'])}" if n in times else ""
            for n in sizes
        ]
        powers = " / ".join(report.power({n: some[key] for n, some in times.items()}) for key in ("p50_s", "worst_s"))
        lines.append(f"| {name}{kind.removeprefix('real')} | {' | '.join(cells)} | {powers} |")
    return lines if rows else []


def _number(name: str) -> int:
    """Return the number that a name begins with."""
    return int(name.split()[0].replace(",", ""))
