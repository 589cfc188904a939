"""A collection of the paper's size, asked with all memory and with less than its index takes.

The documents are made up: 14,428 of 11,400 hashes, as of 38,000 words. A query has 1,200 hashes, as of 4,000 words, and
shares 60 of them with a document. *Cold*: the collection is opened anew, and no page of its files is in memory. *Warm*:
the queries are asked for the second time, with other queries in between. Times are those on the clock, since a query
waits for pages.
"""

from __future__ import annotations

import argparse
import itertools
import os
import resource
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import memory, synthetic
from measure import report
from measure.commands import add_numbers
from measure.process import FailedError, alone, folder_bytes, peak_bytes
from measure.timing import clock_s, p50_p99
from pmbf.base.errors import UnsupportedError
from pmbf.kernels import Sample
from pmbf.screen import candidates
from pmbf.store.folder import Store

Figures = dict[str, Any]

DOCUMENTS, DOCUMENT_HASHES = 14_428, 11_400
"""The collection of Tskhay, Butakov & Kim 2014."""
QUERY_HASHES, PLANTED = 1200, 0.05
N_QUERIES, N_COLD = 200, 9
PARTS_OF_INDEX = (2, 4)
"""The bytes of the index by this number are the memory of the process that asks. After it has asked with all memory."""
_FEWER = 5
"""One query in five is asked with less memory: it takes hundreds of times as long."""
_BATCH = 1024
_KINDS = {"tiles": "rows", "postings": "postings", "catalog.sqlite": "catalog", "fingerprints": "fingerprints"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the benchmark."""
    add_numbers(parser, n_documents=(DOCUMENTS, "documents"), n_queries=(N_QUERIES, "queries"))
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the collection here, or take it from here")


def run(*, n_documents: int, n_queries: int, keep: Path | None) -> Figures:
    """Return the figures of a collection: its bytes, and the times of queries with all memory and with less.

    Args:
        n_documents: Documents of the collection.
        n_queries: Queries of each measurement.
        keep: Where the collection is kept, or taken from. None: in a temporary folder.
    """
    with _folder(keep) as folder:
        figures: Figures = {"n_documents": n_documents, "document_hashes": DOCUMENT_HASHES}
        if not folder.exists():
            figures |= alone("benchmarks.larger:make", place=str(folder), n_documents=n_documents)
        figures |= {"n_queries": n_queries, "query_hashes": QUERY_HASHES, "bytes": _bytes_of(folder)}
        index_bytes = sum(n for name, n in figures["bytes"].items() if name != "fingerprints")
        limits = [(None, n_queries), *((index_bytes // part, -(-n_queries // _FEWER)) for part in PARTS_OF_INDEX)]
        results = [_asked(folder, limit, n, is_filtered) for limit, n in limits for is_filtered in (True, False)]
        return figures | {"index_bytes": index_bytes, "results": results}


def make(place: str, n_documents: int) -> Figures:
    """Write the collection."""
    start = perf_counter()
    synthetic.write(Path(place), synthetic.random_documents(n_documents, DOCUMENT_HASHES), batch=_BATCH)
    return {"load_s": perf_counter() - start, "load_peak_bytes": peak_bytes()}


def ask(place: str, n_queries: int, procs: str | None, is_filtered: bool) -> Figures:
    """Open the collection and look for the documents of queries, cold and warm.

    Args:
        place: The collection's folder.
        n_queries: Queries of each round.
        is_filtered: Whether the filter is asked first; else all segments are asked for all hashes.
        procs: The file that takes this process into a group with a limit of memory, or None.
    """
    if procs:
        Path(procs).write_text(str(os.getpid()), encoding="ascii")
    queries = _queries(n_queries)
    memory.drop_pages(Path(place))
    cold = [_cold(Path(place), query, is_filtered) for query in queries[:N_COLD]]
    with _opened(Path(place), is_filtered) as store:
        before = _pages_read()
        first = [clock_s(partial(candidates, store.generation, query)) for query in queries]
        between = _pages_read()
        warm = [clock_s(partial(candidates, store.generation, query)) for query in queries]
        n_pages = _pages_read() - between
    warm_p50, warm_p99 = p50_p99(warm)
    return {
        "cold_s": median(cold),
        "first_p50_s": median(first),
        "warm_p50_s": warm_p50,
        "warm_p99_s": warm_p99,
        "first_faults": (between - before) / len(first),
        "faults": n_pages / len(warm),
        "peak_bytes": peak_bytes(),
    }


def table(figures: Figures) -> str:
    """Return the figures as Markdown: a line about the bytes, and a table of the times."""
    parts = (f"{report.size(n)} {_KINDS[name]}" for name, n in figures["bytes"].items())
    lines = [
        report.line(figures["about"]) if "about" in figures else "",
        f"{figures['n_documents']:,} documents of {figures['document_hashes']:,} hashes; queries of "
        f"{figures['query_hashes']:,}",
        f"on disk: {', '.join(parts)}",
        "",
        *report.head("| memory | filter | cold | first | pages read | warm p50 | p99 | pages read | held at most |"),
    ]
    for one in figures["results"]:
        allowed = report.size(one["limit_bytes"]) if one["limit_bytes"] else "all"
        if "skipped" in one:
            lines.append(f"| {allowed} | not measured: {one['skipped']} | | | | | | | |")
            continue
        cold, first, *warm = (report.time(one[name]) for name in ("cold_s", "first_p50_s", "warm_p50_s", "warm_p99_s"))
        cells = [allowed, "asked" if one["is_filtered"] else "not asked", cold, first, f"{one['first_faults']:,.1f}"]
        cells += [*warm, f"{one['faults']:,.1f}", report.size(one["peak_bytes"])]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------------- pieces


def _asked(folder: Path, limit_bytes: int | None, n_queries: int, is_filtered: bool) -> Figures:
    figures: Figures = {"limit_bytes": limit_bytes, "is_filtered": is_filtered}
    try:
        with memory.limited(limit_bytes) if limit_bytes else nullcontext() as procs:
            given = str(procs) if procs else None
            how: dict[str, Any] = {"n_queries": n_queries, "procs": given, "is_filtered": is_filtered}
            asked: Figures = alone("benchmarks.larger:ask", place=str(folder), **how)
            return figures | asked
    except (UnsupportedError, FailedError) as error:  # a group may be too small for Python and NumPy alone
        if not limit_bytes:
            raise
        return figures | {"skipped": str(error)}


@contextmanager
def _opened(folder: Path, is_filtered: bool) -> Iterator[Store]:
    with Store(folder) as store:
        if not is_filtered:
            store.generation.posted.row_files = {}
        yield store


def _pages_read() -> float:
    """Return how many pages of 4 KB this process has had read, those read ahead too."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_inblock / 8


def _cold(folder: Path, query: Sample, is_filtered: bool) -> float:
    """Return the seconds of opening a collection and asking one query, both without a page in memory."""
    memory.drop_pages(folder)
    start = perf_counter()
    with _opened(folder, is_filtered) as store:
        candidates(store.generation, query)
        return perf_counter() - start


def _queries(n: int) -> list[Sample]:
    chance = np.random.default_rng(2)
    documents = itertools.islice(synthetic.random_documents(n, DOCUMENT_HASHES), n)
    return [
        synthetic.as_query(synthetic.planted_query(document, QUERY_HASHES, PLANTED, chance)) for document in documents
    ]


def _bytes_of(folder: Path) -> dict[str, int]:
    """Return the bytes of a collection by the part of it."""
    return {name: folder_bytes(path) if (path := folder / name).is_dir() else path.stat().st_size for name in _KINDS}


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place:
        yield keep or Path(place) / "larger.pmbf"
