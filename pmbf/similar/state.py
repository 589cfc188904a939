"""The database of similarities in the folder `similar/` of a collection: what one run left, and the next begins with.

    document      each compared document, with the place of its list
    similarity    at most `keep` rows of a document: the other document, shared chunks, similarity
    similar       the same as a view, with the similarity of the other direction
    segment       the files of forward lists
    common        the frozen list of common chunks
    incomplete    documents whose text could not be read, with the reason
    run           each run: what changed, how long each step took
    meta          format, collection, rules, counters, checksum

One transaction at the end of a run changes it. A reader sees the run that was the last when it was opened.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.errors import CorruptError, NotFoundError, UnsupportedError
from pmbf.similar import schema
from pmbf.similar.known import COLUMNS, Ids, Rows
from pmbf.similar.rules import Rules
from pmbf.store import database
from pmbf.store.files import Identity, StoredFile
from pmbf.store.tables import meta_checksum

_CACHE_KIB = 65_536
_ROWS_TOGETHER = 100_000
"""Rows that are Python's own numbers at a time: 130 bytes each."""


@dataclass(slots=True)
class Change:
    """What a run commits.

    Args:
        documents: `KNOWN` rows to insert or replace.
        gone: Ids of documents that leave.
        rows: All rows of each document in `rewritten`.
        rewritten: Ids.
        is_whole: Whether `documents` and `rows` are all there are: what was there before leaves.
        row: Returns the columns of the run but its number, given the number of all rows; called at the end.
        segment: The file written by this run, if there is one.
        lost_segments: Serials of files that no document needs any more.
        incomplete: Reason by id, of all documents whose text could not be read.
        meta: Values of `meta` that change.
        common: A new list of common chunks; None keeps the list.
    """

    documents: NDArray[np.void]
    gone: Ids
    rows: Rows
    rewritten: Ids
    is_whole: bool
    row: Callable[[int], dict[str, Any]]
    segment: StoredFile | None = None
    lost_segments: Sequence[int] = ()
    incomplete: dict[int, str] = field(default_factory=dict)
    meta: dict[str, str] = field(default_factory=dict)
    common: NDArray[np.uint32] | None = None


class State:
    """The database, opened; a snapshot when it is read-only.

    Args:
        folder: The collection's.
        identity: The collection's.
        writable: Whether a run will change it.
        asked_with: The option that names the collection on the command line; None: `-c` and the folder.

    Raises:
        NotFoundError: There is none.
        CorruptError: It is damaged, or belongs to another collection.
        UnsupportedError: A newer pmbf wrote it.

    Thread rule: use from the thread that opened it.
    """

    def __init__(
        self, folder: Path, identity: Identity, *, writable: bool = False, asked_with: str | None = None
    ) -> None:
        self.location = schema.location(folder)
        named = asked_with or f"-c {folder}"
        self._way_out = f"compute the similarities anew with `pmbf similar update --renew {named}`"
        if not self.location.is_file():
            raise NotFoundError(f"{folder}: no similarities yet")
        self._connection = database.connect(self.location, writable=writable)
        try:
            with self.errors():
                self._connection.execute("PRAGMA synchronous = full")
                self._connection.execute(f"PRAGMA cache_size = {-_CACHE_KIB}")
                if not writable:
                    self._connection.execute("BEGIN")
                self.meta = dict(self._connection.execute("SELECT key, value FROM meta"))
            self._check_meta(identity)
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> State:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the snapshot and close the file."""
        self._connection.close()

    @property
    def rules(self) -> Rules:
        """The rules that the table follows."""
        return Rules.from_json(self.meta["rules"])

    @property
    def n_runs(self) -> int:
        """Runs that were committed; 0 of a new database."""
        return int(self.meta["runs"])

    # ------------------------------------------------------------------ reading

    def documents(self) -> NDArray[np.void]:
        """Return the documents, `(n,) KNOWN`, by ascending id.

        Raises:
            CorruptError: A row is damaged, or rows are missing.
        """
        names = ", ".join(COLUMNS)
        columns = self._numbers(f"SELECT {names}, crc FROM document ORDER BY id", len(COLUMNS) + 1)
        found = schema.as_known(columns[:, :-1])
        wrong = np.flatnonzero(schema.checksums(found) != columns[:, -1])
        if len(wrong):
            raise self.damage(f"the row of document {int(found['id'][wrong[0]])} fails its checksum")
        if schema.tally(found) != self.meta["documents"]:
            raise self.damage(f"the {len(found)} rows of `document` are not those that were committed")
        return found

    def rows_of(self, documents: NDArray[np.void]) -> Rows:
        """Return all rows of some documents, by document and other.

        Args:
            documents: `KNOWN` rows, by ascending id.

        Raises:
            CorruptError: They are not the rows that were committed.
        """
        rows = self._rows("WHERE document IN (SELECT value FROM json_each(?))", _json(documents["id"]))
        wrong = np.flatnonzero(rows.checksums(documents["id"]) != documents["rows_crc"])
        if len(wrong):
            raise self.damage(f"the rows of document {int(documents['id'][wrong[0]])} fail their checksum")
        return rows

    def all_rows(self, documents: NDArray[np.void]) -> Rows:
        """Return all rows, by document and other; arguments and errors as for `rows_of`."""
        rows = self._rows("", None)
        wrong = np.flatnonzero(rows.checksums(documents["id"]) != documents["rows_crc"])
        if len(wrong):
            raise self.damage(f"the rows of document {int(documents['id'][wrong[0]])} fail their checksum")
        return rows

    def having(self, others: Ids) -> tuple[Ids, Ids]:
        """Return the documents that have rows with some others, ascending, and how many such rows each has."""
        which = "WHERE other IN (SELECT value FROM json_each(?))"
        found = self._numbers(f"SELECT document, count(*) FROM similarity {which} GROUP BY document", 2, _json(others))
        return found[:, 0], found[:, 1]

    def segments(self) -> list[StoredFile]:
        """Return the files of forward lists, by serial."""
        rows = self.select("SELECT serial, payload_bytes, payload_crc FROM segment ORDER BY serial")
        return [StoredFile(serial, "CHNK", n_bytes, crc) for serial, n_bytes, crc in rows]

    def common(self) -> NDArray[np.uint32]:
        """Return the common chunks, ascending.

        Raises:
            CorruptError: The list is damaged.
        """
        [(chunks, crc)] = self.select("SELECT chunks, crc FROM common") or [(b"", 0)]
        if zlib.crc32(chunks) != crc:
            raise self.damage("the list of common chunks fails its checksum")
        return np.frombuffer(chunks, "<u4").astype(np.uint32)

    def incomplete(self) -> dict[int, str]:
        """Return why the text of a document could not be read, by id."""
        return dict(self.select("SELECT document, reason FROM incomplete ORDER BY document"))

    def select(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of a query."""
        with self.errors():
            return self._connection.execute(query, values).fetchall()

    def iterate(self, query: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        """Yield the rows of a query; memory stays small."""
        with self.errors():
            yield from self._connection.execute(query, values)

    # ------------------------------------------------------------------ writing

    def commit(self, change: Change) -> None:
        """Make the end of a run visible, all at once.

        Raises:
            OSError: The disk is full; nothing has changed.
        """
        with self.errors(), self._transaction():
            if change.is_whole:
                schema.forget_all(self._connection)
            self._delete("document", "id", np.concatenate([change.gone, change.documents["id"]]))
            self._delete("similarity", "document", change.gone)
            schema.insert_documents(self._connection, change.documents)
            self._insert_rows(self._replaced(change))
            if change.is_whole:
                schema.index_rows(self._connection)
            self._small_tables(change)
            self._set_meta(change.meta)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.commit()
        except BaseException:
            self._connection.rollback()
            raise

    def _delete(self, table: str, column: str, ids: Ids) -> None:
        query = f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))"
        self._connection.execute(query, [_json(ids)])

    def _replaced(self, change: Change) -> Rows:
        """Delete the rows that differ, and return those that are to be inserted: most rows of a document stay."""
        if change.is_whole:
            return change.rows
        before = self._rows("WHERE document IN (SELECT value FROM json_each(?))", _json(change.rewritten))
        lost = before.chosen(~before.among(change.rows))
        pairs = zip(lost.documents.tolist(), lost.others.tolist(), strict=True)
        self._connection.executemany("DELETE FROM similarity WHERE document = ? AND other = ?", pairs)
        return change.rows.chosen(~change.rows.among(before))

    def _insert_rows(self, rows: Rows) -> None:
        known, ordered = self._numbers("SELECT id, n_counted FROM document ORDER BY id", 2), rows.ordered()
        similarities = ordered.shared / known[np.searchsorted(known[:, 0], ordered.documents), 1]
        columns = ordered.documents, ordered.others, ordered.shared, similarities
        for start in range(0, len(rows), _ROWS_TOGETHER):
            values = [column[start : start + _ROWS_TOGETHER].tolist() for column in columns]
            self._connection.executemany("INSERT INTO similarity VALUES (?, ?, ?, ?)", zip(*values, strict=True))

    def _small_tables(self, change: Change) -> None:
        from sqlite_utils import Database

        tables = Database(self._connection)
        tables.table("segment").delete_where(f"serial IN ({','.join(map(str, change.lost_segments))})")
        if change.segment:
            serial, _, n_bytes, crc, _ = change.segment
            tables.table("segment").insert({"serial": serial, "payload_bytes": n_bytes, "payload_crc": crc})
        tables.table("incomplete").delete_where()
        reasons = ({"document": id_, "reason": reason} for id_, reason in change.incomplete.items())
        tables.table("incomplete").insert_all(reasons)
        number = self.n_runs + 1
        if change.common is not None:
            chunks = change.common.astype("<u4").tobytes()
            version, n_documents = int(self.meta["common"]) + 1, len(change.documents)
            tables.table("common").delete_where()
            row = {"version": version, "n_documents": n_documents, "run": number}
            tables.table("common").insert(row | {"chunks": chunks, "crc": zlib.crc32(chunks)})
            change.meta["common"] = str(version)
        [(n_rows,)] = self.select("SELECT count(*) FROM similarity")
        tables.table("run").insert({"number": number} | change.row(n_rows))

    def _set_meta(self, values: dict[str, str]) -> None:
        documents = self._connection.execute("SELECT count(*), total(crc) FROM document").fetchone()
        meta = self.meta | values | {"documents": "{} {:.0f}".format(*documents)}
        meta |= {"runs": str(self.n_runs + 1)}
        meta["crc"] = str(meta_checksum(meta))
        self._connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())
        self.meta = meta

    # ------------------------------------------------------------------ private

    def _check_meta(self, identity: Identity) -> None:
        try:
            version, crc = int(self.meta["format"]), int(self.meta["crc"])
        except (KeyError, TypeError, ValueError):
            raise self.damage("the table `meta` is not that of similarities") from None
        if version > schema.FORMAT:
            raise UnsupportedError(
                f"{self.location}: format is {version}, this pmbf reads {schema.FORMAT}; upgrade pmbf"
            )
        if meta_checksum(self.meta) != crc:
            raise self.damage("the checksum of the table `meta` does not fit")
        if (self.meta["collection"], self.meta["params"]) != (
            identity.collection_id.hex(),
            identity.params_digest.hex(),
        ):
            raise self.damage("the similarities belong to another collection")

    def _rows(self, where: str, ids: str | None) -> Rows:
        query = f"SELECT document, other, shared FROM similarity {where} ORDER BY document, other"
        columns = self._numbers(query, 3, ids)
        return Rows(columns[:, 0], columns[:, 1], columns[:, 2])

    def _numbers(self, query: str, n_columns: int, ids: str | None = None) -> NDArray[np.int64]:
        """Return the integers of a query, `(n, n_columns) int64`."""
        with self.errors():
            found = self._connection.execute(query, [] if ids is None else [ids])
            try:
                numbers = np.fromiter(itertools.chain.from_iterable(found), np.int64)
            except (TypeError, OverflowError):
                raise self.damage("holds values that no run puts there") from None
        return numbers.reshape(-1, n_columns)

    def errors(self) -> contextlib.AbstractContextManager[None]:
        """Raise what SQLite finds as an error of pmbf that says what to do."""
        return database.translated(self.location, self._way_out)

    def damage(self, what: str) -> CorruptError:
        """Return the error for a damaged database."""
        return database.damage(self.location, what, self._way_out)


def _json(ids: Ids) -> str:
    return json.dumps(ids.tolist())
