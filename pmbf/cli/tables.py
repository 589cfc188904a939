"""The tables of `pmbf screen`: --csv, --jsonl and --xlsx, each row a passage, a source or a text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pmbf.base.errors import NotFoundError, ParameterError
from pmbf.cli.arguments import OUTPUT, flag, option
from pmbf.cli.targets import opened_table, require_outside, require_own

if TYPE_CHECKING:
    from pmbf.report.rows import By, Row
    from pmbf.verbs import AnyCollection

Csv = Annotated[str | None, option("--csv", "FILE", "Write a table as CSV; - is stdout, instead of reports.", OUTPUT)]
Jsonl = Annotated[
    str | None, option("--jsonl", "FILE", "Write a table as lines of JSON; - is stdout, instead of reports.", OUTPUT)
]
Xlsx = Annotated[
    str | None, option("--xlsx", "FILE", "Write a table for Excel and LibreOffice, the greatest share first.", OUTPUT)
]
Rows = Annotated[
    Literal["texts", "sources", "passages"] | None,
    option("--rows", "texts|sources|passages", "What a row of the tables is (default: passages).", OUTPUT),
]
WithText = Annotated[
    bool, flag("--with-text", "JSON and tables hold the words of passages, and JSON the page or line.", OUTPUT)
]


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables that a screening writes.

    Args:
        csv, jsonl: Files, or `-` for stdout; None writes no such table.
        xlsx: A file.
        rows: What a row is; None: a passage.
        with_text: Whether rows and JSON hold the words of passages.
        of_sentences: Whether a row is a sentence; `rows` and `xlsx` are not given then.
        force: Whether files are replaced that pmbf did not write.
    """

    csv: str | None = None
    jsonl: str | None = None
    xlsx: str | None = None
    rows: Literal["texts", "sources", "passages"] | None = None
    with_text: bool = False
    of_sentences: bool = False
    force: bool = False

    @property
    def any(self) -> bool:
        """Whether a table is written."""
        return any(file is not None for file in (self.csv, self.jsonl, self.xlsx))

    @property
    def on_stdout(self) -> bool:
        """Whether a table takes the place of the reports."""
        return "-" in (self.csv, self.jsonl)

    def require_possible(self, *, json: bool, quiet: bool) -> None:
        """Refuse options that contradict each other, before a text is read.

        Raises:
            ParameterError: Two answers would be written on stdout, or an option has no table to act on.
            NotFoundError: The folder of the spreadsheet does not exist.
            UnsupportedError: The library for spreadsheets is not installed.
        """
        from pmbf.report.rows import columns

        if json + (self.csv == "-") + (self.jsonl == "-") > 1:
            raise ParameterError("--json, --csv - and --jsonl - write on stdout, of which there is one; name a file")
        if quiet and self.on_stdout:
            raise ParameterError("--quiet prints nothing, but a table is asked for on stdout; name a file")
        if self.rows and not self.any:
            raise ParameterError("--rows is given without a table; add --csv FILE, --jsonl FILE or --xlsx FILE")
        if self.with_text and not (self.any or json):
            raise ParameterError("--with-text is given without --json, --csv, --jsonl or --xlsx; add one of them")
        if self.any:
            columns(self.rows or "passages", with_text=self.with_text)
        if self.xlsx == "-":
            raise ParameterError("--xlsx is -, expected the name of a file")
        if self.xlsx is not None:
            from pmbf.cli.shown.tables import require_form

            require_form("xlsx", self.xlsx)
            if not Path(self.xlsx).parent.is_dir():
                raise NotFoundError(f"{self.xlsx}: there is no such folder; make it first")

    def expect(self, paths: Sequence[str], opened: AnyCollection) -> None:
        """Refuse files that would be lost, before one is opened.

        Args:
            paths: The texts that are screened.
            opened: The collection that they are compared with.

        Raises:
            ParameterError: A table is one of the texts, or two tables are one file; or a file would be lost, or a table
                be loaded as a document.
        """
        given = {"--csv": self.csv, "--jsonl": self.jsonl, "--xlsx": self.xlsx}
        written = {name: file for name, file in given.items() if file is not None and file != "-"}
        texts = set(map(os.path.realpath, paths)) if written else set()
        taken: dict[str, str] = {}
        for name, file in written.items():
            place = os.path.realpath(file)
            if place in texts:
                raise ParameterError(f"{name} {file}: this is a text that is screened; name another file")
            if place in taken:
                raise ParameterError(f"{name} {file}: {taken[place]} is the same file; name another file")
            taken[place] = name
            require_own(name, file, name.removeprefix("--"), force=self.force)
            require_outside(name, file, opened, force=self.force)

    @contextmanager
    def opened(self) -> Iterator[Callable[[Any], None]]:
        """Open the files and return what takes each report; the spreadsheet is written when all were taken.

        Raises:
            OSError: A file cannot be written.
            IncompleteError: A sheet has no room for all rows.
        """
        if not self.any:
            yield lambda report: None
            return
        by = self.rows or "passages"
        names, rows_of = self._rows(by)
        with ExitStack() as files:
            tables = [
                files.enter_context(opened_table(file, form, names, by))
                for form, file in {"csv": self.csv, "jsonl": self.jsonl, "xlsx": self.xlsx}.items()
                if file is not None
            ]

            def take(report: Any) -> None:
                found = rows_of(report)
                for one in tables:
                    one(found)

            yield take

    def _rows(self, by: By) -> tuple[tuple[str, ...], Callable[[Any], list[Row]]]:
        """Return the columns, and what returns the rows of a report: of passages, or of sentences."""
        if self.of_sentences:
            from pmbf.sentences import rows as of_sentences

            names = of_sentences.columns(with_text=self.with_text)
            return names, partial(of_sentences.rows, with_text=self.with_text)
        from pmbf.report.rows import columns, rows

        return columns(by, with_text=self.with_text), partial(rows, by=by, with_text=self.with_text)
