"""Labels of many paths at once: from a table in a file, or from the paths themselves.

labels.csv     path,author,group       essays/stone.txt ─► author=Stone, group=a
a pattern      (?P<author>[^/]+)/(?P<date>[0-9]{4})       stone/2024/a.txt ─► author=stone, date=2024
"""

from __future__ import annotations

import csv
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pmbf.base.contents import read_bounded
from pmbf.base.errors import ParameterError, PmbfError
from pmbf.base.expressions import compiled, searchable
from pmbf.base.labels import Labels, decoded, encoded, merged, tidy
from pmbf.extract.encoding import decode
from pmbf.intake.discovery import Problem
from pmbf.store.catalog_tables import ListedPath
from pmbf.store.writer import Writer

Labelling = Callable[[str], Mapping[str, str]]
"""Returns the labels of a path; an empty value takes a label away."""

_KEYS = ("path", "name", "file")
"""Columns that say which path a row is of; the first one that a table has does."""

MOST_TABLE_BYTES = 64 << 20
"""Bytes of the largest table."""
_NAMED_GROUP = re.compile(r"\(\?P?<(\w+)>")


@dataclass(slots=True)
class LabelTable:
    """The labels that a table gives to paths: a call returns those of a path, else what `otherwise` returns."""

    path: str
    rows: Sequence[tuple[int, str, Labels]]
    by_last_part: bool = False
    otherwise: Labelling | None = None
    _by_form: dict[str, int] = field(default_factory=dict)
    _used: set[int] = field(default_factory=set)

    @staticmethod
    def read(path: str | os.PathLike[str], otherwise: Labelling | None = None) -> LabelTable:
        """Return the table in a file of values with commas, semicolons or tabs between them.

        The column `path`, or if there is none `name` or `file`, says which path a row is of: a path as `pmbf list`
        shows it, or relative to the folder of the table; of `name` and `file` also the last part of a path. Each other
        column is a label. Raises `ParameterError`, which names the line, and what `pmbf.base.contents.read_bounded`
        raises.
        """
        name = os.fspath(path)
        text = decode(read_bounded(name, MOST_TABLE_BYTES)).text
        lines = list(_lines(name, text))
        if not lines:
            raise ParameterError(f"{name}: is empty, expected a line with the names of columns")
        (_, head), *rows = lines
        names = _names(name, head)
        key = next(one for one in _KEYS if one in names)
        labelled = [_row(name, line, cells, names, key) for line, cells in rows]
        table = LabelTable(name, labelled, by_last_part=key != "path", otherwise=otherwise)
        table._index()
        return table

    def __call__(self, path: str) -> Labels:
        """Return the labels of a path."""
        labels = dict(self.otherwise(path)) if self.otherwise else {}
        for form in (path, os.path.basename(path)) if self.by_last_part else (path,):
            if (number := self._by_form.get(_form(form))) is not None:
                self._used.add(number)
                return labels | self.rows[number][2]
        return labels

    def unused(self) -> Iterator[Problem]:
        """Yield each row that no call was answered from."""
        for number, (line, path, _) in enumerate(self.rows):
            if number not in self._used:
                yield Problem(self.path, f"line {line}: no document is listed under {path!r:.200}")

    def _index(self) -> None:
        folder = os.path.dirname(os.path.abspath(self.path))
        for number, (line, path, _) in enumerate(self.rows):
            for form in {_form(path), _form(os.path.abspath(os.path.join(folder, path)))}:
                if self._by_form.setdefault(form, number) != number:
                    before = self.rows[self._by_form[form]][0]
                    raise ParameterError(f"{self.path}: line {line}: {path!r:.200} is in line {before}, too")


class LabelPattern:
    """The labels that stand in paths: named groups of an expression in RE2's syntax. A call searches a path.

    >>> LabelPattern(r"(?P<author>[^/]+)/(?P<date>[0-9]{4})")("/essays/stone/2024/a.txt")
    {'author': 'stone', 'date': '2024'}
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = compiled(pattern, instead="name the labels in a table with --labels")
        named = _NAMED_GROUP.findall(pattern)
        if len(set(named)) < len(named):
            raise ParameterError(f"the pattern {pattern!r:.200} names a label twice")
        if not self._pattern.groupindex:
            raise ParameterError(f"the pattern {pattern!r:.200} names no label, expected a group such as (?P<author>…)")

    def __call__(self, path: str) -> Labels:
        """Return the labels in a path, none if the pattern is not found."""
        found = self._pattern.search(searchable(path))
        groups = self._pattern.groupindex.items() if found else ()
        places = {name: slice(*found.span(number)) for name, number in groups}
        return {name: path[place] for name, place in places.items() if place.start < place.stop}


def label(writer: Writer, listed: ListedPath, changes: Mapping[str, str]) -> None:
    """Change labels of a listed path with the next commit, an empty value takes one away. Raises `ParameterError`."""
    after = _labelled(listed, changes)
    if after != listed:
        writer.relist([listed], [after])


def relabel(writer: Writer, paths: Iterable[ListedPath], labels: Labelling | Mapping[str, str]) -> int:
    """Change labels of listed paths, in one commit; return how many paths change.

    Raises `ParameterError` if a label is wrong; then nothing changes.
    """
    changed = relabelled(paths, labels)
    writer.relist([before for before, _ in changed], [after for _, after in changed])
    writer.commit()
    return len(changed)


def relabelled(
    paths: Iterable[ListedPath], labels: Labelling | Mapping[str, str]
) -> list[tuple[ListedPath, ListedPath]]:
    """Return those listed paths whose labels change, each with how it is listed then. Raises `ParameterError`."""
    changed = []
    for listed in paths:
        changes = labels if isinstance(labels, Mapping) else labels(listed.path)
        try:
            now = _labelled(listed, changes) if changes else listed
        except ParameterError as error:
            raise ParameterError(f"{listed.path}: {error}") from None
        if now != listed:
            changed.append((listed, now))
    return changed


def _labelled(listed: ListedPath, changes: Mapping[str, str]) -> ListedPath:
    return listed._replace(labels=encoded(merged(decoded(listed.labels), changes)))


# ---------------------------------------------------------------------- a table


def _lines(name: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not empty."""
    text = text.removeprefix("\ufeff")
    head = text.lstrip("\r\n").split("\n", 1)[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise ParameterError(f"{name}: line {reader.line_num}: {error}") from None


def _names(table: str, head: Sequence[str]) -> list[str]:
    """Return the names of the columns, checked; the key in lower case."""
    names = []
    for number, cell in enumerate(head, 1):
        try:
            found, _ = tidy(cell, "")
        except ParameterError as error:
            raise ParameterError(f"{table}: column {number}: {error}") from None
        names.append(found.lower() if found.lower() in _KEYS else found)
    if twice := sorted({one for one in names if names.count(one) > 1}):
        raise ParameterError(f"{table}: two columns are named {twice[0]!r}")
    if not set(_KEYS) & set(names):
        shown = ", ".join(names)
        raise ParameterError(f"{table}: has the columns {shown:.200}, expected `path`, `name` or `file` among them")
    return names


def _row(table: str, line: int, cells: Sequence[str], names: Sequence[str], key: str) -> tuple[int, str, Labels]:
    if len(cells) > len(names):
        raise ParameterError(f"{table}: line {line}: has {len(cells)} cells, expected {len(names)}")
    values = dict(zip(names, [*cells, *[""] * (len(names) - len(cells))], strict=True))
    path = values.pop(key).strip()
    try:
        if not path:
            raise ParameterError(f"the column `{key}` is empty")
        merged({}, values)
        return line, path, dict(tidy(name, value) for name, value in values.items())
    except PmbfError as error:
        raise ParameterError(f"{table}: line {line}: {error}") from None


def _form(path: str) -> str:
    return unicodedata.normalize("NFC", path)
