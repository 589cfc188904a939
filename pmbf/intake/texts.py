"""Queries as a library's user gives them: a text, the bytes of a file, or a path."""

from __future__ import annotations

import os
from dataclasses import dataclass

from pmbf.errors import PmbfError
from pmbf.extract import Limits, extract
from pmbf.intake.discovery import read_bounded, reason_of
from pmbf.text import clean


@dataclass(frozen=True, slots=True)
class Text:
    """A query as it was read.

    Args:
        name: What the report calls it.
        content: The whole text, clean, or its UTF-8: most texts share nothing, and need not be decoded.
        problems: What was not read.
        unread: Whether nothing was, for the reason that `problems` gives, or since it is no text document.
    """

    name: str
    content: str | bytes
    problems: tuple[str, ...] = ()
    unread: bool = False

    @property
    def text(self) -> str:
        """The whole text, decoded at each call."""
        return self.content if isinstance(self.content, str) else self.content.decode()


def read_query(query: str | bytes | os.PathLike[str], name: str, limits: Limits) -> tuple[str, str, tuple[str, ...]]:
    """Return a query's text, its name, and what of it was not read."""
    if isinstance(query, str):
        return query, name, ()
    if isinstance(query, bytes):
        content = query
    else:
        name = name or os.fspath(query)
        content = read_bounded(query, limits.max_bytes)
    extracted = extract(content, name, limits)
    return extracted.text, name, extracted.problems


def read_leniently(query: str | bytes | os.PathLike[str], limits: Limits) -> Text:
    """Return a query as it was read; one that cannot be read says why."""
    name = "" if isinstance(query, str | bytes) else os.fspath(query)
    try:
        text, name, problems = read_query(query, name, limits)
    except (PmbfError, OSError) as error:
        return Text(name, "", (reason_of(error),), unread=True)
    return Text(name, clean(text), problems)
