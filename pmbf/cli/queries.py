"""What `pmbf screen` screens: its words become origins of texts, folders are walked through."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from pmbf.cli.inputs import expanded, n_cores
from pmbf.intake.discovery import Problem, discover
from pmbf.intake.texts import Origin, Text

MOST_WITHOUT_PROCESSES = 24
"""Files that are screened one after another unless processes are asked for: starting those takes half a second."""


def queries(words: Sequence[str], name: str | None) -> Iterator[Origin | Text]:
    """Yield what the words of a command line name, in order; folders are walked through, glob patterns filled in.

    A folder that cannot be entered is yielded as a text that was not read.
    """
    for word in words:
        for path in expanded(word):
            if os.path.isdir(path):
                yield from _inside(path)
            else:
                yield Origin(name or ("stdin" if path == "-" else path), path=path, streams=True)


def _inside(folder: str) -> Iterator[Origin | Text]:
    """Yield a folder's files, named as the user named the folder."""
    start = os.path.abspath(folder)
    for found in discover([folder]):
        if isinstance(found, Problem):
            yield Text(found.path, "", (f"{found.path}: {found.reason}",), unread=True)
        else:
            shown = os.path.join(folder, os.path.relpath(found.path, start))
            yield Origin(shown, path=found.path, met=True)


def usual_jobs(n_files: int) -> int:
    """Return how many processes screen a number of files unless the user says: one a core if there are many files."""
    return n_cores() if n_files > MOST_WITHOUT_PROCESSES else 1
