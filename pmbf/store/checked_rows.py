"""The rows of the catalog's tables as they are read: batch by batch, each row compared with its checksum."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import CorruptError
from pmbf.store import database, files
from pmbf.store.catalog_tables import (
    BINARY_KIND,
    NUMBERS,
    TABLES,
    Document,
    Documents,
    ListedPath,
    Row,
    as_documents,
    as_row,
    called,
    row_checksum,
    sound_numbers,
    tally_key,
    with_checksum,
)

_FETCHED_TOGETHER = 1000
"""Rows that are read and compared at once: some 0.5 MB."""

_MANY = 16
"""Fewer rows are compared one by one: columns of a few rows take longer."""


class CheckedRows:
    """What a catalog reads rows with.

    `location` is the catalog's path, `meta` its table `meta`. `_trusting` tells whether to work with the rows that are
    there, though others were committed. `_owner` and `_guest` are the threads that may read; the guest
    holds `_lending`.
    """

    location: Path
    meta: dict[str, str]
    _connection: sqlite3.Connection
    _trusting: bool
    _owner: int
    _guest: int | None
    _lending: threading.Lock
    _indexed: set[str]

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        """Let this thread read, too. Others that ask for the catalog wait; its own thread does not."""
        with self._lending:
            self._guest = threading.get_ident()
            try:
                yield
            finally:
                self._guest = None

    def document_columns(self) -> tuple[Documents, NDArray[np.bool_]]:
        """Return every document, removed ones included, by ascending id: the integers of the rows as columns.

        The second array says of each whether it is a file without text.
        """
        documents, is_binary = [np.empty(0, NUMBERS)], [np.empty(0, np.bool_)]
        for numbers, rows in self._columns(Document):
            documents.append(as_documents(numbers))
            is_binary.append(np.array([row[2] == BINARY_KIND for row in rows]))
        return np.concatenate(documents).view(np.recarray), np.concatenate(is_binary)

    def documents_of_paths(self) -> NDArray[np.int64]:
        """Return the document of each path, in any order."""
        return np.concatenate([np.empty(0, np.int64), *(numbers[:, 0] for numbers, _ in self._columns(ListedPath))])

    def require_indexes(self, row_type: type[Row]) -> None:
        """Refuse a table whose indexes are not those of its rows, once: what they leave out would seem not to be there.

        Takes some 2 us a row.
        """
        table, _ = TABLES[row_type]
        if table not in self._indexed:
            for (line,) in self._execute(f"PRAGMA integrity_check({table})"):
                if line != "ok":
                    raise files.damaged(self.location, line)
            self._indexed.add(table)

    def _columns(self, row_type: type[Row]) -> Iterator[tuple[NDArray[np.int64], list[Any]]]:
        """Yield all rows of a table in batches, ascending by key: the integers as columns, and the rows."""
        table, key = TABLES[row_type]
        n_rows = crcs = 0
        for rows, numbers in self._fetched(row_type, f"ORDER BY {key}"):
            if numbers is None:
                rows = [with_checksum(row_type, self._row(row_type, columns), columns[-1]) for columns in rows]
                integers = [[column for column in row[:-1] if isinstance(column, int)] for row in rows]
                numbers = np.array(integers, np.int64)
            n_rows, crcs = n_rows + len(rows), crcs + sum(row[-1] for row in rows)
            yield numbers, rows
        self._require_all(table, n_rows, crcs)

    def _select(self, row_type: type[Row], where: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        """Yield rows, each compared with its checksum."""
        for batch, numbers in self._fetched(row_type, where, values):
            for columns in batch:
                yield self._row(row_type, columns) if numbers is None else row_type._make(columns[:-1])

    def _all(self, row_type: type[Row]) -> Iterator[Row]:
        """Yield every row of a table by ascending key; that rows are missing is told behind the last one."""
        table, key = TABLES[row_type]
        n_rows = crcs = 0
        for batch, numbers in self._fetched(row_type, f"ORDER BY {key}"):
            for columns in batch:
                yield self._row(row_type, columns) if numbers is None else row_type._make(columns[:-1])
            n_rows, crcs = n_rows + len(batch), crcs + sum(columns[-1] for columns in batch)
        self._require_all(table, n_rows, crcs)

    def _require_all(self, table: str, n_rows: int, crcs: int) -> None:
        if not self._trusting and (what := self._contradiction(table, n_rows, crcs)):
            raise files.damaged(self.location, what)

    def _contradiction(self, table: str, n_rows: int, crcs: int) -> str:
        """Return what is wrong with a table's number of rows and the sum of their checksums; empty if all is well."""
        if (n_rows, crcs) == (tally := self._tally(table)):
            return ""
        return f"the {n_rows} rows of the table `{table}` are not the {tally[0]} that were committed"

    def _recounted(self, table: str) -> tuple[Any, ...]:
        return self._one(f"SELECT count(*), coalesce(sum(crc), 0) FROM {table} NOT INDEXED")

    def _fetched(
        self, row_type: type[Row], where: str, values: Sequence[Any] = ()
    ) -> Iterator[tuple[list[Any], NDArray[np.int64] | None]]:
        """Yield rows in batches, as SQLite has them, and their integers if all rows of a batch are sound."""
        table, names = TABLES[row_type][0], ", ".join(row_type._fields)
        with self._errors():
            cursor = self._connection.execute(f"SELECT {names}, crc FROM {table} {where}", values)
            while batch := cursor.fetchmany(_FETCHED_TOGETHER):
                yield batch, sound_numbers(row_type, batch) if len(batch) >= _MANY else None

    def _row(self, row_type: type[Row], columns: Sequence[Any]) -> Row:
        """Return a row as SQLite has it, its checksum behind."""
        table, _ = TABLES[row_type]
        *columns, crc = columns
        expected = row_checksum(row_type, columns)
        if expected is None or crc != expected:
            raise self._damage(f"{called(table, columns)} fails its checksum")
        row = as_row(row_type, columns)
        if row is None:
            raise self._damage(f"{called(table, columns)} holds values that no writer puts there")
        return row

    def _tally(self, table: str) -> tuple[int, int]:
        """Return how many rows a table has, and the sum of their checksums."""
        try:
            n_rows, crcs = map(int, self.meta[tally_key(table)].split())
        except (KeyError, AttributeError, ValueError):
            raise self._damage(f"the table `meta` does not say how many rows `{table}` has") from None
        return n_rows, crcs

    def _execute(self, statement: str) -> list[tuple[Any, ...]]:
        with self._errors():
            return self._connection.execute(statement).fetchall()

    def _one(self, query: str, values: Sequence[Any] = ()) -> tuple[Any, ...]:
        with self._errors():
            return tuple(self._connection.execute(query, values).fetchone())

    def _errors(self) -> contextlib.AbstractContextManager[None]:
        if threading.get_ident() not in (self._owner, self._guest):
            raise database.of_another_thread(self.location)
        return database.translated(self.location)

    def _damage(self, what: str) -> CorruptError:
        return database.damage(self.location, what)
