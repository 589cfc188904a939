"""The arguments of `python -m experiments sites`."""

from __future__ import annotations

import argparse
from pathlib import Path

from experiments.arguments import positive
from experiments.sites import claims, cost, private, reading, sparing, stolen, united


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the experiment and its options."""
    parser.add_argument(
        "step",
        choices=["cost", "private", "claims", "united", "stolen", "reading", "sparing"],
        help="bytes and times; private questions, their threshold; equality; attacks; what bars and limits cost",
    )
    parser.add_argument(
        "folder", type=Path, help="of cost, private, claims and sparing a corpus of PAN; else a folder of .txt files"
    )
    parser.add_argument("others", type=Path, nargs="*", help="further texts of the site; further data sets")
    parser.add_argument("--cases", type=positive, default=60, help="queries, of each data set (60)")
    parser.add_argument("--seed", type=int, default=1, help="of all draws (1)")
    parser.add_argument("--out", type=Path, help="JSON file to write")


def run(arguments: argparse.Namespace) -> str:
    """Return what the command prints."""
    folder, others, n, out = arguments.folder, arguments.others, arguments.cases, arguments.out
    if arguments.step == "cost":
        return cost.run(folder, others, n=n, out=out)
    if arguments.step == "private":
        return private.run(folder, others, n=n, out=out)
    if arguments.step == "claims":
        return claims.run(folder, others, n=n, out=out)
    if arguments.step == "united":
        return united.run([folder, *others], n=n, out=out)
    if arguments.step == "sparing":
        return sparing.run(folder, seed=arguments.seed, out=out)
    attack = reading.run if arguments.step == "reading" else stolen.run
    return attack(folder, seed=arguments.seed, out=out)
