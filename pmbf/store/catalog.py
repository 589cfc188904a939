"""The catalog: which documents, paths and files a collection has. `schema` makes its tables; other SQL stands here.

A reader sees the catalog as it was when it was opened (one SQLite read transaction in WAL mode); a writer's changes
become visible all at once. SQLite itself does not notice a flipped bit. So every row carries the CRC-32 of its other
columns, the table `meta` one over all its values, and `meta` holds how many rows each table has and the sum of their
checksums: a row that is gone is noticed too.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import threading
from collections.abc import Iterable, Iterator, Sequence
from operator import add, attrgetter, itemgetter, sub
from pathlib import Path
from typing import Any

from pmbf.base.errors import CorruptError, PmbfError
from pmbf.store import database, files, schema
from pmbf.store.catalog_tables import (
    PATH_SUMS,
    TABLES,
    Document,
    JournalEntry,
    ListedPath,
    Row,
    as_columns,
    meta_checksum,
    tally_key,
    to_sql,
)
from pmbf.store.checked_rows import CheckedRows

PathSums = tuple[int, ...]
"""A number of paths, the sum of their documents, and that of their row numbers."""

_CACHE_KIB = 16_384
"""Eight times SQLite's own choice: the index by contents fits, 80,000 documents are inserted in a tenth less time."""


class Catalog(CheckedRows):
    """One collection's catalog; a snapshot when read-only.

    Thread rule: use from the thread that opened it, or from one that it is `lent` to.
    """

    def __init__(self, folder: Path, *, writable: bool = False, trusting: bool = False) -> None:
        """Open the catalog of an existing collection.

        Args:
            folder: The collection's.
            writable: Whether it will be changed.
            trusting: Whether to work with the rows that are there, though others were committed; for repairing.

        Raises:
            NotFoundError: There is no collection in the folder.
            CorruptError: The catalog is damaged.
            UnsupportedError: It is of another version of the format.
        """
        self.location = schema.require(folder)
        self._writable, self._trusting = writable, trusting
        self._owner, self._guest, self._lending = threading.get_ident(), None, threading.Lock()
        self._indexed = set()
        with contextlib.ExitStack() as stack:
            connection = database.connect(self.location, writable=writable, any_thread=True)
            self._connection = stack.enter_context(contextlib.closing(connection))
            try:
                self._begin()
            except PmbfError:
                raise
            except OSError:
                if writable or not stack.enter_context(database.without_log(self.location)):
                    raise
                connection = database.opened(self.location, database.UNCHANGING, any_thread=True)
                self._connection = stack.enter_context(contextlib.closing(connection))
                self._begin()
            schema.check_meta(self.location, self.meta)
            if trusting:
                with self._errors():
                    database.reindex(self._connection)
            self._stack = stack.pop_all()

    def _begin(self) -> None:
        """Read the meta table; a reader's transaction stays open, and with it its snapshot."""
        with self._errors():
            self._connection.execute("PRAGMA synchronous = full")
            self._connection.execute(f"PRAGMA cache_size = {-_CACHE_KIB}")
            if not self._writable:
                self._connection.execute("BEGIN")
            self._read_meta()

    def _read_meta(self) -> None:
        self.meta = dict(self._connection.execute("SELECT key, value FROM meta"))

    def close(self) -> None:
        """End the snapshot and close the file, when no other thread reads."""
        with self._lending:
            self._stack.close()

    # ------------------------------------------------------------------ reading

    def documents(self, ids: Iterable[int]) -> dict[int, Document]:
        """Return the documents with these ids, removed ones included, by id."""
        found: dict[int, Document] = {}
        for chunk in _chunks(list(ids)):
            marks = ",".join("?" * len(chunk))
            for row in self._select(Document, f"WHERE id IN ({marks})", chunk):
                found[row.id] = row
        return found

    def live_documents(self) -> Iterator[Document]:
        """Yield every document that is not removed, by ascending id."""
        return (row for row in self.all_documents() if not row.removed)

    def all_documents(self) -> Iterator[Document]:
        """Yield every document, removed ones included, by ascending id."""
        return self._all(Document)

    def by_sha256(self, contents: Iterable[str]) -> list[Document]:
        """Return the live documents with these contents, of any kind, by descending id. An empty table is not asked.

        Args:
            contents: SHA-256 of each.
        """
        found: list[Document] = []
        if self._is_empty(Document):
            return found
        for chunk in _chunks(list(contents)):
            where = f"WHERE sha256 IN ({','.join('?' * len(chunk))}) AND removed = 0 ORDER BY id DESC"
            found += self._select(Document, where, chunk)
        if not (found or self._writable):
            self.require_indexes(Document)
        return found

    def kinds_without_words(self) -> dict[int, str]:
        """Return the kinds of the live documents without a word, by id."""
        return {row.id: row.kind for row in self._select(Document, "WHERE removed = 0 AND n_tokens = 0")}

    def incomplete_documents(self) -> dict[int, str]:
        """Return what was not read of live documents, by id."""
        return {row.id: row.problems for row in self._select(Document, "WHERE removed = 0 AND problems != ''")}

    def path(self, path: str) -> ListedPath | None:
        """Return a path as it is listed, or None."""
        return next(self._select(ListedPath, "WHERE path = ?", [to_sql(path)]), None)

    def some_paths(self, paths: Iterable[str]) -> dict[str, ListedPath]:
        """Return those paths that are listed, by path. An empty table is not asked."""
        found: dict[str, ListedPath] = {}
        if self._is_empty(ListedPath):
            return found
        for chunk in _chunks([to_sql(path) for path in paths]):
            marks = ",".join("?" * len(chunk))
            found |= {listed.path: listed for listed in self._select(ListedPath, f"WHERE path IN ({marks})", chunk)}
        return found

    def has_below(self, folder: str) -> bool:
        """Return whether a path is listed below a folder, at any depth."""
        below = [to_sql(folder.rstrip("/") + end) for end in "/0"]  # 0 follows / in the order of bytes
        return any(True for _ in self._select(ListedPath, "WHERE path > ? AND path < ? LIMIT 1", below))

    def paths(self) -> Iterator[ListedPath]:
        """Yield every path in alphabetical order."""
        return self._all(ListedPath)

    def paths_by_document(self) -> Iterator[tuple[int, list[ListedPath]]]:
        """Yield the paths of each document, sorted, by ascending id of the document.

        The index of the paths by document tells the order; see `require_paths_by_document`.
        """
        rows = self._select(ListedPath, "INDEXED BY idx_path_document ORDER BY document, path")
        return ((document, list(some)) for document, some in itertools.groupby(rows, attrgetter("document")))

    def labelled_paths(self) -> Iterator[ListedPath]:
        """Yield every path that has labels, in any order; a lost row is told behind the last one."""
        yield from self._select(ListedPath, "WHERE labels != ''")
        self._require_all("path", *self._recounted("path"))

    def listed_of(self, ids: Iterable[int]) -> dict[int, list[ListedPath]]:
        """Return the paths of some documents as they are listed, sorted, by document id."""
        found: dict[int, list[ListedPath]] = {}
        for chunk in _chunks(list(ids)):
            marks = ",".join("?" * len(chunk))
            for listed in self._select(ListedPath, f"WHERE document IN ({marks}) ORDER BY path", chunk):
                found.setdefault(listed.document, []).append(listed)
        return found

    def paths_of(self, ids: Iterable[int]) -> dict[int, list[str]]:
        """Return the paths of some documents, sorted, by document id."""
        return {id_: [one.path for one in some] for id_, some in self.listed_of(ids).items()}

    def files(self, kind: str | None = None) -> list[files.StoredFile]:
        """Return the live files, of one kind or of all, by serial."""
        every = itertools.chain.from_iterable(rows for _, rows in self._columns(files.StoredFile))
        made = files.StoredFile._make
        return [made(row[:-1]) for row in every if kind is None or row[1] == kind]

    def journal(self) -> list[JournalEntry]:
        """Return what is not in files yet. An empty table is not asked."""
        return [] if self._is_empty(JournalEntry) else list(self._all(JournalEntry))

    def require_paths_by_document(self) -> None:
        """Refuse an index of the paths by document that leaves a path out: a document would seem to have no other.

        The index is compared with the sums in `meta`. The table, which is 20 times as large, is read if they differ.
        """
        by_index = self._path_sums("INDEXED BY idx_path_document")
        if by_index != self._noted_path_sums():
            if by_index != self._path_sums("NOT INDEXED"):
                raise files.damaged(self.location, "the index of the paths by document is not that of the table `path`")
            self._note_path_sums(by_index)

    def _path_sums(self, where: str, values: Sequence[Any] = ()) -> PathSums:
        """Return the sums of some paths."""
        sums = "count(*), coalesce(sum(document), 0), coalesce(sum(rowid), 0)"
        return self._one(f"SELECT {sums} FROM path {where}", values)

    def _noted_path_sums(self) -> PathSums:
        """Return the sums of all paths that `meta` tells."""
        try:
            n_rows, documents, rowids = map(int, self.meta[PATH_SUMS].split())
        except (KeyError, ValueError):
            raise self._damage("the table `meta` does not say what the paths add up to") from None
        return n_rows, documents, rowids

    def _note_path_sums(self, sums: PathSums) -> None:
        self.meta[PATH_SUMS] = " ".join(map(str, sums))

    def problems(self) -> list[str]:
        """Return what SQLite's own integrity check finds, what is wrong with rows, and numbers given out twice."""
        found = [row[0] for row in self._execute("PRAGMA integrity_check") if row[0] != "ok"]
        for row_type, (table, _) in TABLES.items():
            try:
                collections.deque(self._columns(row_type), maxlen=0)
                if what := self._contradiction(table, *self._recounted(table)):
                    found.append(what)
            except CorruptError as error:
                found.append(str(error))
        used = {"next_serial": "max(serial) FROM file", "next_tile": "max(tile) FROM file WHERE kind = 'TILE'"}
        for name, column in used.items():
            highest = self._one(f"SELECT {column}")[0]
            if isinstance(highest, int) and highest >= int(self.meta.get(name, 0)):
                found.append(f"`{name}` is {self.meta.get(name)} in the table `meta`, but {highest} is in use")
        return found

    # ------------------------------------------------------------------ writing

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything written inside becomes visible at once, or nothing does."""
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                if self._trusting:
                    self._note_what_is_there()
                self._write_meta()
                self._connection.commit()
            except BaseException:
                # Ctrl-C may have come a moment after the commit: what the file says is what happened.
                self._connection.rollback()
                self._read_meta()
                raise

    def _note_what_is_there(self) -> None:
        for table, _ in TABLES.values():
            self.meta[tally_key(table)] = "{} {}".format(*self._recounted(table))
        self._note_path_sums(self._path_sums("NOT INDEXED"))

    def checkpoint(self) -> None:
        """Move the write-ahead log into the catalog, as far as readers allow, without waiting for them."""
        with self._errors():
            self._connection.execute("PRAGMA busy_timeout = 0").fetchall()
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._connection.execute(f"PRAGMA busy_timeout = {1000 * database.BUSY_TIMEOUT_S}").fetchall()

    def insert(self, rows: Sequence[Row]) -> None:
        """Insert rows of one table; that it has a row with one of their keys is damage."""
        if rows:
            self.insert_tuples(type(rows[0]), rows)

    def insert_tuples(self, row_type: type[Row], rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert rows of one table, given as the columns of each."""
        if rows:
            table, columns = TABLES[row_type][0], as_columns(row_type, rows)
            is_path = row_type is ListedPath
            last = self._one("SELECT coalesce(max(rowid), 0) FROM path") if is_path else ()
            self._connection.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(columns[0]))})", columns)
            self._count(table, len(columns), sum(map(itemgetter(-1), columns)))
            if is_path:
                added = self._path_sums("WHERE rowid > ?", last)
                self._note_path_sums(tuple(map(add, self._noted_path_sums(), added)))

    def replace(self, rows: Sequence[Row]) -> None:
        """Insert rows of one table; a row with the same key is deleted before."""
        if rows:
            self.delete(type(rows[0]), [row[0] for row in rows])
            self.insert(rows)

    def delete(self, row_type: type, keys: Iterable[Any]) -> None:
        """Delete rows by key."""
        table, key = TABLES[row_type]
        for chunk in _chunks([to_sql(value) for value in keys]):
            where = f"WHERE {key} IN ({','.join('?' * len(chunk))})"
            if row_type is ListedPath:
                self._note_path_sums(tuple(map(sub, self._noted_path_sums(), self._path_sums(where, chunk))))
            n_rows, crcs = self._one(f"SELECT count(*), coalesce(sum(crc), 0) FROM {table} {where}", chunk)
            self._connection.execute(f"DELETE FROM {table} {where}", chunk)
            self._count(table, -n_rows, -crcs)

    def set_meta(self, **values: str) -> None:
        """Change values of the table `meta`; they are written when the transaction ends."""
        self.meta |= values

    def _write_meta(self) -> None:
        self.meta["crc"] = str(meta_checksum(self.meta))
        self._connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", self.meta.items())

    def _is_empty(self, row_type: type) -> bool:
        """Return whether `meta` says that a table has no rows."""
        return self._tally(TABLES[row_type][0])[0] == 0

    def _count(self, table: str, n_rows: int, crcs: int) -> None:
        n_before, crcs_before = self._tally(table)
        self.meta[tally_key(table)] = f"{n_before + n_rows} {crcs_before + crcs}"


def _chunks(keys: list[Any], size: int = 500) -> Iterator[list[Any]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]
