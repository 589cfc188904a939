r"""Tables as files: CSV, lines of JSON, a spreadsheet, Parquet. Words are text there, and never a formula.

>>> print(csv_line(["=HYPERLINK(1)", 0.5, None, True, "two\nlines"]).decode(), end="")
'=HYPERLINK(1),0.5,,true,"two
lines"
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from typing import Any

from pmbf.base.errors import IncompleteError, ParameterError, UnsupportedError
from pmbf.cli.shown.safe import harmless, json_line

Row = Mapping[str, Any]
Take = Callable[[Iterable[Row]], int]
"""Writes some rows, and returns how many they were."""

MOST_ROWS = 1_048_575
"""Rows of a sheet in Excel, below the head line."""

MOST_CELL = 32_767
"""Characters of a cell in Excel."""

SHARES = frozenset({"share", "share_in_source", "in_order", "similarity", "source_part", "containment"})
"""Columns that a spreadsheet shows in per cent."""

_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")
"""The beginnings of what spreadsheets take for a formula.

Source:
    OWASP, CSV Injection.
"""
_LINE_END = re.compile(r"\r\n?")
_VISIBLE = re.compile(r"[^\n\t]+")
_WIDTHS = {"query": 36, "source": 36, "query_text": 60, "source_text": 60, "problem": 36}
_USUAL_WIDTH = 12
_TOGETHER = 50_000
"""Rows of a group in a Parquet file."""

_TYPES = {
    **dict.fromkeys(SHARES | {"evidence", "reverse", "jaccard", "containment_a", "containment_b"}, "float64"),
    **dict.fromkeys(("share_a", "share_b", "share_a_with_library", "share_b_with_library"), "float64"),
    **dict.fromkeys(("document", "other", "shared"), "uint32"),
    **dict.fromkeys(("too_short", "keep"), "bool_"),
    **dict.fromkeys(("query", "source", "certainty", "kind", "problem", "source_labels", "not_counted"), "string"),
    **dict.fromkeys(("within", "also_in", "query_text", "source_text", "text", "section", "outcome"), "string"),
    **dict.fromkeys(("path", "other_path", "a", "b", "cluster", "group_a", "group_b"), "string"),
    **dict.fromkeys(("label_a", "label_b", "identical"), "string"),
}
"""The type of a column in Parquet; of all others `int64`."""


def table(form: str, columns: Sequence[str], sink: Any, sheet: str = "rows") -> AbstractContextManager[Take]:
    """Return a context that yields what takes rows; a spreadsheet is written when the context ends without an error.

    Args:
        columns: The names of the columns, in order; each row has all of them.
        sink: A binary file; of CSV and JSON anything with `write`.
    """
    return FORMS[form](columns, sink, sheet)


def require_form(form: str, file: str) -> None:
    """Refuse a table whose form is unknown, or whose library is not installed."""
    if form not in FORMS:
        raise ParameterError(f"{file}: ends with neither .csv, .jsonl, .parquet nor .xlsx; choose another name")
    try:
        if form == "xlsx":
            import xlsxwriter  # noqa: F401
        elif form == "parquet":
            import pyarrow.parquet  # noqa: F401
    except ImportError:
        what = "a spreadsheet" if form == "xlsx" else "Parquet"
        told = f"writing {what} needs the extra '{form}'; run: pip install 'pmbf[{form}]'"
        raise UnsupportedError(told, missing_extra=form) from None


def csv_line(values: Iterable[Any]) -> bytes:
    """Return values as a line of CSV in UTF-8; text that a spreadsheet would take for a formula begins with `'`."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([_csv_cell(value) for value in values])
    return line.getvalue().encode()


def _csv_cell(value: Any) -> Any:
    if isinstance(value, str):
        text = _cell_text(value)
        return f"'{text}" if _FORMULA.match(text) else text
    return str(value).lower() if isinstance(value, bool) else value


def _cell_text(text: str) -> str:
    """Return a text as it stands in a cell: line ends and tabs stay, other risky characters become escapes."""
    return _VISIBLE.sub(lambda found: harmless(found[0]), _LINE_END.sub("\n", text))


@contextmanager
def _csv(columns: Sequence[str], sink: Any, sheet: str) -> Iterator[Take]:
    sink.write(csv_line(columns))
    yield lambda rows: _written(sink, (csv_line(row[name] for name in columns) for row in rows))


@contextmanager
def _jsonl(columns: Sequence[str], sink: Any, sheet: str) -> Iterator[Take]:
    yield lambda rows: _written(sink, map(json_line, rows))


def _written(sink: Any, lines: Iterable[bytes]) -> int:
    number = 0
    for line in lines:
        sink.write(line)
        number += 1
    return number


@contextmanager
def _xlsx(columns: Sequence[str], sink: Any, sheet: str) -> Iterator[Take]:
    """Write rows as a file of Excel, those with the greatest share first."""
    from xlsxwriter import Workbook

    rows: list[Row] = []

    def take(some: Iterable[Row]) -> int:
        before = len(rows)
        rows.extend(islice(some, MOST_ROWS + 1 - before))
        if len(rows) > MOST_ROWS:
            raise IncompleteError(f"more rows than the {MOST_ROWS} that a sheet has room for; write CSV instead")
        return len(rows) - before

    yield take
    if "share" in columns:
        rows.sort(key=lambda row: -1.0 if row["share"] is None else row["share"], reverse=True)
    content = io.BytesIO()
    with Workbook(content, {"in_memory": True}) as book:
        book.set_properties({"author": "pmbf"})
        page = book.add_worksheet(sheet)
        head, share = book.add_format({"bold": True}), book.add_format({"num_format": "0.0 %"})
        for number, name in enumerate(columns):
            page.set_column(number, number, _WIDTHS.get(name, _USUAL_WIDTH), share if name in SHARES else None)
            page.write_string(0, number, name, head)
        for line, row in enumerate(rows, 1):
            for number, name in enumerate(columns):
                _write_cell(page, line, number, row[name])
        page.freeze_panes(1, 1)
        page.autofilter(0, 0, len(rows), len(columns) - 1)
    sink.write(content.getvalue())


def _write_cell(page: Any, line: int, column: int, value: Any) -> None:
    """Write a value; a text by `write_string`, which makes no formula, link or number of it."""
    if isinstance(value, str):
        text = _cell_text(value)
        page.write_string(line, column, text if len(text) <= MOST_CELL else text[: MOST_CELL - 1] + "…")
    elif isinstance(value, bool):
        page.write_boolean(line, column, value)
    elif value is not None:
        page.write_number(line, column, value)


@contextmanager
def _parquet(columns: Sequence[str], sink: Any, sheet: str) -> Iterator[Take]:
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([(name, getattr(pa, _TYPES.get(name, "int64"))()) for name in columns])
    waiting: list[Row] = []
    with parquet.ParquetWriter(sink, schema) as writer:

        def write() -> None:
            values = {name: [_plain(row[name]) for row in waiting] for name in columns}
            writer.write_table(pa.table(values, schema=schema))
            waiting.clear()

        def take(rows: Iterable[Row]) -> int:
            number = 0
            for row in rows:
                waiting.append(row)
                number += 1
                if len(waiting) == _TOGETHER:
                    write()
            return number

        yield take
        if waiting:
            write()


def _plain(value: object) -> object:
    """Return a value; of a path that is not valid Unicode what can be shown of it."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


FORMS = {"csv": _csv, "jsonl": _jsonl, "parquet": _parquet, "xlsx": _xlsx}
"""The forms of a table, by the ending of the file."""
