"""Checksums of the rows of the state file: a row that is damaged or lost is told, and never taken for no row.

Triggers keep them in the table `row_sums`: the name of a table, the key of a row, the CRC-32 of its columns. So what
changes the tables needs not know of them. A row that is lost is still named there; a checksum that is lost fails its
row.
"""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from sqlite_utils import Database

from pmbf.base.errors import CorruptError

Kind = TypeVar("Kind")

KEYS = {
    "screenings": ("id",),
    "reports": ("id",),
    "sentences": ("id",),
    "texts": ("id",),
    "decisions": ("screening", "source"),
    "tokens": ("id",),
    "sessions": ("hash",),
}
"""The columns that a row of each table is known by."""
_TYPES: dict[Any, Any] = {"str": str, "int": int, "float": float, "bool": int, "float | None": (float, type(None))}
_MOST = 1e12
"""No number of a row is as large; times are seconds since 1970, and a calendar has no later day."""
_TABLE = "CREATE TABLE IF NOT EXISTS row_sums (name TEXT, key TEXT, crc INTEGER, PRIMARY KEY (name, key)) WITHOUT ROWID"


def prepare(state: Database) -> None:
    """Let a connection compute checksums: without that, the triggers refuse every change."""
    state.conn.create_function("row_sum", -1, _row_sum, deterministic=True)


def create(state: Database) -> None:
    """Make the table of checksums, and the triggers that keep it, for tables without rows."""
    state.execute(_TABLE)
    for table in KEYS:
        new, old = _noted(state, table, "NEW"), f"name = '{table}' AND key = {key_of(table, 'OLD')}"
        put, drop = f"INSERT OR REPLACE INTO row_sums VALUES ({new});", f"DELETE FROM row_sums WHERE {old};"
        for event, what in (("INSERT", put), ("UPDATE", drop + put), ("DELETE", drop)):
            name = f"{table}_sum_{event.lower()}"
            state.execute(f"CREATE TRIGGER IF NOT EXISTS {name} AFTER {event} ON {table} BEGIN {what} END")


def key_of(table: str, row: str) -> str:
    """Return the key of a row as an expression of SQL."""
    return " || char(10) || ".join(f"{row}.{column}" for column in KEYS[table])


def _noted(state: Database, table: str, row: str) -> str:
    return f"'{table}', {key_of(table, row)}, {_own(state, table, row)}"


def _own(state: Database, table: str, row: str) -> str:
    return f"row_sum({', '.join(f'{row}.{column}' for column in state.table(table).columns_dict)})"


def _row_sum(*columns: Any) -> int:
    crc = 0
    for column in columns:
        content = column if isinstance(column, bytes) else repr(column).encode("utf-8", "surrogatepass")
        crc = zlib.crc32(content, zlib.crc32(b"%s %d " % (type(column).__name__.encode(), len(content)), crc))
    return crc


class Sums:
    """Reads the tables of a state file, each row compared with its checksum. One thread uses it."""

    def __init__(self, state: Database) -> None:
        self._db = state
        self._own: dict[str, str] = {}
        self._whole: dict[str, tuple[int, int]] = {}

    def rows(self, table: str, columns: str, rest: str = "", values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return what `columns` selects of rows of a table, with what follows it in the query.

        Raise `CorruptError` for a damaged one.
        """
        with self.told():
            query = f"SELECT {columns}, {self._is_sound(table)} FROM {table} {rest}"
            found = self._db.execute(query, values).fetchall()
        if not all(row[-1] for row in found):
            raise self.damage(f"a row of `{table}` fails its checksum")
        return [row[:-1] for row in found]

    def require_none(self, table: str, key: str) -> None:
        """Refuse that there is no row with a key. Raises `CorruptError` if there was one."""
        if self.count("name = ? AND key = ?", [table, key]):
            raise self.damage(f"a row of `{table}` is lost")

    def require_all(self, table: str) -> None:
        """Refuse a table that has lost or damaged rows: all are read, once after each change. Raises `CorruptError`."""
        with self.told():
            state = self._db.execute("PRAGMA data_version").fetchone()[0], self._db.conn.total_changes
            if self._whole.get(table) == state:
                return
            [(n_rows,)] = self._db.execute(f"SELECT count(*) FROM {table} WHERE {self._is_sound(table)}").fetchall()
        if n_rows != (n_all := self.count("name = ?", [table])):
            raise self.damage(f"{n_rows} of the {n_all} rows of `{table}` are whole")
        self._whole[table] = state

    def _is_sound(self, table: str) -> str:
        if table not in self._own:
            self._own[table] = _own(self._db, table, table)
        key = key_of(table, table)
        return f"(SELECT crc FROM row_sums WHERE name = '{table}' AND key = {key}) IS {self._own[table]}"

    def count(self, where: str, values: Sequence[Any]) -> int:
        """Return how many checksums there are."""
        with self.told():
            return int(self._db.execute(f"SELECT count(*) FROM row_sums WHERE {where}", values).fetchone()[0])

    def made(self, kind: type[Kind], row: Sequence[Any]) -> Kind:
        """Return a row as a dataclass. Raises `CorruptError` if a value is of another type."""
        values = []
        for one, value in zip(fields(kind), row, strict=True):  # type: ignore[arg-type]
            is_whole = one.type == "float" and isinstance(value, int)
            is_far = isinstance(value, int | float) and not abs(value) < _MOST
            if is_far or (not is_whole and not isinstance(value, _TYPES[one.type])):
                raise self.damage(f"`{one.name}` is {value!r:.80}")
            values.append(bool(value) if one.type == "bool" else value)
        return kind(*values)

    @contextlib.contextmanager
    def told(self) -> Iterator[None]:
        """Raise what SQLite finds damaged as an error of pmbf."""
        try:
            yield
        except (sqlite3.Error, ValueError) as error:
            if isinstance(error, sqlite3.OperationalError) and "decode" not in str(error):
                raise
            raise self.damage(str(error)) from error

    def damage(self, what: str) -> CorruptError:
        """Return the error for a damaged state file, with the way out."""
        path = "history.db"
        with contextlib.suppress(sqlite3.Error):  # of a schema that cannot be read
            path = next(row[2] for row in self._db.conn.execute("PRAGMA database_list"))
        way_out = "put back a copy of it, or move it away: then history and tokens begin anew"
        return CorruptError(f"{path}: {what}; {way_out}")
