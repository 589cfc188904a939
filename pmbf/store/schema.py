"""The tables of a new catalog, made with `sqlite-utils`. Opening a catalog does not import it.

A catalog comes into being under a temporary name, so that it is there whole or not at all.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import sqlite3
from pathlib import Path
from typing import get_type_hints

from pmbf.base.errors import NotFoundError
from pmbf.store import database, files, folders, telling
from pmbf.store.catalog_tables import PATH_SUMS, TABLES, Document, ListedPath, meta_checksum, tally_key

FILE_NAME = files.CATALOG_NAME
TEMPORARY_NAME = FILE_NAME + ".tmp"
LEFT_BY_CREATION = {TEMPORARY_NAME + suffix for suffix in ("", "-journal", "-wal", "-shm")}
"""What a folder may hold where the making of its catalog was cut short."""

_NUMBERS = {"generation": 2**63, "next_serial": files.MAX_ID, "next_tile": files.MAX_ID}

INDEXED = {Document: "sha256", ListedPath: "document"}
"""The column of a table that rows are looked up by, besides the key."""

OWN_NAMES = LEFT_BY_CREATION | {
    *(FILE_NAME, FILE_NAME + "-wal", FILE_NAME + "-shm"),
    *("generation", "writer.lock", "readers.lock", "exports"),
    *(folder for folder, _ in (files.FILE_KINDS | files.BESIDE_KINDS).values()),
}
"""Names in the folder of a collection."""


def require(folder: Path) -> Path:
    """Return the path of a collection's catalog.

    Raises:
        NotFoundError: There is no collection in the folder; the message says what to type.
    """
    if folder.exists() and not folder.is_dir():
        raise NotFoundError(f"{folder}: is a file, expected the folder of a collection")
    if (folder / FILE_NAME).is_file():
        return folder / FILE_NAME
    telling.require_catalog(folder)
    if telling.is_depot(folder):
        raise NotFoundError(
            f"{folder}: is the depot of a cluster, this command takes a collection in one folder; see `pmbf cluster`"
        )
    if folder.is_dir() and any(one.name not in OWN_NAMES for one in folder.iterdir()):
        name = telling.proposed(folder)
        raise NotFoundError(
            f"{folder}: is a folder of files, no collection; `pmbf load {folder} -c {name}` makes a collection of "
            f"them, then use -c {name}"
        )
    raise NotFoundError(f"{folder}: no collection there; make one with `pmbf load PATH … -c {folder}`")


def create(folder: Path, meta: dict[str, str]) -> None:
    """Write the catalog of an empty collection.

    Raises:
        OSError: The folder cannot be written.
    """
    temporary = folder / TEMPORARY_NAME
    _forget_creation(folder)
    tallies = {tally_key(table): "0 0" for table, _ in TABLES.values()} | {PATH_SUMS: "0 0 0"}
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL, 0o600))
        with contextlib.closing(sqlite3.connect(temporary)) as connection:
            create_tables(connection, meta | tallies | {"format": str(files.FORMAT_VERSION)})
        os.replace(temporary, folder / FILE_NAME)
        folders.sync_folder(folder)
    except sqlite3.Error as error:
        raise OSError(f"{folder}: cannot make a collection there: {error}") from error
    finally:
        _forget_creation(folder)


def create_tables(connection: sqlite3.Connection, meta: dict[str, str]) -> None:
    """Make the tables in one transaction, with the rows of `meta`."""
    from sqlite_utils import Database

    connection.execute("BEGIN")
    meta_table = Database(connection).table("meta").create({"key": str, "value": str}, pk="key")
    for row_type in TABLES:
        _create_table(connection, row_type)
    rows = meta | {"crc": str(meta_checksum(meta))}
    meta_table.insert_all({"key": key, "value": value} for key, value in rows.items())
    connection.commit()
    connection.execute("PRAGMA journal_mode = wal")


def check_meta(path: Path, meta: dict[str, str]) -> None:
    """Refuse a table `meta` that is not that of a catalog.

    Raises:
        CorruptError: A value is missing or wrong, or the checksum does not fit.
        UnsupportedError: The catalog is of another version of the format.
    """
    try:
        version, expected = int(meta["format"]), int(meta["crc"])
        "".join(itertools.chain(*meta.items()))
    except (KeyError, TypeError, ValueError):  # a value is missing, or no text
        raise database.damage(path, "the table `meta` is not that of a collection") from None
    files.require_version(path, version)
    if meta_checksum(meta) != expected:
        raise database.damage(path, "the checksum of the table `meta` does not fit")
    for name, most in _NUMBERS.items():
        digits = meta.get(name)
        if digits is None or not re.fullmatch("[0-9]{1,19}", digits) or int(digits) > most:
            raise database.damage(path, f"`{name}` is {digits!r} in the table `meta`, expected a number")


def _create_table(connection: sqlite3.Connection, row_type: type) -> None:
    """Make the table of one kind of row, inside a transaction."""
    from sqlite_utils import Database

    table, key = TABLES[row_type]
    columns = get_type_hints(row_type)
    made = Database(connection).table(table).create(columns | {"crc": int}, pk=key, not_null=set(columns))
    if row_type in INDEXED:
        made.create_index([INDEXED[row_type]])


def _forget_creation(folder: Path) -> None:
    """Delete the remains of an unfinished catalog: SQLite would play its journal back into the next one."""
    for name in LEFT_BY_CREATION:
        (folder / name).unlink(missing_ok=True)
