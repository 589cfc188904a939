"""Paths whose file is gone, as `--prune` takes them out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from pmbf.base.contents import reason_of
from pmbf.intake.discovery import Problem
from pmbf.intake.labelling import below
from pmbf.store.catalog_tables import ListedPath


def gone(
    listed: Iterable[ListedPath], roots: Sequence[str | os.PathLike[str]]
) -> tuple[list[ListedPath], list[Problem]]:
    """Return the listed paths below some folders whose file is surely gone, and the folders that prove nothing.

    A folder that is missing or empty itself, as when a disk is not mounted, is a problem.
    """
    folders, problems = [], []
    for root in roots:
        folder = os.path.abspath(os.fspath(root))
        if os.path.isfile(folder):
            continue
        if reason := _why_not(folder):
            problems.append(Problem(folder, f"nothing was pruned below it: {reason}"))
        else:
            folders.append(folder)
    return [one for one in below(listed, folders) if one.size >= 0 and _is_gone(one.path)], problems


def _why_not(folder: str) -> str:
    try:
        return "" if any(os.scandir(folder)) else "is empty: is its disk mounted?"
    except OSError as error:
        return reason_of(error)


def _is_gone(path: str) -> bool:
    """Return whether a file is surely gone; a file that cannot be looked at may be there."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
