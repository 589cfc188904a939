r"""Rows of reports as CSV and as a spreadsheet. Words and names of documents are text there, and never a formula.

>>> print(csv_line(["=HYPERLINK(1)", 0.5, None, True, "two\nlines"]).decode(), end="")
'=HYPERLINK(1),0.5,,true,"two
lines"
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pmbf.errors import IncompleteError, UnsupportedError
from pmbf.terminal.safe import harmless

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


def csv_line(values: Sequence[Any]) -> bytes:
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


def spreadsheet(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], sheet: str) -> bytes:
    """Return rows as a file of Excel, those with the greatest share first.

    Raises:
        UnsupportedError: XlsxWriter is not installed.
        IncompleteError: A sheet has no room for so many rows.
    """
    ranked = sorted(rows, key=lambda row: -1.0 if row["share"] is None else row["share"], reverse=True)
    if len(ranked) > MOST_ROWS:
        raise IncompleteError(f"{len(ranked)} rows, a sheet has room for {MOST_ROWS}; write --csv instead")
    require_xlsxwriter()
    from xlsxwriter import Workbook

    content = io.BytesIO()
    with Workbook(content, {"in_memory": True}) as book:
        book.set_properties({"author": "pmbf"})
        page = book.add_worksheet(sheet)
        head, share = book.add_format({"bold": True}), book.add_format({"num_format": "0.0 %"})
        for number, name in enumerate(columns):
            page.set_column(number, number, _WIDTHS.get(name, _USUAL_WIDTH), share if name in SHARES else None)
            page.write_string(0, number, name, head)
        for line, row in enumerate(ranked, 1):
            for number, name in enumerate(columns):
                _write_cell(page, line, number, row[name])
        page.freeze_panes(1, 1)
        page.autofilter(0, 0, len(ranked), len(columns) - 1)
    return content.getvalue()


def require_xlsxwriter() -> None:
    """Refuse to write spreadsheets without the library.

    Raises:
        UnsupportedError: XlsxWriter is not installed.
    """
    try:
        import xlsxwriter  # noqa: F401
    except ImportError:
        told = "writing a spreadsheet needs the extra 'xlsx'; run: pip install 'pmbf[xlsx]'"
        raise UnsupportedError(told, missing_extra="xlsx") from None


def _write_cell(page: Any, line: int, column: int, value: Any) -> None:
    """Write a value; a text by `write_string`, which makes no formula, link or number of it."""
    if isinstance(value, str):
        text = _cell_text(value)
        page.write_string(line, column, text if len(text) <= MOST_CELL else text[: MOST_CELL - 1] + "…")
    elif isinstance(value, bool):
        page.write_boolean(line, column, value)
    elif value is not None:
        page.write_number(line, column, value)
