"""The experiments' command line: `python -m experiments --help`."""

from __future__ import annotations

import argparse
from pathlib import Path

from experiments import shingles


def main() -> None:
    """Run the experiment the command line names."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    shingle = commands.add_parser("shingles", help="how long a shingle should be: recall against noise, by length")
    shingle.add_argument("corpora", type=Path, help="folder with pan13_train/ and zh_subset/")
    shingle.add_argument("--out", type=Path, help="JSON file to write")
    shingle.add_argument("--pairs", type=int, default=200, help="pairs per kind of obfuscation (default: 200)")
    arguments = parser.parse_args()
    print(shingles.run(arguments.corpora, n_pairs=arguments.pairs, out=arguments.out))


if __name__ == "__main__":
    main()
