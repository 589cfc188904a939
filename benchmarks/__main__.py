"""python -m benchmarks limit [--full] [--json OUT]      the kernels beside what memory allows"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks import limit, report


def main(arguments: list[str] | None = None) -> None:
    """Run a benchmark, print its table, and write its figures where they are wanted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("benchmark", choices=["limit"])
    parser.add_argument("--full", action="store_true", help="14,428 documents of 11,400 hashes, 262 MB")
    parser.add_argument("--rounds", type=int, default=7, help="each figure is the median of so many (7)")
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the figures to this file")
    given = parser.parse_args(arguments)
    size = limit.FULL if given.full else limit.SMALL
    figures = {"about": report.about(), "size": size.to_dict()}
    figures["results"] = [one.to_dict() for one in limit.measure(size, n_rounds=given.rounds)]
    print(report.table(figures), end="")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
