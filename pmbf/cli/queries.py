"""The texts that `pmbf screen` screens: words become origins of texts, folders are walked through."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from pmbf.cli.inputs import expanded, n_cores
from pmbf.extract import Limits
from pmbf.intake.discovery import Problem, discover
from pmbf.intake.texts import Origin, Text, read_leniently

MOST_WITHOUT_PROCESSES = 24
"""Up to 24 files are screened in one process by default: starting further processes takes half a second."""


def queries(words: Sequence[str], name: str | None) -> Iterator[Origin | Text]:
    """Yield the texts that the words of a command line name, in order; folders and glob patterns are expanded.

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


def with_streams_read(planned: Iterable[Origin | Text], limits: Limits) -> Iterator[Origin | Text]:
    """Yield texts to screen; those that come once and for this process alone are read here."""
    for one in planned:
        yield read_leniently(one, limits) if isinstance(one, Origin) and one.is_stream else one


def usual_jobs(n_files: int) -> int:
    """Return the default number of processes: one a core for more than 24 files, else one."""
    return n_cores() if n_files > MOST_WITHOUT_PROCESSES else 1
