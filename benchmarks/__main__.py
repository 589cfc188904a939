"""Speed, memory and quality beside a peer or a limit of the machine, taken in the same run."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import filters, limit, peers, report
from benchmarks.peer_methods import PEERS

Figures = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a benchmark, print its table, and write its figures where they are wanted."""
    given = _parser().parse_args(arguments)
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
    one.add_argument("--rounds", type=int, default=7, help="each figure is the median of so many (7)")
    one.set_defaults(run=lambda given: limit.run(limit.FULL if given.full else limit.SMALL, n_rounds=given.rounds))
    one = _benchmark(some, "filters", "a filter beside other ways to find a document by its hashes", filters.table)
    one.add_argument("--full", action="store_true", help="14,428 documents of 11,400 hashes: 4 GB of memory")
    one.add_argument("--rounds", type=int, default=5, help="each time is that of the fastest of so many (5)")
    one.set_defaults(run=_filters)
    one = _benchmark(some, "peers", "pmbf beside its peers on a folder of real text", peers.table)
    one.add_argument("folder", type=Path, help="searched recursively for .txt files")
    one.add_argument("--only", nargs="+", choices=PEERS, default=list(PEERS), metavar="PEER", help=", ".join(PEERS))
    for name, value in (("clean", 100), ("planted", 84), ("words", 4000)):
        one.add_argument(f"--{name}", type=int, default=value, help=f"see experiments/planting.py ({value})")
    one.set_defaults(run=_peers)
    return parser


def _benchmark(some: Any, name: str, about: str, table: Any) -> argparse.ArgumentParser:
    one: argparse.ArgumentParser = some.add_parser(name, help=about, description=about)
    one.add_argument("--json", type=Path, metavar="OUT", help="also write the figures to this file")
    one.set_defaults(table=table)
    return one


def _filters(given: argparse.Namespace) -> Figures:
    return filters.run(filters.FULL if given.full else filters.SMALL, n_rounds=given.rounds, on_done=_show)


def _peers(given: argparse.Namespace) -> Figures:
    planting = {"n_clean": given.clean, "n_planted": given.planted, "n_words": given.words}
    return peers.run(given.folder, names=given.only, planting=planting, on_done=_show)


def _show(figures: Figures) -> None:
    print(f"{figures['name']}: {figures.get('failed', 'done')}", flush=True)


if __name__ == "__main__":
    main()
