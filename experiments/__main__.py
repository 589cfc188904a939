"""The experiments' command line: `python -m experiments --help`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from experiments import retrieval, shingles
from pmbf.params import Params


def main() -> None:
    """Run the experiment the command line names."""
    arguments = _parser().parse_args()
    if arguments.command == "shingles":
        print(shingles.run(arguments.corpora, n_pairs=arguments.pairs, out=arguments.out))
    else:
        params = Params(**dict(map(_assignment, arguments.set)))
        print(retrieval.run(arguments.corpora / "pan13_train", params=params, out=arguments.out))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in (
        ("shingles", "how long a shingle should be: recall against noise, by length"),
        ("retrieval", "candidate recall and false rows on PAN13's training corpus"),
    ):
        command = commands.add_parser(name, help=what, description=what)
        command.add_argument("corpora", type=Path, help="folder with pan13_train/ and zh_subset/")
        command.add_argument("--out", type=Path, help="JSON file to write")
    commands.choices["shingles"].add_argument("--pairs", type=int, default=200, help="pairs per kind (default: 200)")
    commands.choices["retrieval"].add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the collection (repeatable)"
    )
    return parser


def _assignment(words: str) -> tuple[str, Any]:
    name, _, value = words.partition("=")
    return name, json.loads(value) if value[:1].isdigit() or value in ("true", "false") else value


if __name__ == "__main__":
    main()
