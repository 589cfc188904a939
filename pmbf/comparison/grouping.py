"""Groups: which texts are of one author, and are not compared with each other.

folder      the first folder below the folder that is compared: class/adams/draft.txt is of adams
REGEX       what the first parenthesis finds in a name, or the whole match: '^([^_]+)_'
FILE.csv    a table with the columns file and group, and if known date and label
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import NamedTuple

from pmbf.contents import read_bounded
from pmbf.errors import ParameterError

BY_FILE, BY_FOLDER = "file", "folder"
_MOST_TABLE_BYTES = 64 << 20
_LONGEST_REGEX = 1000

GroupBy = str | Mapping[str, str] | Callable[[str], str] | None


class Card(NamedTuple):
    """What is known about a text besides its name."""

    group: str
    date: str | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Grouping:
    """The cards of all texts.

    Args:
        how: In words, what makes a group.
        cards: The card of each text, by name.
        problems: Rows of a table that fit no text.
    """

    how: str
    cards: Mapping[str, Card]
    problems: tuple[str, ...] = ()


def grouped(names: Sequence[str], by: GroupBy) -> Grouping:
    """Return the group of each text. A text of which nothing is known is a group of its own.

    Args:
        names: Names of all texts.
        by: `None`, "folder", a regular expression, the path of a table that ends with `.csv`, a mapping from names to
            groups, or a function that returns the group of a name.

    Raises:
        ParameterError: It is none of them, the expression is wrong or fits no name, or the table lacks a column.
        NotFoundError, IncompleteError, OSError: The table cannot be read.

    >>> grouped(["adams/1.txt", "adams/2.txt", "byron.txt"], "folder").cards["adams/2.txt"].group
    'adams'
    """
    if by is None or by == BY_FILE:
        return Grouping("file", _own(names))
    if isinstance(by, Mapping):
        return Grouping("the mapping given", {name: Card(_text(name, by.get(name, name))) for name in names})
    if callable(by):
        return Grouping("the function given", {name: Card(_text(name, by(name))) for name in names})
    if not isinstance(by, str):
        raise ParameterError(f"group_by is {by!r:.80}, expected 'folder', a regular expression, a .csv file, a mapping")
    if by == BY_FOLDER:
        return Grouping("folder", {name: Card(_folder(name)) for name in names})
    if by.lower().endswith(".csv"):
        return _by_table(names, by)
    return _by_regex(names, by)


def _own(names: Iterable[str]) -> dict[str, Card]:
    return {name: Card(name) for name in names}


def _text(name: str, group: object) -> str:
    if not isinstance(group, str) or not group:
        raise ParameterError(f"the group of {name!r} is {group!r:.80}, expected a text")
    return group


def _folder(name: str) -> str:
    parts = PurePath(name).parts
    return parts[0] if len(parts) > 1 else name


# ---------------------------------------------------------------------- by a regular expression


def _by_regex(names: Sequence[str], pattern: str) -> Grouping:
    if len(pattern) > _LONGEST_REGEX:
        raise ParameterError(f"the regular expression has {len(pattern)} characters, expected at most {_LONGEST_REGEX}")
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ParameterError(f"group_by is {pattern!r:.80}, no regular expression: {error}") from error
    cards = {name: Card(_matched(compiled, name)) for name in names}
    if names and not any(map(compiled.search, names)):
        raise ParameterError(f"group_by is {pattern!r:.80}, which fits no name, such as {names[0]!r}")
    return Grouping(f"the expression {pattern}", cards)


def _matched(pattern: re.Pattern[str], name: str) -> str:
    found = pattern.search(name)
    return (found[1 if pattern.groups else 0] or name) if found else name


# ---------------------------------------------------------------------- by a table


def _by_table(names: Sequence[str], path: str) -> Grouping:
    cards, problems = _own(names), []
    known = _by_each_form(names)
    for number, row in _rows(path):
        wanted = (row["file"] or "").strip()
        found = known.get(wanted, ())
        if len(found) != 1:
            told = f"fits {len(found)} texts" if found else "fits no text"
            problems.append(f"{path}, line {number}: file is {wanted!r}, which {told}")
            continue
        [name] = found
        cards[name] = Card((row.get("group") or "").strip() or name, _date(row, path, number), _cell(row, "label"))
    return Grouping(f"the table {PurePath(path).name}", cards, tuple(problems))


def _by_each_form(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return which names a cell may mean: a whole name, or the last part of one."""
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        for form in {name, PurePath(name).name}:
            found[form] = (*found.get(form, ()), name)
    return found | {name: (name,) for name in names}


def _rows(path: str) -> Iterable[tuple[int, dict[str, str]]]:
    content = read_bounded(path, _MOST_TABLE_BYTES)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ParameterError(f"{path}: is not in UTF-8 ({error.reason}); save it as CSV UTF-8") from error
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    reader = csv.DictReader(io.StringIO(text), delimiter=delimiter, restval="")
    columns = [column.strip().lower() for column in reader.fieldnames or ()]
    missing = [column for column in ("file", "group") if column not in columns]
    if missing:
        raise ParameterError(f"{path}: has no column {' and '.join(missing)}; its columns are {', '.join(columns)}")
    reader.fieldnames = columns
    return [(reader.line_num, row) for row in reader]


def _cell(row: Mapping[str, str], column: str) -> str | None:
    return (row.get(column) or "").strip() or None


def _date(row: Mapping[str, str], path: str, number: int) -> str | None:
    given = _cell(row, "date")
    if given is None:
        return None
    try:
        return datetime.fromisoformat(given).isoformat()
    except ValueError as error:
        raise ParameterError(f"{path}, line {number}: date is {given!r}, expected such as 2026-11-22 14:05") from error
