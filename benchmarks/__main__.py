"""Speed, memory and quality beside a peer or a limit of the machine, taken in the same run."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from benchmarks import (
    growth,
    guard,
    larger,
    loading,
    page,
    peers,
    selfjoin,
    spread,
    upkeep,
)
from measure import report
from pmbf import PmbfError

BENCHMARKS = (
    peers,
    growth,
    larger,
    guard,
    loading,
    selfjoin,
    spread,
    upkeep,
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a benchmark, print its table, and write its figures where they are wanted."""
    given = _parser().parse_args(arguments)
    if given.benchmark == "page":
        page.write(earlier=given.earlier)
        return
    figures: dict[str, Any] = {"benchmark": given.benchmark, "about": report.about()} | given.run(given)
    print(given.table(figures), end="")
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    some = parser.add_subparsers(dest="benchmark", required=True)
    for one in BENCHMARKS:
        one.add_arguments(some)
    written = some.add_parser("page", help="write docs/performance.md and its plots from benchmarks/results")
    written.add_argument("--earlier", action="store_true", help="take figures of an earlier engine; the page says so")
    return parser


if __name__ == "__main__":
    try:
        main()
    except PmbfError as error:
        sys.exit(f"error: {error}")
