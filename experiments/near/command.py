"""`python -m experiments near accuracy|cost|peers FOLDER`."""

from __future__ import annotations

import argparse
from pathlib import Path

from experiments.arguments import positive
from experiments.near import accuracy, cost, peers

STEPS = {"accuracy": accuracy, "cost": cost, "peers": peers}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the steps and their folders."""
    steps = parser.add_subparsers(dest="step", required=True)
    for name, module in STEPS.items():
        step = steps.add_parser(name, description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        step.add_argument("folder", type=Path, help="the corpus that `python -m experiments corpus revisions` made")
        step.add_argument("--out", type=Path, help="write the figures into this file, as JSON")
        if name == "accuracy":
            step.add_argument(
                "--others", type=Path, nargs="+", default=(), metavar="FOLDER", help="texts of a background"
            )
        if name == "cost":
            step.add_argument("--sizes", type=positive, nargs="+", default=cost.SIZES, metavar="N")


def run(given: argparse.Namespace) -> str:
    """Run a step and return its table."""
    if given.step == "accuracy":
        return accuracy.run(given.folder, given.others, given.out)
    if given.step == "cost":
        return cost.run(given.folder, given.sizes, given.out)
    return peers.run(given.folder, given.out)
