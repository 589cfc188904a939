"""What `pmbf screen` screens: its words become files, folders are walked through, streams are read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pmbf.cli.inputs import expanded, n_cores
from pmbf.cli.outcome import reason
from pmbf.errors import PmbfError, UnsupportedError
from pmbf.extract import Limits, extract
from pmbf.intake.discovery import Problem, discover, read_content
from pmbf.intake.texts import Text
from pmbf.text import clean

MOST_WITHOUT_PROCESSES = 24
"""Files that are screened one after another unless processes are asked for: starting those takes half a second."""


@dataclass(frozen=True, slots=True)
class FileQuery:
    """A file to screen.

    Args:
        path: Where it is; `-` is stdin.
        name: What the user calls it, empty where its path is name enough.
        named: Whether the user named this very file, and not a folder it is in.
    """

    path: str
    name: str = ""
    named: bool = True

    @property
    def shown(self) -> str:
        """What the report calls it."""
        return self.name or ("stdin" if self.path == "-" else self.path)

    @property
    def kind_hint(self) -> str:
        """The name whose ending tells the format."""
        return self.name if self.path == "-" else self.path


def queries(words: Sequence[str], name: str | None) -> Iterator[FileQuery | Problem]:
    """Yield what the words of a command line name, in order; folders are walked through, glob patterns filled in."""
    for word in words:
        for path in expanded(word):
            if os.path.isdir(path):
                yield from _inside(path)
            else:
                yield FileQuery(path, name or "")


def _inside(folder: str) -> Iterator[FileQuery | Problem]:
    """Yield a folder's files, named as the user named the folder."""
    start = os.path.abspath(folder)
    for found in discover([folder]):
        if isinstance(found, Problem):
            yield found
        else:
            yield FileQuery(found.path, os.path.join(folder, os.path.relpath(found.path, start)), named=False)


def is_stream(query: FileQuery | Problem) -> bool:
    """Return whether only this process can read it: stdin, or a pipe such as `<(…)`."""
    if isinstance(query, Problem):
        return False
    return query.path == "-" or (os.path.exists(query.path) and stat.S_ISFIFO(os.stat(query.path).st_mode))


def read_query(query: FileQuery | Problem | Text, limits: Limits) -> Text:
    """Return a query's text, or why it could not be read; one that was read before as it is.

    A file met in a folder that is no text document, a picture for instance, is unread for no reason.
    """
    if isinstance(query, Text):
        return query
    if isinstance(query, Problem):
        return Text(query.path, "", (f"{query.path}: {query.reason}",), unread=True)
    try:
        extracted = extract(read_content(query.path, limits.max_bytes), query.kind_hint, limits)
    except (PmbfError, OSError) as error:
        if isinstance(error, UnsupportedError) and not query.named and not error.missing_extra:
            return Text(query.shown, "", unread=True)
        return Text(query.shown, "", (reason(error),), unread=True)
    return Text(query.shown, clean(extracted.text), extracted.problems)


def usual_jobs(n_files: int) -> int:
    """Return how many processes screen so many files where nobody says: one a core, if that pays."""
    return n_cores() if n_files > MOST_WITHOUT_PROCESSES else 1
