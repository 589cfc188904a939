"""`python -m experiments similar width|archive FOLDER`."""

from __future__ import annotations

import argparse
from pathlib import Path

from experiments.arguments import positive
from experiments.similar import archive, width

ABOUT = """\
The table of similarities of all documents of a collection.

  python -m experiments corpus debian-full deb_full
  python -m experiments similar archive deb_full --out experiments/results/similar-archive.json
  python -m experiments corpus linux-docs linux
  python -m experiments similar width linux --out experiments/results/similar-width.json

width compares chunk IDs of 28, 30 and 32 bits with exact numbers. archive measures full and incremental runs as an
archive grows, and compares the table of the last incremental run with that of a full one.

  PMBF_KILLS=100 pytest -n0 tests/similar/test_faults.py -k killed

kills runs at 100 random moments."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the experiment and its options."""
    parser.description, parser.formatter_class = ABOUT, argparse.RawDescriptionHelpFormatter
    parser.add_argument("what", choices=["width", "archive"], help="the experiment")
    parser.add_argument("folder", type=Path, help="folder of .txt files, searched recursively")
    parser.add_argument("--bits", type=int, nargs="+", default=[28, 30, 32], metavar="N", help="widths (28 30 32)")
    parser.add_argument("--sizes", type=positive, nargs="+", default=[10_000, 20_000, 40_000, 80_000], metavar="N")
    parser.add_argument("--changed", type=positive, default=100, help="documents that change (default: 100)")
    parser.add_argument("--rounds", type=positive, default=3, help="incremental runs (default: 3)")
    parser.add_argument("--jobs", type=positive, default=2, help="processes of a full run (default: 2)")
    parser.add_argument("--seed", type=int, default=2, help="seed of all random choices (default: 2)")
    parser.add_argument("--out", type=Path, help="write the figures into this file, as JSON")


def run(given: argparse.Namespace) -> str:
    """Run the experiment, and return its table in Markdown."""
    if given.what == "width":
        return width.run(given.folder, given.bits, given.out)
    how = {"sizes": given.sizes, "n_changed": given.changed, "rounds": given.rounds, "jobs": given.jobs}
    return archive.run(given.folder, **how, seed=given.seed, out=given.out)
