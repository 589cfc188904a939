"""The experiments' command line: `python -m experiments --help`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from experiments import (
    alignment,
    certainty,
    classes,
    edited,
    growing,
    leaks,
    others,
    planted,
    short,
    similar,
)
from experiments.arguments import assignment, check, positive
from experiments.commands import EXPERIMENTS
from experiments.corpus import command as corpus
from experiments.near import command as near
from experiments.pan import command as pan
from experiments.paper import command as paper
from experiments.sentences import command as sentences
from measure.corpora import HALVES
from pmbf import kernels
from pmbf.base.errors import PmbfError
from pmbf.base.params import PROFILES
from pmbf.screen.options import SENSITIVITIES

EXIT_CODES = """Exit code: 0; 2 for wrong usage; 3 if a file cannot be used or written, or if a part was not done.
Standard error then names it."""


def main() -> None:
    """Run the experiment that the command line names. A known error prints a line and no traceback."""
    arguments = _parser().parse_args()
    try:
        check(arguments)
        sys.exit(_run(arguments))
    except PmbfError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(3)
    except OSError as error:
        print(f"error: {error.filename}: {error.strerror}" if error.filename else f"error: {error}", file=sys.stderr)
        sys.exit(3)
    except KeyboardInterrupt:
        kept = arguments.command == "corpus" or (arguments.command == "pan" and arguments.step in ("align", "retrieve"))
        more = "; finished parts are kept, and the same command does the others" if kept else ""
        print(f"stopped{more}", file=sys.stderr)
        sys.exit(130)


def _run(arguments: argparse.Namespace) -> int:
    """Run the experiment, and return the exit code."""
    if arguments.command == "corpus":
        return corpus.run(arguments)
    if kernels.NATIVE_MISSING:
        print(f"running on NumPy, many times slower: {kernels.NATIVE_MISSING}", file=sys.stderr)
    if arguments.command == "pan":
        return pan.run(arguments)
    print(EXPERIMENTS[arguments.command](arguments))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__, epilog=EXIT_CODES)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in (
        ("retrieval", "recall of candidates on the training corpus of PAN13"),
        ("growing", "what is found as a collection grows, by sensitivity"),
    ):
        command = commands.add_parser(name, help=what, description=what)
        command.add_argument("corpora", type=Path, help="folder with pan13_train/ and zh_subset/")
        command.add_argument("--out", type=Path, help="write the figures into this file, as JSON")
    _add_retrieval(commands.choices["retrieval"])
    _add_growing(commands.choices["growing"])
    _add_edited(
        commands.add_parser("edited", help="is the source of an edited passage found?", description=edited.__doc__)
    )
    _add_classes(
        commands.add_parser("classes", help="are planted pairs of a class found?", description=classes.__doc__)
    )
    _add_planted(
        commands.add_parser("planted", help="is the source of a planted passage found?", description=planted.__doc__)
    )
    _add_short(commands.add_parser("short", help="how short may a passage be?", description=short.__doc__))
    _add_alignment(
        commands.add_parser("alignment", help="false alarms between texts of one topic", description=alignment.__doc__)
    )
    corpus.add_arguments(commands.add_parser("corpus", help="build a corpus of real text that the figures name"))
    certainty.add_arguments(
        commands.add_parser("certainty", help="how often is a sure passage wrong?", description=certainty.__doc__)
    )
    near.add_arguments(commands.add_parser("near", help="near-duplicates: accuracy, cost, other libraries"))
    pan.add_arguments(commands.add_parser("pan", help="run and score a PAN corpus"))
    _add_others(
        commands.add_parser(
            "others", help="passages in other languages, scripts and kinds of text", description=others.__doc__
        )
    )
    _add_leaks(commands.add_parser("leaks", help="how often is the leak check right?", description=leaks.__doc__))
    commands.add_parser("page", help="write pages of docs/ and their plots from experiments/results")
    sentences.add_arguments(commands.add_parser("sentences", help="measure screening by sentences, and its two codes"))
    similar.add_arguments(commands.add_parser("similar", help="measure the table of similarities of all documents"))
    paper.add_arguments(commands.add_parser("paper", help="run the experiments of the paper, beside its figures"))
    return parser


def _add_alignment(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="folder that has a folder of text files for each topic")
    parser.add_argument("--pairs", type=positive, default=1000, help="number of pairs (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the pairs (default: 0)")
    parser.add_argument("--out", type=Path, help="write the figures into this file, as JSON")


def _add_short(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="folder of documents, searched recursively")
    parser.add_argument("--passages", type=positive, default=1000, help="number of passages (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the passages (default: 0)")
    parser.add_argument("--out", type=Path, help="write the figures into this file, as JSON")
    _add_params(parser)


def _add_retrieval(parser: argparse.ArgumentParser) -> None:
    _add_params(parser)
    parser.add_argument(
        "--half", choices=HALVES, help="half of the suspicious documents, by their numbers (default: both)"
    )
    parser.add_argument(
        "--sensitivity", choices=SENSITIVITIES, default="normal", help="of the screenings (default: normal)"
    )
    parser.add_argument("--filler", type=Path, metavar="FOLDER", help="load the .txt files of this folder, too")
    parser.add_argument(
        "--filler-texts", type=positive, metavar="N", help="number of these files, drawn by chance (default: all)"
    )


def _add_growing(parser: argparse.ArgumentParser) -> None:
    _add_params(parser)
    parser.description = growing.__doc__
    parser.add_argument(
        "--half", choices=HALVES, help="half of the suspicious documents, by their numbers (default: both)"
    )
    parser.add_argument("--filler", type=Path, metavar="FOLDER", required=True, help="folder of unrelated .txt files")
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="+",
        metavar="N",
        default=[0, 10_000],
        help="numbers of these files (default: 0 10000)",
    )
    parser.add_argument(
        "--screened", type=positive, default=100, help="texts of each kind screened to the end (default: 100)"
    )


def _add_params(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        type=assignment,
        metavar="NAME=VALUE",
        help="a parameter of the collection (repeatable)",
    )
    parser.add_argument(
        "--profile", choices=PROFILES, default="default", help="parameters of the collection that --set changes"
    )


def _add_edited(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=Path, help="folder of .txt files, searched recursively")
    parser.add_argument(
        "--of", type=Path, metavar="FOLDER", help="folder of the sources, inside the first (default: all)"
    )
    parser.add_argument("--texts", type=positive, default=40, help="number of sources (default: 40)")
    parser.add_argument("--seed", type=int, default=2, help="seed of all random choices (default: 2)")
    parser.add_argument("--out", type=Path, help="write the figures into this file, as JSON")
    _add_params(parser)


def _add_classes(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=Path, help="folder of .txt files, searched recursively")
    parser.add_argument("--texts", type=positive, default=300, help="texts of the class (default: 300)")
    parser.add_argument("--words", type=positive, default=4000, help="words of a text (default: 4000)")
    parser.add_argument("--copied", type=positive, default=30, help="planted pairs of each kind (default: 30)")
    parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="processes (default: 1)")
    parser.add_argument("--seed", type=int, default=2, help="seed of all random choices (default: 2)")
    parser.add_argument("--out", type=Path, help="write the figures into this file, as JSON")


def _add_planted(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="folder of .txt files, searched recursively")
    parser.add_argument(
        "--clean", type=positive, default=200, help="number of texts without a planted passage (default: 200)"
    )
    parser.add_argument(
        "--planted", type=positive, default=100, help="number of texts for each length of passage (default: 100)"
    )
    parser.add_argument("--seed", type=int, default=2, help="seed of the texts (default: 2)")
    parser.add_argument("--out", type=Path, help="write the figures into this file, as JSON")


def _add_others(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("corpora", type=Path, help=f"folder with {', '.join(others.CORPORA)}, or some of them")
    parser.add_argument("--only", nargs="+", choices=list(others.CORPORA), default=(), metavar="NAME")
    parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="processes (default: 1)")
    parser.add_argument("--out", type=Path, help="write the figures into this file, as JSON")


def _add_leaks(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=Path, help="folder of files that share nothing with the protected documents")
    parser.add_argument(
        "--protected", type=Path, nargs="+", required=True, metavar="FOLDER", help="protected documents"
    )
    parser.add_argument("--most", type=positive, metavar="N", help="documents drawn of each protected folder (all)")
    parser.add_argument("--files", type=positive, metavar="N", help="files drawn of the folder (all)")
    parser.add_argument("--endpoint", action="store_true", help="ask the collection's endpoint filter")
    parser.add_argument(
        "--planted", type=positive, default=200, help="number of passages planted in each disguise (default: 200)"
    )
    parser.add_argument("--seed", type=int, default=2, help="seed of the passages (default: 2)")
    parser.add_argument("--out", type=Path, help="write the figures into this file, as JSON")


if __name__ == "__main__":
    main()
