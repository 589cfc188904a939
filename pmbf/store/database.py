"""Opens a catalog's file through `sqlite3`, and turns SQLite's errors into those of pmbf."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from pmbf.base.errors import BusyError, CorruptError, ParameterError
from pmbf.store import locks

BUSY_TIMEOUT_S = 10
UNCHANGING = "ro&immutable=1"
"""How a catalog is opened that nobody can change meanwhile: SQLite then writes nothing, not even a lock."""


def connect(path: Path, *, writable: bool, any_thread: bool = False) -> sqlite3.Connection:
    """Return a connection. Without write permission, it reads the log of writers if there is one."""
    may_write = writable or os.access(path.parent, os.W_OK)
    has_log = path.with_name(path.name + "-wal").exists()
    return opened(path, "rw" if may_write else "ro" if has_log else UNCHANGING, any_thread=any_thread)


def opened(path: Path, mode: str, *, any_thread: bool = False) -> sqlite3.Connection:
    """Return a connection in one of SQLite's modes; `any_thread`: the caller looks after who uses it."""
    for beside in ("-wal", "-shm", "-journal"):
        file = path.with_name(path.name + beside)
        if file.exists() and not file.is_file():  # SQLite would wait for a pipe
            raise damage(file, "is not a regular file")
    quoted = str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    where, own = f"file:{quoted}?mode={mode}", not any_thread
    return sqlite3.connect(where, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=own)


@contextlib.contextmanager
def without_log(path: Path, lock: str = "writer.lock") -> Iterator[bool]:
    """Yield whether a database has no log and no writer; no writer, who holds a lock, gets in meanwhile.

    So it is read where the disk is full: SQLite needs room for the index of a log even where there is none.
    """
    log = path.with_name(path.name + "-wal")
    with locks.no_writer(path.parent, lock) as alone:
        yield alone and not (log.exists() and log.stat().st_size)


CATALOG_WAY_OUT = "the catalog cannot be rebuilt: put back a copy of the folder, or load the documents anew"


@contextlib.contextmanager
def translated(path: Path, way_out: str = CATALOG_WAY_OUT) -> Iterator[None]:
    """Raise what SQLite finds as an error of pmbf, or as an `OSError`; each names the database.

    Args:
        path: The database.
        way_out: What to do if it is damaged.
    """
    # SQLite's own messages quote damaged schemas, which need not be UTF-8.
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
        raise _translation(path, error, way_out) from error


def reindex(connection: sqlite3.Connection) -> None:
    """Make every index anew; of a path that a damaged index let in twice, the row written last stays."""
    try:
        connection.execute("REINDEX")
    except sqlite3.IntegrityError:
        connection.execute("BEGIN IMMEDIATE")
        last = {row[0]: row for row in connection.execute("SELECT * FROM path NOT INDEXED ORDER BY rowid")}
        connection.execute("DELETE FROM path")
        marks = ",".join("?" * len(next(iter(last.values()))))
        connection.executemany(f"INSERT INTO path VALUES ({marks})", last.values())
        connection.commit()
        connection.execute("REINDEX")


def damage(path: Path, what: str, way_out: str = CATALOG_WAY_OUT) -> CorruptError:
    """Return the error for a damaged database, with the way out."""
    return CorruptError(f"{path}: {what}; {way_out}")


def of_another_thread(path: Path) -> ParameterError:
    """Return the error for a database that another thread has opened."""
    return ParameterError(f"{path}: an iterator (`screen_many`, …) goes on in the thread that began it")


def _translation(path: Path, error: Exception, way_out: str) -> Exception:
    if isinstance(error, sqlite3.ProgrammingError):
        if "thread" in str(error):
            return of_another_thread(path)
        return ParameterError(f"{path}: {error}; the collection is closed")
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return BusyError(f"{path}: {error}; another process is writing, try again")
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
        return OSError(f"{path}: {error}; is the disk full, or the folder read-only?")
    return damage(path, str(error), way_out)
