"""The database of similarities in the folder `similar/` of a collection: what one run left, and the next begins with.

    document      each compared document, with the place of its list
    similarity    at most `keep` rows of a document: the other document, shared chunks, similarity
    similar       the same as a view, with the similarity of the other direction
    segment       the files of forward lists
    common        the frozen list of common chunks
    incomplete    documents whose text could not be read, with the reason
    run           each run: what changed, how long each step took
    meta          format, collection, rules, counters, checksum

One transaction at the end of a run changes it (`committing`). A reader sees the run that was the last when it was
opened.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.similar import schema
from pmbf.alike.similar.known import COLUMNS, Ids, TableRows
from pmbf.alike.similar.rules import TableRules
from pmbf.base.errors import CorruptError, NotFoundError, PmbfError
from pmbf.store import database
from pmbf.store.files import Identity, StoredFile

LOCK = "update.lock"
"""What a run holds."""
_CACHE_KIB = 65_536
_DOCUMENTS_TOGETHER = 1000
_BOTH_WAYS = ("other", "INDEXED BY similarity_other"), ("shared", "NOT INDEXED")
"""A column and a clause with which SQLite reads the index of the rows alone, or their table alone."""


class SimilarState:
    """The database, opened; a snapshot when it is read-only. `asked_with` is how the command line names the collection.

    Raises `NotFoundError` if there is none, `CorruptError` if it is damaged or belongs to another collection,
    `UnsupportedError` if a newer pmbf wrote it. To be used from the thread that opened it.
    """

    def __init__(
        self, folder: Path, identity: Identity, *, writable: bool = False, asked_with: str | None = None
    ) -> None:
        self.location = schema.location(folder)
        named = asked_with or f"-c {folder}"
        self._way_out = f"compute the similarities anew with `pmbf similar update --renew {named}`"
        if not self.location.is_file():
            raise NotFoundError(f"{folder}: no similarities yet")
        with contextlib.ExitStack() as stack:
            self.connection = stack.enter_context(
                contextlib.closing(database.connect(self.location, writable=writable))
            )
            try:
                self._begin(writable)
            except PmbfError:
                raise
            except OSError:  # a full disk has no room for the index of a log that is not there
                if writable or not stack.enter_context(database.without_log(self.location, LOCK)):
                    raise
                opened = database.opened(self.location, database.UNCHANGING)
                self.connection = stack.enter_context(contextlib.closing(opened))
                self._begin(writable)
            if what := schema.wrong(self.meta, identity):
                raise self.damage(what)
            self._stack = stack.pop_all()

    def _begin(self, writable: bool) -> None:
        """Read the table `meta`; a reader's transaction stays open, and with it its snapshot."""
        with self.errors():
            self.connection.execute("PRAGMA synchronous = full")
            self.connection.execute(f"PRAGMA cache_size = {-_CACHE_KIB}")
            if not writable:
                self.connection.execute("BEGIN")
            self.meta = dict(self.connection.execute("SELECT key, value FROM meta"))

    def __enter__(self) -> SimilarState:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the snapshot and close the file."""
        self._stack.close()

    @property
    def rules(self) -> TableRules:
        """The rules that the table follows."""
        return TableRules.from_json(self.meta["rules"])

    @property
    def n_runs(self) -> int:
        """Runs that were committed; 0 of a new database."""
        return int(self.meta["runs"])

    # ------------------------------------------------------------------ reading

    def documents(self) -> NDArray[np.void]:
        """Return the documents, `(n,) KNOWN`, by ascending id; `CorruptError` if rows are damaged or missing."""
        found = self._documents("", [])
        if schema.tally(found) != self.meta["documents"]:
            raise self.damage(f"the {len(found)} rows of `document` are not those that were committed")
        return found

    def some_documents(self, ids: Iterable[int]) -> NDArray[np.void]:
        """Return those of some documents that the table has; as `documents`."""
        wanted = {*ids}
        found = self._documents("WHERE id IN (SELECT value FROM json_each(?))", [json.dumps(sorted(wanted))])
        if len(found) < len(wanted):
            self.documents()  # a row that is lost is no document without rows
        return found

    def rows_of(self, documents: NDArray[np.void]) -> TableRows:
        """Return all rows of some documents, `KNOWN` rows by ascending id; `CorruptError` if they are not whole."""
        return self.rows("WHERE document IN (SELECT value FROM json_each(?))", [as_json(documents["id"])], documents)

    def each_rows(self, known: NDArray[np.void]) -> Iterator[TableRows]:
        """Yield all rows, by document and other, those of some documents at a time. `known` are all documents.

        Raises `CorruptError` if they are not the rows that were committed, or name a document that the table does not
        have.
        """
        for first in range(0, max(1, len(known)), _DOCUMENTS_TOGETHER):
            some, following = known[first : first + _DOCUMENTS_TOGETHER], known[first + _DOCUMENTS_TOGETHER :]
            least = int(some["id"][0]) if first else 0
            stop = int(following["id"][0]) if len(following) else 2**62
            rows = self.rows("WHERE document >= ? AND document < ?", [least, stop], some)
            if not (np.isin(rows.documents, some["id"]).all() and np.isin(rows.others, known["id"]).all()):
                raise self.damage("a row names a document that has no list")
            yield rows

    def verify(self) -> NDArray[np.void]:
        """Compare all that the database holds with its checksums; return the documents. 0.6 s for a million rows."""
        known = self.verified_documents()
        collections.deque(self.each_rows(known), maxlen=0)
        by_index, by_table = (
            self.numbers(f"SELECT count({column}), total(document), total(other) FROM similarity {how}", 3)
            for column, how in _BOTH_WAYS
        )
        if not np.array_equal(by_index, by_table):
            raise self.damage("the index of the rows is not that of the table")
        return known

    def verified_documents(self) -> NDArray[np.void]:
        """Return the documents, as `documents`; compare all but the rows of similarities with its checksums."""
        for (line,) in (row for name in schema.SMALL_TABLES for row in self.select(f"PRAGMA integrity_check({name})")):
            if line != "ok":
                raise self.damage(line)
        known = self.documents()
        self.common()
        if unnamed := {*known["segment"].tolist()} - {file.serial for file in self.segments()}:
            raise self.damage(f"segment {min(unnamed)} is not named")
        self.require_small()
        return known

    def require_small(self) -> None:
        """Refuse lists of files, runs and unread documents that are damaged. Raises `CorruptError`."""
        with self.errors():
            try:
                schema.require_small(self.connection, self.meta)
            except CorruptError as error:
                raise self.damage(str(error)) from None

    def naming(self, other: int) -> Ids:
        """Return the documents that have a row with another one, ascending.

        Raises `CorruptError` if the index of the rows is not that of the table, which is read whole.
        """
        named = "SELECT document, {} FROM similarity {} WHERE +other = ? ORDER BY document"
        by_index, by_table = (self.numbers(named.format(*how), 2, [other])[:, 0] for how in _BOTH_WAYS)
        if not np.array_equal(by_index, by_table):
            raise self.damage("the index of the rows is not that of the table")
        return by_index

    def having(self, others: Ids) -> tuple[Ids, Ids]:
        """Return the documents that have rows with some others, ascending, and how many such rows each has.

        The table is read, not its index, which may be damaged: 0.04 s for a million rows.
        """
        if not len(others):
            return others, others
        which = "NOT INDEXED WHERE +other IN (SELECT value FROM json_each(?))"
        query = f"SELECT document, count(*) FROM similarity {which} GROUP BY document"
        found = self.numbers(query, 2, [as_json(others)])
        return found[:, 0], found[:, 1]

    def segments(self) -> list[StoredFile]:
        """Return the files of forward lists, by serial."""
        rows = self.numbers("SELECT serial, payload_bytes, payload_crc FROM segment ORDER BY serial", 3).tolist()
        return [StoredFile(serial, "CHNK", n_bytes, crc) for serial, n_bytes, crc in rows]

    def common(self) -> NDArray[np.uint32]:
        """Return the common chunks, ascending; `CorruptError` if the list is damaged."""
        found = self.select("SELECT chunks, crc FROM common")
        chunks, crc = found[0] if found else (b"", 0)
        is_list = isinstance(chunks, bytes) and len(chunks) % 4 == 0 and bool(found) == (self.meta["common"] != "0")
        if not is_list or zlib.crc32(chunks) != crc:
            raise self.damage("the list of common chunks fails its checksum")
        return np.frombuffer(chunks, "<u4").astype(np.uint32)

    def incomplete(self) -> dict[int, str]:
        """Return why the text of a document could not be read, by id."""
        return dict(self.select("SELECT document, reason FROM incomplete ORDER BY document"))

    def select(self, query: str) -> list[Any]:
        """Return the rows of a query."""
        with self.errors():
            return self.connection.execute(query).fetchall()

    # ------------------------------------------------------------------ private

    def _documents(self, where: str, values: Sequence[Any]) -> NDArray[np.void]:
        names = ", ".join(COLUMNS)
        columns = self.numbers(f"SELECT {names}, crc FROM document {where} ORDER BY id", len(COLUMNS) + 1, values)
        found = schema.as_known(columns[:, :-1])
        is_wrong = (schema.checksums(found) != columns[:, -1]) | ~schema.are_possible(found)
        if is_wrong.any():
            first = found["id"][is_wrong][0]
            raise self.damage(f"the row of document {first} fails its checksum, or holds what no run puts there")
        return found

    def rows(self, where: str, values: Sequence[Any], of: NDArray[np.void] | None = None) -> TableRows:
        """Return some rows; compare those of some documents, if they are given, with the checksums there."""
        query = f"SELECT document, other, shared FROM similarity {where} ORDER BY document, other"
        columns = self.numbers(query, 3, values)
        rows = TableRows(columns[:, 0], columns[:, 1], columns[:, 2])
        if of is not None:
            is_wrong = rows.checksums(of["id"]) != of["rows_crc"]
            if is_wrong.any():
                raise self.damage(f"the rows of document {of['id'][is_wrong][0]} fail their checksum")
        return rows

    def numbers(self, query: str, n_columns: int, values: Sequence[Any] = ()) -> NDArray[np.int64]:
        """Return the integers of a query, `(n, n_columns) int64`."""
        with self.errors():
            found = self.connection.execute(query, values)
            try:
                numbers = np.fromiter(itertools.chain.from_iterable(found), np.int64)
            except (TypeError, ValueError, OverflowError):
                raise self.damage("holds values that no run puts there") from None
        return numbers.reshape(-1, n_columns)

    def errors(self) -> contextlib.AbstractContextManager[None]:
        """Raise what SQLite finds as an error of pmbf that says what to do."""
        return database.translated(self.location, self._way_out)

    def damage(self, what: str) -> CorruptError:
        """Return the error for a damaged database."""
        return database.damage(self.location, what, self._way_out)


def as_json(ids: Ids) -> str:
    """Return ids as a query takes them."""
    return json.dumps(ids.tolist())
