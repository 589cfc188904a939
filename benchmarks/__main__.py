"""Speed, memory and quality beside a peer or a limit of the machine, taken in the same run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks import (
    doubling,
    growth,
    guard,
    headers,
    huge,
    larger,
    loading,
    page,
    peers,
    reworded,
    selfjoin,
    spread,
    upkeep,
)
from measure import report
from measure.commands import add_all, add_check, check
from pmbf import PmbfError

BENCHMARKS = {
    "peers": (peers, "pmbf beside its peers on a folder of real text"),
    "growth": (growth, "costs by the size of the collection, from a thousand to a million"),
    "larger": (larger, "a collection larger than memory, cold and warm"),
    "guard": (guard, "a leak check as a hook waits for it, with and without the service"),
    "loading": (loading, "short texts and whole documents on their way in"),
    "selfjoin": (selfjoin, "many short texts screened against themselves, beside rensa"),
    "spread": (spread, "a collection on many nodes beside one folder"),
    "headers": (headers, "a header that all documents share"),
    "reworded": (reworded, "reworded texts among many manuals, by two profiles"),
    "huge": (huge, "a text of 50 MB: an extract of it, and itself, screened against it"),
    "doubling": (doubling, "texts compared with each other, as their number doubles"),
    "upkeep": (upkeep, "many short texts: added, listed, checked, removed"),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a benchmark, print its table, and write its figures where they are wanted."""
    given = _parser().parse_args(arguments)
    check(given)
    print(given.run(given), end="")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="benchmark", required=True)
    add_all(commands, BENCHMARKS)
    written = commands.add_parser("page", help="write docs/performance.md and its plots from benchmarks/results")
    add_check(written)
    written.set_defaults(run=_page)
    return parser


def _page(given: argparse.Namespace) -> str:
    if not given.check:
        page.write()
    return report.ages(page.RESULTS, page.TABLES)


if __name__ == "__main__":
    try:
        main()
    except PmbfError as error:
        sys.exit(f"error: {error}")
