"""The catalog: which documents, paths and files a collection has. The only SQL in pmbf.

A reader sees the catalog as it was when it was opened (one SQLite read transaction in WAL mode); a writer's
changes become visible all at once. Every row carries the CRC-32 of its other columns, since SQLite itself does not
notice a flipped bit. The schema is made with `sqlite-utils`; reading and writing go through `sqlite3` alone, which
starts in a tenth of the time.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from pmbf.errors import BusyError, CorruptError, NotFoundError, ParameterError, PmbfError
from pmbf.store import files, locks
from pmbf.store.tables import TEXT_KIND, Document, FileEntry, PathEntry, as_columns, from_sql, row_crc, to_sql

FILE_NAME = "catalog.sqlite"
TEMPORARY_NAME = FILE_NAME + ".tmp"
LEFT_BY_CREATION = {TEMPORARY_NAME + suffix for suffix in ("", "-journal", "-wal", "-shm")}
"""What a folder may hold where the making of its catalog was cut short."""
_BUSY_TIMEOUT_S = 10
_UNCHANGING = "ro&immutable=1"
"""How a catalog is opened that nobody can change meanwhile: SQLite then writes nothing, not even a lock."""
_CACHE_KIB = 16_384
"""Eight times SQLite's own choice: the index by contents fits, 80,000 documents are inserted in a tenth less time."""


Row = TypeVar("Row", Document, PathEntry, FileEntry)
_TABLES: dict[type, tuple[str, str]] = {
    Document: ("document", "id"),
    PathEntry: ("path", "path"),
    FileEntry: ("file", "serial"),
}


class Catalog:
    """One collection's catalog; a snapshot when read-only.

    Thread rule: use from the thread that opened it.
    """

    def __init__(self, folder: Path, *, writable: bool = False) -> None:
        """Open the catalog of an existing collection.

        Raises:
            NotFoundError: There is no collection in the folder.
            CorruptError: The catalog is damaged.
            UnsupportedError: A newer pmbf wrote it.
        """
        self.location = require(folder)
        self._writable = writable
        with contextlib.ExitStack() as stack:
            self._connection = stack.enter_context(contextlib.closing(_connect(self.location, writable)))
            try:
                self._begin()
            except PmbfError:
                raise
            except OSError:
                if writable or not stack.enter_context(_without_log(self.location)):
                    raise
                self._connection = stack.enter_context(contextlib.closing(_opened(self.location, _UNCHANGING)))
                self._begin()
            self._check_meta()
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

    def _check_meta(self) -> None:
        try:
            version = int(self.meta["format"])
            expected = int(self.meta["crc"])
        except (KeyError, ValueError):
            raise self._damage("the table `meta` is not that of a collection") from None
        files.require_version(self.location, version)
        if meta_crc(self.meta) != expected:
            raise self._damage("the checksum of the table `meta` does not fit")

    def close(self) -> None:
        """End the snapshot and close the file."""
        self._stack.close()

    # ------------------------------------------------------------------ reading

    def documents(self, ids: Iterable[int]) -> dict[int, Document]:
        """Return the documents with these ids, removed ones included, by id."""
        found: dict[int, Document] = {}
        for chunk in _chunks(list(ids)):
            marks = ",".join("?" * len(chunk))
            found |= {row.id: row for row in self._select(Document, f"WHERE id IN ({marks})", chunk)}
        return found

    def live_documents(self) -> Iterator[Document]:
        """Yield every document that is not removed, by ascending id."""
        return self._select(Document, "WHERE removed = 0 ORDER BY id")

    def all_documents(self) -> Iterator[Document]:
        """Yield every document, removed ones included, by ascending id."""
        return self._select(Document, "ORDER BY id")

    def by_sha256(self, sha256: str, *, from_file: bool) -> Document | None:
        """Return the live document made from a file, or from a text, with these contents, or None."""
        where = f"WHERE sha256 = ? AND removed = 0 AND kind {'!=' if from_file else '='} ? LIMIT 1"
        return next(self._select(Document, where, [sha256, TEXT_KIND]), None)

    def ids_by_sha256(self, contents: Iterable[str]) -> dict[str, int]:
        """Return the ids of the live documents made from files with these contents, by their SHA-256."""
        found: dict[str, int] = {}
        for chunk in _chunks(list(contents)):
            where = f"WHERE sha256 IN ({','.join('?' * len(chunk))}) AND removed = 0 AND kind != ? ORDER BY id DESC"
            found |= {row.sha256: row.id for row in self._select(Document, where, [*chunk, TEXT_KIND])}
        return found

    def incomplete_documents(self) -> dict[int, str]:
        """Return what was not read of live documents, by id."""
        return {row.id: row.problems for row in self._select(Document, "WHERE removed = 0 AND problems != ''")}

    def live_ids(self) -> list[int]:
        """Return the ids of all documents that are not removed, ascending."""
        with self._errors():
            return [row[0] for row in self._connection.execute("SELECT id FROM document WHERE removed = 0 ORDER BY id")]

    def count_documents(self) -> tuple[int, int]:
        """Return the numbers of live and of removed documents."""
        live, removed = self._one(
            "SELECT count(*) FILTER (WHERE removed = 0), count(*) FILTER (WHERE removed = 1) FROM document"
        )
        return int(live), int(removed)

    def sums(self) -> dict[str, int]:
        """Return the live documents' characters, hashes and text bytes, added up."""
        names = ("n_chars", "n_hashes", "text_bytes")
        columns = ", ".join(f"coalesce(sum({name}), 0)" for name in names)
        return dict(zip(names, self._one(f"SELECT {columns} FROM document WHERE removed = 0"), strict=True))

    def path(self, path: str) -> PathEntry | None:
        """Return a path's entry, or None."""
        return next(self._select(PathEntry, "WHERE path = ?", [to_sql(path)]), None)

    def some_paths(self, paths: Iterable[str]) -> dict[str, PathEntry]:
        """Return the entries of those paths that have one."""
        found: dict[str, PathEntry] = {}
        for chunk in _chunks([to_sql(path) for path in paths]):
            marks = ",".join("?" * len(chunk))
            found |= {entry.path: entry for entry in self._select(PathEntry, f"WHERE path IN ({marks})", chunk)}
        return found

    def paths(self) -> Iterator[PathEntry]:
        """Yield every path in alphabetical order."""
        return self._select(PathEntry, "ORDER BY path")

    def paths_of(self, ids: Iterable[int]) -> dict[int, list[str]]:
        """Return the paths of some documents, sorted, by document id."""
        found: dict[int, list[str]] = {}
        for chunk in _chunks(list(ids)):
            marks = ",".join("?" * len(chunk))
            for entry in self._select(PathEntry, f"WHERE document IN ({marks}) ORDER BY path", chunk):
                found.setdefault(entry.document, []).append(entry.path)
        return found

    def files(self, kind: str | None = None) -> list[FileEntry]:
        """Return the live files, of one kind or of all, by serial."""
        where, values = ("WHERE kind = ? ", [kind]) if kind else ("", [])
        return list(self._select(FileEntry, f"{where}ORDER BY serial", values))

    def max_id(self) -> int:
        """Return the highest document id in use, 0 when there is none."""
        return int(self._one("SELECT coalesce(max(id), 0) FROM document")[0])

    def free_ids(self, limit: int) -> list[int]:
        """Return up to `limit` document ids that compaction has freed, lowest first."""
        with self._errors():
            rows = self._connection.execute("SELECT id FROM free_id ORDER BY id LIMIT ?", [limit]).fetchall()
        return [row[0] for row in rows]

    def problems(self) -> list[str]:
        """Return what SQLite's own integrity check finds, and rows that contradict each other."""
        with self._errors():
            found = [row[0] for row in self._connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
            found += [
                f"path {row[0]!r} names the missing document {row[1]}"
                for row in self._connection.execute(
                    "SELECT path, document FROM path WHERE document NOT IN (SELECT id FROM document WHERE removed = 0)"
                )
            ]
            found += [
                f"document {row[0]} has no path"
                for row in self._connection.execute(
                    "SELECT id FROM document WHERE removed = 0 AND id NOT IN (SELECT document FROM path)"
                )
            ]
        return found

    # ------------------------------------------------------------------ writing

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything written inside becomes visible at once, or nothing does."""
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.commit()
            except BaseException:
                # Ctrl-C may have come a moment after the commit: what the file says is what happened.
                self._connection.rollback()
                self._read_meta()
                raise

    def checkpoint(self) -> None:
        """Move the write-ahead log into the catalog, as far as readers allow, without waiting for them."""
        with self._errors():
            self._connection.execute("PRAGMA busy_timeout = 0").fetchall()
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._connection.execute(f"PRAGMA busy_timeout = {1000 * _BUSY_TIMEOUT_S}").fetchall()

    def put(self, rows: Sequence[Document] | Sequence[PathEntry] | Sequence[FileEntry]) -> None:
        """Insert rows of one table, or replace those with the same key."""
        if rows:
            table, _ = _TABLES[type(rows[0])]
            marks = ",".join("?" * (len(rows[0]._fields) + 1))
            statement = f"INSERT OR REPLACE INTO {table} VALUES ({marks})"
            self._connection.executemany(statement, as_columns(rows))

    def delete(self, row_type: type, keys: Iterable[Any]) -> None:
        """Delete rows by key."""
        table, key = _TABLES[row_type]
        self._connection.executemany(f"DELETE FROM {table} WHERE {key} = ?", [(to_sql(value),) for value in keys])

    def set_meta(self, **values: str) -> None:
        """Change entries of the table `meta`, and its checksum."""
        meta = self.meta | values
        meta["crc"] = str(meta_crc(meta))
        self._connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())
        self.meta = meta

    def change_free_ids(self, freed: Iterable[int]) -> None:
        """Add ids that may be used again, and take away those that are."""
        self._connection.executemany("INSERT OR IGNORE INTO free_id VALUES (?)", [(id_,) for id_ in freed])
        self._connection.execute(
            "DELETE FROM free_id WHERE EXISTS (SELECT 1 FROM document WHERE document.id = free_id.id)"
        )

    # ------------------------------------------------------------------ private

    def _select(self, row_type: type[Row], where: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        table, _ = _TABLES[row_type]
        names = ", ".join(row_type._fields)
        with self._errors():
            for *columns, crc in self._connection.execute(f"SELECT {names}, crc FROM {table} {where}", values):
                if row_crc(columns) != crc:
                    raise self._damage(f"the row of {table} {columns[0]!r} fails its checksum")
                yield row_type(*map(from_sql, columns))

    def _one(self, query: str) -> tuple[Any, ...]:
        with self._errors():
            return tuple(self._connection.execute(query).fetchone())

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        # SQLite's own messages quote damaged schemas, which need not be UTF-8.
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self._translated(error) from error

    def _translated(self, error: sqlite3.Error | UnicodeDecodeError) -> Exception:
        if isinstance(error, sqlite3.ProgrammingError):
            return ParameterError(f"{self.location}: {error}; the collection is closed, or belongs to another thread")
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return BusyError(f"{self.location}: {error}; another process is writing, try again")
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
            return OSError(f"{self.location}: {error}; is the disk full, or the folder read-only?")
        return self._damage(str(error))

    def _damage(self, what: str) -> CorruptError:
        return CorruptError(
            f"{self.location}: {what}; the catalog cannot be rebuilt: "
            "put back a copy of the folder, or load the documents anew"
        )


def require(folder: Path) -> Path:
    """Return the path of a collection's catalog.

    Raises:
        NotFoundError: There is no collection in the folder.
    """
    if folder.exists() and not folder.is_dir():
        raise NotFoundError(f"{folder}: is a file, expected the folder of a collection")
    if not (folder / FILE_NAME).is_file():
        raise NotFoundError(f"{folder}: no collection there; make one with `pmbf load PATH … -c {folder}`")
    return folder / FILE_NAME


def create(folder: Path, meta: dict[str, str]) -> None:
    """Write the catalog of an empty collection.

    Raises:
        OSError: The folder cannot be written.
    """
    temporary = folder / TEMPORARY_NAME
    _forget_creation(folder)
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL, 0o600))
        with contextlib.closing(sqlite3.connect(temporary)) as connection:
            _create_tables(connection, meta | {"format": str(files.FORMAT_VERSION)})
        os.replace(temporary, folder / FILE_NAME)
    except sqlite3.Error as error:
        raise OSError(f"{folder}: cannot make a collection there: {error}") from error
    finally:
        _forget_creation(folder)


def _forget_creation(folder: Path) -> None:
    """Delete what is left of a catalog that was not finished; a journal of it would be played back into the next."""
    for name in LEFT_BY_CREATION:
        (folder / name).unlink(missing_ok=True)


def _create_tables(connection: sqlite3.Connection, meta: dict[str, str]) -> None:
    from sqlite_utils import Database

    database = Database(connection)
    connection.execute("BEGIN")
    database.table("meta").create({"key": str, "value": str}, pk="key")
    database.table("free_id").create({"id": int}, pk="id")
    for row_type, (table, key) in _TABLES.items():
        columns = {name: int if kind is int else str for name, kind in get_type_hints(row_type).items()}
        database.table(table).create(columns | {"crc": int}, pk=key, not_null=set(columns))
    database.table("document").create_index(["sha256"])
    database.table("path").create_index(["document"])
    rows = meta | {"crc": str(meta_crc(meta))}
    database.table("meta").insert_all({"key": key, "value": value} for key, value in rows.items())
    connection.commit()
    connection.execute("PRAGMA journal_mode = wal")


def meta_crc(meta: dict[str, str]) -> int:
    """Return the checksum over the table `meta`, its own entry left out."""
    return zlib.crc32(repr(sorted((key, value) for key, value in meta.items() if key != "crc")).encode())


def _connect(path: Path, writable: bool) -> sqlite3.Connection:
    """Return a connection; one without write permission sees the log of writers if there is one, as SQLite allows."""
    may_write = writable or os.access(path.parent, os.W_OK)
    has_log = path.with_name(path.name + "-wal").exists()
    return _opened(path, "rw" if may_write else "ro" if has_log else _UNCHANGING)


@contextlib.contextmanager
def _without_log(path: Path) -> Iterator[bool]:
    """Yield whether a catalog has no log and no writer, and let none in meanwhile.

    So it is read where the disk is full: SQLite needs room for the index of a log even where there is none.
    """
    log = path.with_name(path.name + "-wal")
    with locks.no_writer(path.parent) as alone:
        yield alone and not (log.exists() and log.stat().st_size)


def _opened(path: Path, mode: str) -> sqlite3.Connection:
    quoted = str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return sqlite3.connect(f"file:{quoted}?mode={mode}", uri=True, timeout=_BUSY_TIMEOUT_S, isolation_level=None)


def _chunks(keys: list[Any], size: int = 500) -> Iterator[list[Any]]:
    return (keys[start : start + size] for start in range(0, len(keys), size))
