"""`python -m experiments corpus LIST OUT`: builds a corpus that the docs' figures name."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from experiments.corpus import building

ABOUT = """\
Build a corpus of real text: documents of Debian's packages, one .txt file each, below OUT/PACKAGE/; OUT/.corpus.json
says what each package gave, and of which version. Packages come from the sources that apt is set up with on this
machine; apt-get and dpkg-deb are needed, nothing is installed, and no rights of an administrator are needed.

  apt-get update                                             # on a new machine, as an administrator
  python -m experiments corpus debian-small deb_small        # 65 MB downloaded, 96 MB written: two minutes
  python -m experiments corpus debian-full deb_full          # 343 MB downloaded, 633 MB written: 40 minutes
  python -m experiments corpus debian-small OUT --debs DEBS  # of .deb files that are there already

A list is a file in experiments/corpus/, or any file with one package a line. A build that was stopped goes on with the
first package that is not complete. Packages that cannot be had are told, and the others are written.

Exit code: 0; 2 for wrong usage; 3 when a package could not be had or a file not written."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the list, the folder to write and where packages come from."""
    parser.description, parser.formatter_class = ABOUT, argparse.RawDescriptionHelpFormatter
    parser.add_argument("list", help="debian-small, debian-full, or a file with one package a line")
    parser.add_argument("out", type=Path, help="folder to write")
    parser.add_argument("--debs", type=Path, metavar="FOLDER", help="take NAME_*.deb files of this folder")


def run(given: argparse.Namespace) -> int:
    """Build the corpus, print a line for each package and the total, and return the exit code.

    Raises:
        NotFoundError: There is no such list.
    """
    about, packages = building.listed(given.list)
    print(f"{about} Writing {given.out}.".strip(), flush=True)
    failed = building.build(packages, given.out, debs=given.debs, on_done=lambda line: print(line, flush=True))
    print(f"{given.out}: {building.total(building.summary(given.out))}")
    for line in failed:
        print(f"not there: {line}", file=sys.stderr)
    return 3 if failed else 0
