"""The rows of similarities as a file: CSV, JSONL or Parquet. The file is there whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pmbf.errors import NotFoundError, ParameterError, UnsupportedError
from pmbf.similar import Similar
from pmbf.store.folders import replacing
from pmbf.terminal.safe import json_line
from pmbf.terminal.tables import csv_line

if TYPE_CHECKING:
    import pyarrow

COLUMNS = tuple(one.name for one in fields(Similar))
_TOGETHER = 50_000
"""Rows of a group in a Parquet file."""


def write_rows(rows: Iterable[Similar], out: str, kind: str) -> int:
    """Write rows to a file, in place of the one that is there; return how many.

    Args:
        rows: The rows.
        out: The file.
        kind: `csv`, `jsonl` or `parquet`.

    Raises:
        ParameterError: Another kind.
        NotFoundError: The folder of the file does not exist.
        UnsupportedError: pyarrow is not installed.
        OSError: The file cannot be written.
    """
    writers = {"csv": _write_csv, "jsonl": _write_jsonl, "parquet": _write_parquet}
    if kind not in writers:
        raise ParameterError(f"{out}: ends with neither .csv, .jsonl nor .parquet; add --format")
    if kind == "parquet":
        require_pyarrow()
    if not Path(out).parent.is_dir():
        raise NotFoundError(f"{out}: there is no such folder; make it first")
    with replacing(Path(out), beside_others=True) as file:
        return writers[kind](rows, file)


def require_pyarrow() -> None:
    """Refuse to write Parquet without the library.

    Raises:
        UnsupportedError: pyarrow is not installed.
    """
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        told = "writing Parquet needs the extra 'parquet'; run: pip install 'pmbf[parquet]'"
        raise UnsupportedError(told, missing_extra="parquet") from None


def _write_csv(rows: Iterable[Similar], file: BinaryIO) -> int:
    file.write(csv_line(COLUMNS))
    return sum(1 for row in rows if file.write(csv_line(list(row.to_dict().values()))))


def _write_jsonl(rows: Iterable[Similar], file: BinaryIO) -> int:
    return sum(1 for row in rows if file.write(json_line(row.to_dict())))


def _write_parquet(rows: Iterable[Similar], file: BinaryIO) -> int:
    import pyarrow as pa
    from pyarrow import parquet

    n_rows, schema = 0, _parquet_schema(pa)
    with parquet.ParquetWriter(file, schema) as writer:
        for some in _grouped(rows):
            columns = {name: [_plain(getattr(row, name)) for row in some] for name in COLUMNS}
            writer.write_table(pa.table(columns, schema=schema))
            n_rows += len(some)
    return n_rows


def _parquet_schema(pa: pyarrow) -> pyarrow.Schema:
    kinds = {"path": pa.string(), "other_path": pa.string(), "similarity": pa.float64(), "reverse": pa.float64()}
    return pa.schema([(name, kinds.get(name, pa.uint32())) for name in COLUMNS])


def _plain(value: object) -> object:
    """Return a value; of a path that is not valid Unicode what can be shown of it."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _grouped(rows: Iterable[Similar]) -> Iterator[list[Similar]]:
    waiting = iter(rows)
    while some := list(islice(waiting, _TOGETHER)):
        yield some
