"""`python -m experiments corpus LIST OUT`: builds a corpus that figures in docs/ name."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from experiments.corpus import building

ABOUT = """\
Build a corpus of real text from the documentation in Debian's packages. Each document is a .txt file below
OUT/PACKAGE/. OUT/.corpus.json has the version, the number of documents and the bytes of each package. Packages come
from the sources that apt is set up with on this machine. apt-get and dpkg-deb are needed. Nothing is installed, and
no rights of an administrator are needed.

  apt-get update                                             # on a new machine, as an administrator
  python -m experiments corpus debian-small deb_small        # 65 MB downloaded, 96 MB written: two minutes
  python -m experiments corpus debian-full deb_full          # 343 MB downloaded, 633 MB written: 40 minutes
  python -m experiments corpus debian-small OUT --debs DEBS  # from .deb files in a folder

A list is a file in experiments/corpus/, or any file with one package a line. If a build was stopped, then the
same command goes on with the first package that is not complete. A package that cannot be had is named on standard
error, and the others are written.

Exit code: 0; 2 for wrong usage; 3 if a package could not be had or a file could not be written."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the list, the folder to write and the folder of packages."""
    parser.description, parser.formatter_class = ABOUT, argparse.RawDescriptionHelpFormatter
    parser.add_argument("list", help="debian-small, debian-full, or a file with one package a line")
    parser.add_argument("out", type=Path, help="folder to write")
    parser.add_argument("--debs", type=Path, metavar="FOLDER", help="use the files NAME_*.deb of this folder")


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
