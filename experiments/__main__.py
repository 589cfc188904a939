"""The experiments' command line: `python -m experiments --help`."""

from __future__ import annotations

import argparse
import sys

from experiments import (
    alignment,
    certainty,
    classes,
    edited,
    growing,
    leaks,
    others,
    planted,
    retrieval,
    short,
    similar,
)
from experiments.arguments import params_of
from experiments.corpus import command as corpus
from experiments.near import accuracy, peers
from experiments.near import cost as near_cost
from experiments.pages import PAGES
from experiments.pages.page import RESULTS
from experiments.pan import command as pan
from experiments.paper import command as paper
from experiments.sentences import cost, lone, recall
from measure import report
from measure.commands import add_all, add_check, check, check_files
from pmbf import kernels
from pmbf.base.errors import PmbfError

EXIT_CODES = """Exit code: 0; 2 for wrong usage; 3 if a file cannot be used or written, or if a part was not done.
Standard error then names it."""

EXPERIMENTS = {
    "retrieval": (retrieval, "recall of candidates on the training corpus of PAN13"),
    "growing": (growing, "what is found as a collection grows, by sensitivity"),
    "edited": (edited, "is the source of an edited passage found?"),
    "classes": (classes, "are planted pairs of a class found?"),
    "planted": (planted, "is the source of a planted passage found?"),
    "short": (short, "how short may a passage be?"),
    "alignment": (alignment, "false alarms between texts of one topic"),
    "certainty": (certainty, "how often is a sure passage wrong?"),
    "others": (others, "passages in other languages, scripts and kinds of text"),
    "leaks": (leaks, "how often is the leak check right?"),
    "similar": (similar, "the table of similarities of all documents, as an archive grows"),
}
NEAR = {
    "accuracy": (accuracy, "F1 on labelled revisions"),
    "cost": (near_cost, "times of both plans"),
    "peers": (peers, "beside other libraries"),
}
SENTENCES = {
    "recall": (recall, "edited passages"),
    "lone": (lone, "edited units alone"),
    "cost": (cost, "bytes and times"),
}


def main() -> None:
    """Run the experiment that the command line names. A known error prints a line and no traceback."""
    given = _parser().parse_args()
    try:
        _check(given)
        if kernels.NATIVE_MISSING and given.command != "corpus":
            print(f"running on NumPy, many times slower: {kernels.NATIVE_MISSING}", file=sys.stderr)
        result = given.run(given)
        if isinstance(result, str):
            print(result)
        sys.exit(0 if isinstance(result, str) else result)
    except PmbfError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(3)
    except OSError as error:
        print(f"error: {error.filename}: {error.strerror}" if error.filename else f"error: {error}", file=sys.stderr)
        sys.exit(3)
    except KeyboardInterrupt:
        kept = given.command == "corpus" or (given.command == "pan" and given.step in ("align", "retrieve"))
        more = "; finished parts are kept, and the same command does the others" if kept else ""
        print(f"stopped{more}", file=sys.stderr)
        sys.exit(130)


def _check(given: argparse.Namespace) -> None:
    if given.command == "pan":  # a corpus of PAN's may lie deeper, and says so itself
        if given.step in ("score", "rivals"):
            check_files(given)
    elif given.command != "corpus":
        check(given)
    if hasattr(given, "profile"):
        given.params = params_of(given)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__, epilog=EXIT_CODES)
    commands = parser.add_subparsers(dest="command", required=True)
    add_all(commands, EXPERIMENTS)
    for name, what, steps in (
        ("near", "near-duplicates: accuracy, cost, other libraries", NEAR),
        ("sentences", "screening by sentences, and its two codes", SENTENCES),
    ):
        add_all(commands.add_parser(name, help=what).add_subparsers(dest="step", required=True), steps)
    for name, what, module in (
        ("corpus", "build a corpus of real text that the figures name", corpus),
        ("pan", "run and score a PAN corpus", pan),
        ("paper", "run the experiments of the paper, beside its figures", paper),
    ):
        one = commands.add_parser(name, help=what)
        module.add_arguments(one)
        one.set_defaults(run=module.run)
    page = commands.add_parser("page", help="write pages of docs/ and their plots from experiments/results")
    add_check(page)
    page.set_defaults(run=_page)
    return parser


def _page(given: argparse.Namespace) -> str:
    for page in () if given.check else PAGES:
        page.write()
    return report.ages(RESULTS, sorted(path.stem for path in RESULTS.glob("*.json"))).rstrip()


if __name__ == "__main__":
    main()
