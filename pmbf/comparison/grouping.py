"""Groups: which texts are of one author, and are not compared with each other.

folder      the first folder below the folder that is compared: class/adams/draft.txt is of adams
REGEX       what the first parenthesis finds in a name, or the whole match: '^([^_]+)_'
FILE.csv    a table of labels, as `pmbf load --labels` takes it: the column path, name or file says which text a row is
            of; the column group, or else author, is its group; date is its date; the others are shown beside its name
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import ParameterError
from pmbf.base.expressions import compiled, searchable
from pmbf.base.labels import Labels, told
from pmbf.intake.entering import EnteredText
from pmbf.intake.labelling import LabelTable

BY_FILE, BY_FOLDER = "file", "folder"
_GROUPS = ("group", "author")
"""Labels that make groups; the first one that the table has."""
_LONGEST_REGEX = 1000

GroupBy = str | Mapping[str, str] | Callable[[str], str] | None


class TextCard(NamedTuple):
    """What is known about a text besides its name."""

    group: str
    date: str | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Grouping:
    """The groups of texts and documents: what makes one, in words; each text's card, by name; rows that fit no text."""

    how: str
    cards: Mapping[str, TextCard]
    problems: tuple[str, ...] = ()

    @property
    def of_name(self) -> dict[str, str]:
        """The group of each text."""
        return {name: card.group for name, card in self.cards.items()}

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return len({card.group for card in self.cards.values()})

    def of(self, document: EnteredText) -> frozenset[str]:
        """Return the groups of the texts of a document."""
        return frozenset(self.cards[name].group for name in document.names)

    def numbers(self, documents: Iterable[EnteredText]) -> dict[int, list[int]]:
        """Return the groups of each document as numbers, by id."""
        number = {group: i for i, group in enumerate(sorted(set(self.of_name.values())))}
        return {document.id: [number[group] for group in self.of(document)] for document in documents}

    def not_compared(self, documents: Sequence[EnteredText]) -> dict[int, NDArray[np.uint32]]:
        """Return, for each document, itself and those without a text of another group than its own, ascending."""
        own = {document.id: self.of(document) for document in documents}
        alone: dict[frozenset[str], list[int]] = {}
        for id_, groups in own.items():
            if len(groups) == 1:
                alone.setdefault(groups, []).append(id_)
        arrays = {groups: np.array(sorted(some), np.uint32) for groups, some in alone.items()}
        return {id_: arrays[groups] if len(groups) == 1 else np.array([id_], np.uint32) for id_, groups in own.items()}


def grouped(names: Sequence[str], by: GroupBy) -> Grouping:
    """Return the group of each text. A text of which nothing is known is a group of its own.

    Raises:
        ParameterError: It is none of them, the expression is wrong or fits no name, or the table lacks a column.
        NotFoundError, UnsupportedError, IncompleteError, OSError: The table cannot be read.

    >>> grouped(["adams/1.txt", "adams/2.txt", "byron.txt"], "folder").cards["adams/2.txt"].group
    'adams'
    """
    if by is None or by == BY_FILE:
        return Grouping("file", _own(names))
    if isinstance(by, Mapping):
        return Grouping("the mapping given", {name: TextCard(_text(name, by.get(name, name))) for name in names})
    if callable(by):
        return Grouping("the function given", {name: TextCard(_text(name, by(name))) for name in names})
    if not isinstance(by, str):
        raise ParameterError(f"group_by is {by!r:.80}, expected 'folder', a regular expression, a .csv file, a mapping")
    if by == BY_FOLDER:
        return Grouping("folder", {name: TextCard(_folder(name)) for name in names})
    if by.lower().endswith(".csv"):
        return _by_table(names, by)
    return _by_regex(names, by)


def _own(names: Iterable[str]) -> dict[str, TextCard]:
    return {name: TextCard(name) for name in names}


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
    expression = compiled(pattern, instead="group by a table, FILE.csv")
    cards = {name: TextCard(_matched(expression, name)) for name in names}
    if names and not any(expression.search(searchable(name)) for name in names):
        raise ParameterError(f"group_by is {pattern!r:.80}, which fits no name, such as {names[0]!r}")
    return Grouping(f"the expression {pattern}", cards)


def _matched(pattern: Any, name: str) -> str:
    found = pattern.search(searchable(name))
    return name[slice(*found.span(1 if pattern.groups else 0))] or name if found else name


# ---------------------------------------------------------------------- by a table


def _by_table(names: Sequence[str], path: str) -> Grouping:
    rows = [(line, file, _small(labels)) for line, file, labels in LabelTable.read(path).rows]
    key = next((one for one in _GROUPS if any(one in labels for _, _, labels in rows)), None)
    if rows and key is None:
        columns = ", ".join(rows[0][2])
        raise ParameterError(f"{path}: has the columns {columns:.200}, expected one named `group` or `author`")
    cards, problems, lines = _own(names), [], dict[str, int]()
    known = _by_each_form(names)
    for line, file, labels in rows:
        found = _meant(known, file)
        if len(found) != 1 or found[0] in lines:
            why = f"fits {len(found)} texts" if len(found) > 1 else f"line {lines[found[0]]} fits, too" if found else ""
            problems.append(f"{path}, line {line}: file is {file!r:.200}, which {why or 'fits no text'}")
            continue
        [name] = found
        lines[name] = line
        cards[name] = TextCard(labels.get(key or "") or name, _date(labels, path, line), _shown(labels, key))
    return Grouping(f"the table {PurePath(path).name}", cards, tuple(problems))


def _small(labels: Labels) -> Labels:
    return {name.lower(): value for name, value in labels.items()}


def _by_each_form(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return which names a cell may mean: a whole name, or the last part of one."""
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        for form in {_form(name), _form(PurePath(name).name)}:
            found[form] = (*found.get(form, ()), name)
    return found | {_form(name): (name,) for name in names}


def _form(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _meant(known: Mapping[str, tuple[str, ...]], file: str) -> tuple[str, ...]:
    """Return the names that a cell may mean; it may begin with folders above those of the names."""
    parts = PurePath(_form(file)).parts
    forms = ("/".join(parts[n:]) for n in range(len(parts)))
    return next((known[form] for form in forms if form in known), ())


def _shown(labels: Labels, key: str | None) -> str | None:
    """Return what is shown beside a name: the label `label`, or else all that have no other use."""
    others = {name: value for name, value in labels.items() if value and name not in (key, "date")}
    return others.get("label") or told(others) or None


def _date(labels: Labels, path: str, line: int) -> str | None:
    if not (given := labels.get("date")):
        return None
    if re.fullmatch(r"[0-9]{4}(-[0-9]{2})?", given):
        given = f"{given}-01-01"[:10]  # a year or a month is its first day
    try:
        return datetime.fromisoformat(given).isoformat()
    except ValueError as error:
        raise ParameterError(f"{path}, line {line}: date is {given!r}, expected such as 2026-11-22 14:05") from error
