"""Speed, memory and quality beside a peer or a limit of the machine, taken in the same run."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import (
    alignment,
    evidence,
    filters,
    growth,
    guard,
    inverted,
    limit,
    page,
    peers,
    resultsets,
    sampling,
    spread,
    upkeep,
    web,
)
from benchmarks.filter_methods import METHODS
from benchmarks.peer_methods import PEERS
from measure import report
from measure.planting import plant

Figures = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a benchmark, print its table, and write its figures where they are wanted."""
    given = _parser().parse_args(arguments)
    if given.benchmark == "page":
        page.write()
        return
    figures: Figures = {"benchmark": given.benchmark, "about": report.about()} | given.run(given)
    print(given.table(figures), end="")
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    some = parser.add_subparsers(dest="benchmark", required=True)
    one = _benchmark(some, "limit", "the kernels beside what memory allows", limit.table)
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
    _add_only(one, list(limit.PARTS))
    one.set_defaults(run=_limit)
    one = _benchmark(some, "filters", "a filter beside other ways to find a document by its hashes", filters.table)
    one.add_argument("--full", action="store_true", help="14,428 documents of 11,400 hashes; takes 4 GB of memory")
    one.add_argument("--rounds", type=int, default=5, help="rounds; each time is that of the fastest (5)")
    _add_only(one, list(METHODS))
    one.set_defaults(run=_filters)
    one = _benchmark(some, "peers", "pmbf beside its peers on a folder of real text", peers.table)
    _add_texts(one)
    _add_only(one, list(PEERS))
    one.set_defaults(run=_peers)
    one = _benchmark(some, "growth", "costs by the size of the collection, from a thousand to a million", growth.table)
    _add_texts(one)
    one.add_argument(
        "--real", nargs="*", type=int, default=growth.REAL, metavar="N", help="numbers of the folder's documents"
    )
    one.add_argument(
        "--synthetic", nargs="*", type=int, default=growth.SYNTHETIC, metavar="N", help="numbers of made-up documents"
    )
    one.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes of a second load, beside one (cores)"
    )
    one.add_argument("--update", action="store_true", help="keep the other figures in OUT")
    one.set_defaults(run=_growth)
    one = _benchmark(some, "align", "two texts compared in detail, beside difflib", alignment.table)
    one.add_argument("folder", type=Path, help="searched recursively for .txt files")
    one.add_argument("--rounds", type=int, default=15, help="rounds; each time is the least (15)")
    one.set_defaults(run=lambda given: alignment.run(given.folder, n_rounds=given.rounds))
    one = _benchmark(some, "guard", "a leak check as a hook waits for it, with and without the service", guard.table)
    one.add_argument("folder", type=Path, help="searched recursively for .txt files")
    one.add_argument("--documents", type=int, default=10_000, help="number of protected documents (10000)")
    one.add_argument("--rounds", type=int, default=9, help="rounds; each time is that of the fastest (9)")
    one.set_defaults(run=_guard)
    _add_many_texts(some)
    _add_pages(some)
    some.add_parser("page", help="write docs/performance.md and its plots from benchmarks/results")
    return parser


def _add_many_texts(some: Any) -> None:
    """Add what is measured of everyone with everyone, and of collections of many short texts."""
    one = _benchmark(some, "inverted", "everyone with everyone by features, beside NumPy and rensa", inverted.table)
    one.add_argument("folder", type=Path, help="searched recursively for .txt files")
    one.add_argument("--short", type=int, default=20_000, help="number of short texts (20000)")
    one.add_argument("--rounds", type=int, default=3, help="rounds; each time is that of the fastest (3)")
    one.set_defaults(run=lambda given: inverted.run(given.folder, n_short=given.short, n_rounds=given.rounds))
    one = _benchmark(some, "resultsets", "a hundred articles compared with each other, and over HTTP", resultsets.table)
    one.add_argument("folder", type=Path, help="searched recursively for .txt files")
    one.add_argument("--rounds", type=int, default=40, help="rounds; each time is their median (40)")
    one.add_argument("--requests", type=int, default=3000, help="requests over HTTP (3000)")
    one.set_defaults(run=lambda given: resultsets.run(given.folder, n_rounds=given.rounds, n_requests=given.requests))
    one = _benchmark(some, "spread", "a collection on many nodes beside one folder", spread.table)
    one.add_argument("texts", type=Path, metavar="FOLDER", help="a folder with .txt files")
    one.add_argument("--documents", type=int, default=3000, help="documents, at most (3000)")
    one.add_argument("--queries", type=int, default=1000, help="queries of a batch (1000)")
    one.set_defaults(run=lambda given: spread.run(given.texts, n_documents=given.documents, n_queries=given.queries))
    one = _benchmark(some, "upkeep", "many short texts: added, listed, checked, removed", upkeep.table)
    one.add_argument("--documents", nargs="+", type=int, default=upkeep.DOCUMENTS, metavar="N", help="numbers of texts")
    one.add_argument("--words", type=int, default=upkeep.WORDS, help=f"words of a text ({upkeep.WORDS})")
    one.set_defaults(run=lambda given: upkeep.run(given.documents, n_words=given.words, on_done=_show))


def _add_pages(some: Any) -> None:
    """Add what is measured of pages in a browser, and of the application that serves them."""
    one = _benchmark(some, "web", "the web application under users who upload at once", web.table)
    one.add_argument("folder", type=Path, help="searched recursively for .txt files")
    one.add_argument("--documents", type=int, default=2000, help="documents of the collection (2000)")
    one.add_argument("--users", type=int, default=50, help="users who upload at once (50)")
    one.set_defaults(run=lambda given: web.run(given.folder, n_documents=given.documents, n_users=given.users))
    one = _benchmark(some, "evidence", "the evidence page of a long text in Chromium", evidence.table)
    one.add_argument("--sources", choices=("passages", "whole"), default="passages", help="how much of the sources")
    one.add_argument("--keep", type=Path, metavar="FILE", help="where the page is kept")
    one.set_defaults(run=lambda given: evidence.run(sources=given.sources, keep=given.keep))


def _add_only(one: argparse.ArgumentParser, names: list[str]) -> None:
    one.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    one.add_argument("--update", action="store_true", help="keep the other figures in OUT, which had the same input")


def _add_texts(one: argparse.ArgumentParser) -> None:
    one.add_argument("folder", type=Path, help="searched recursively for .txt files")
    one.add_argument("--corpus", metavar="WHAT", help="what the documents are, for the page (the folder's name)")
    one.add_argument("--texts", type=Path, metavar="FILE", help="keep the texts here, or take them from here")
    for name, value in (("clean", 100), ("planted", 84), ("words", 4000)):
        one.add_argument(f"--{name}", type=int, default=value, help=f"see measure/planting.py ({value})")


def _benchmark(some: Any, name: str, about: str, table: Any) -> argparse.ArgumentParser:
    one: argparse.ArgumentParser = some.add_parser(name, help=about, description=about)
    one.add_argument("--json", type=Path, metavar="OUT", help="also write the figures to this file")
    one.set_defaults(table=table)
    return one


def _text(given: str) -> tuple[str, Path]:
    language, _, path = given.partition("=")
    if language not in sampling.NAMES or not path:
        raise argparse.ArgumentTypeError(f"{given!r} names no text, expected for instance en=FILE")
    return language, Path(path)


def _limit(given: argparse.Namespace) -> Figures:
    size, texts = limit.FULL if given.full else limit.SMALL, dict(given.texts)
    return limit.run(size, n_rounds=given.rounds, parts=given.only, texts=texts, before=_before(given))


def _filters(given: argparse.Namespace) -> Figures:
    size = filters.FULL if given.full else filters.SMALL
    return filters.run(size, names=given.only, n_rounds=given.rounds, on_done=_show, before=_before(given))


def _peers(given: argparse.Namespace) -> Figures:
    with _texts(given) as texts:
        return _corpus(given) | peers.run(texts, names=given.only, on_done=_show, before=_before(given))


def _growth(given: argparse.Namespace) -> Figures:
    with _texts(given) as texts:
        sizes = {"real": given.real, "made": given.synthetic}
        return _corpus(given) | growth.run(texts, **sizes, jobs=given.jobs, on_done=_show, before=_before(given))


def _guard(given: argparse.Namespace) -> Figures:
    return guard.run(given.folder, n_documents=given.documents, n_rounds=given.rounds, on_done=_show)


def _before(given: argparse.Namespace) -> Figures | None:
    """Return the earlier figures if they are to be updated, else None."""
    return json.loads(given.json.read_text(encoding="utf-8")) if given.update else None


def _corpus(given: argparse.Namespace) -> Figures:
    return {"corpus": given.corpus or given.folder.name}


@contextmanager
def _texts(given: argparse.Namespace) -> Iterator[Path]:
    """Give the file of texts to screen. If it does not exist, then it is made."""
    with tempfile.TemporaryDirectory() as place:
        file = given.texts or Path(place) / "texts.json"
        if not file.exists():
            made = plant(given.folder, n_clean=given.clean, n_planted=given.planted, n_words=given.words)
            made.save(file)
        yield file


def _show(figures: Figures) -> None:
    print(f"{figures['name']}: {figures.get('failed', 'done')}", flush=True)


if __name__ == "__main__":
    main()
