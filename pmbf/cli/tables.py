"""`--table`: files of rows, each a passage, a source or a text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pmbf.base.errors import NotFoundError, ParameterError
from pmbf.cli.arguments import OUTPUT, option
from pmbf.cli.outcome import note
from pmbf.cli.targets import opened_table, require_outside, require_own

if TYPE_CHECKING:
    from pmbf.report.table import By, Row
    from pmbf.verbs import AnyCollection

Rows = Annotated[
    Literal["texts", "sources", "passages"] | None,
    option("--rows", "texts|sources|passages", "What a row of the tables is (default: passages).", OUTPUT),
]


class TableFile(NamedTuple):
    """A table that is written: its form, such as `csv`, and its file; `-` is stdout."""

    form: str
    path: str


FORMS = ("csv", "jsonl", "xlsx", "parquet")
PRINTED = ("csv", "jsonl")
"""Forms of tables that may be printed."""


def parse_table(word: str) -> TableFile:
    """Return the form and the file of a table: its ending says the form, or the form stands before it.

    >>> parse_table("class.csv"), parse_table("jsonl:-")
    (TableFile(form='csv', path='class.csv'), TableFile(form='jsonl', path='-'))
    """
    before, _, path = word.partition(":")
    found = TableFile(os.path.splitext(word)[1][1:].lower(), word)
    if path and before in FORMS:
        found = TableFile(before, path)
    if found.form not in FORMS or (found.path == "-" and found.form not in PRINTED):
        endings = ", ".join(f".{form}" for form in FORMS)
        raise ValueError(f"{word!r} ends with none of {endings}; or write the form before it, as in csv:-")
    return found


Table = Annotated[
    list[Any] | None,
    option(
        "--table",
        "FILE",
        "Write a table: FILE.csv, .jsonl, .xlsx or .parquet; repeatable. csv:- and jsonl:- print it.",
        OUTPUT,
        parser=parse_table,
    ),
]


def require_tables(tables: Sequence[TableFile], *, json: bool, quiet: bool, force: bool) -> None:
    """Refuse tables that cannot be written: two answers in one place, lost files, missing folders and libraries."""
    printed = [f"--table {one.form}:-" for one in tables if one.path == "-"]
    if json + len(printed) > 1:
        named = " and ".join([*(["--json"] if json else []), *printed])
        raise ParameterError(f"{named} write on stdout, of which there is one; name a file")
    if quiet and printed:
        raise ParameterError("--quiet prints nothing, but a table is asked for on stdout; name a file")
    taken: set[str] = set()
    for one in tables:
        if one.path != "-":
            require_table(one, taken, force=force)


def require_table(one: TableFile, taken: set[str], *, force: bool, option: str = "--table") -> None:
    """Refuse a table that cannot be written into its file, which is added to those that are `taken`."""
    from pmbf.cli.shown.table_files import require_form

    place = os.path.realpath(one.path)
    if place in taken:
        raise ParameterError(f"{option} {one.path}: is given twice; name another file")
    taken.add(place)
    require_form(one.form, one.path)
    if not Path(one.path).parent.is_dir():
        raise NotFoundError(f"{one.path}: there is no such folder; make it first")
    require_own(option, one.path, one.form, force=force)


def write_tables(
    tables: Sequence[TableFile], columns: Sequence[str], rows: Callable[[], Iterable[Row]], notes: Iterable[str]
) -> bool:
    """Write the tables of a comparison; return whether one is printed. It has no place for the notes, which follow."""
    for one in tables:
        with opened_table(one.path, one.form, columns) as take:
            take(rows())
    on_stdout = any(one.path == "-" for one in tables)
    for told in notes if on_stdout else ():
        note(told)
    return on_stdout


class Tables(NamedTuple):
    """The tables that a screening writes.

    Args:
        rows: What a row is; None: a passage.
        with_text: Whether rows and JSON hold the words of passages.
        of_sentences: Whether a row is a sentence; `rows` is not given then.
    """

    files: Sequence[TableFile] = ()
    rows: Literal["texts", "sources", "passages"] | None = None
    with_text: bool = False
    of_sentences: bool = False
    force: bool = False

    @property
    def on_stdout(self) -> bool:
        """Whether a table takes the place of the reports."""
        return any(one.path == "-" for one in self.files)

    def require_possible(self, *, json: bool, quiet: bool) -> None:
        """Refuse options that contradict each other, before a text is read."""
        from pmbf.report.table import columns

        require_tables(self.files, json=json, quiet=quiet, force=self.force)
        if self.rows and not self.files:
            raise ParameterError("--rows is given without a table; add --table FILE.csv, FILE.jsonl or FILE.xlsx")
        if self.with_text and not (self.files or json):
            raise ParameterError("--param with_text is given without --json or --table; add one of them")
        if self.files:
            columns(self.rows or "passages", with_text=self.with_text)

    def expect(self, paths: Sequence[str], opened: AnyCollection) -> None:
        """Refuse a table that is one of the texts, or would be loaded as a document, before one is opened."""
        written = [one.path for one in self.files if one.path != "-"]
        texts = set(map(os.path.realpath, paths)) if written else set()
        for file in written:
            if os.path.realpath(file) in texts:
                raise ParameterError(f"--table {file}: this is a text that is screened; name another file")
            require_outside("--table", file, opened, force=self.force)

    @contextmanager
    def opened(self) -> Iterator[Callable[[Any], None]]:
        """Open the files and yield what takes each report; spreadsheets are written when all were taken."""
        if not self.files:
            yield lambda report: None
            return
        by = self.rows or "passages"
        names, rows_of = self._rows(by)
        with ExitStack() as files:
            tables = [files.enter_context(opened_table(file, form, names, by)) for form, file in self.files]

            def take(report: Any) -> None:
                found = rows_of(report)
                for one in tables:
                    one(found)

            yield take

    def _rows(self, by: By) -> tuple[tuple[str, ...], Callable[[Any], list[Row]]]:
        """Return the columns, and what returns the rows of a report: of passages, or of sentences."""
        if self.of_sentences:
            from pmbf.sentences import forms as of_sentences

            names = of_sentences.columns(with_text=self.with_text)
            return names, partial(of_sentences.rows, with_text=self.with_text)
        from pmbf.report.table import columns, rows

        return columns(by, with_text=self.with_text), partial(rows, by=by, with_text=self.with_text)
