"""The arguments of `python -m experiments sentences`."""

from __future__ import annotations

import argparse
from pathlib import Path

from experiments.arguments import positive
from experiments.sentences import cost, recall


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the experiment and its options."""
    parser.add_argument(
        "step", choices=["recall", "lone", "cost"], help="edited passages, or units alone, or bytes, times"
    )
    parser.add_argument("folder", type=Path, help="a corpus of PAN, with src and susp; of lone any texts")
    parser.add_argument("others", type=Path, nargs="*", help="folders of further .txt files in the collection")
    parser.add_argument("--cases", type=positive, default=300, help="passages of each kind, or queries (300)")
    parser.add_argument("--seed", type=int, default=2, help="of all draws (2; settings were chosen with 1)")
    parser.add_argument("--out", type=Path, help="JSON file to write")


def run(arguments: argparse.Namespace) -> str:
    """Return what the command prints."""
    pan, others, n = arguments.folder, arguments.others, arguments.cases
    if arguments.step == "cost":
        return cost.run(pan, others, n=n, out=arguments.out)
    if arguments.step == "lone":
        return recall.run_lone([pan, *others], n=n, seed=arguments.seed, out=arguments.out)
    return recall.run(pan, others, n=n, seed=arguments.seed, out=arguments.out)
