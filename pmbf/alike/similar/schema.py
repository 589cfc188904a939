"""The tables of a database of similarities, made with `sqlite-utils`, and how arrays become their rows.

A database comes into being under a temporary name, so that it is there whole or not at all. Its table `meta` is
compared before anything else is believed.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.similar.known import COLUMNS, KNOWN, Ids
from pmbf.alike.similar.rules import TableRules
from pmbf.base.errors import CorruptError, UnsupportedError
from pmbf.store import folders
from pmbf.store.catalog_tables import meta_checksum
from pmbf.store.files import BESIDE_KINDS, Identity

FOLDER = BESIDE_KINDS["CHNK"][0]
FILE_NAME = "similarities.sqlite"
FORMAT = 1
"""Version of the tables."""

_TEMPORARY = FILE_NAME + ".tmp"
_TABLES: dict[str, dict[str, type]] = {
    "document": dict.fromkeys((*COLUMNS, "crc"), int),
    "segment": dict.fromkeys(("serial", "payload_bytes", "payload_crc"), int),
    "common": {"version": int, "n_documents": int, "run": int, "chunks": bytes, "crc": int},
    "incomplete": {"document": int, "reason": str},
    "run": {
        "number": int,
        "started": str,
        "seconds": float,
        "kind": str,
        "n_documents": int,
        "n_added": int,
        "n_removed": int,
        "n_again": int,
        "n_rows": int,
        "n_common": int,
        "steps": str,
    },
}
_SIMILARITY = """
    CREATE TABLE similarity (
        document INTEGER NOT NULL, other INTEGER NOT NULL, shared INTEGER NOT NULL, similarity REAL NOT NULL,
        PRIMARY KEY (document, other)
    ) WITHOUT ROWID
"""  # without rowid: 36 bytes a row, its index included, where sqlite-utils' own table takes 60
INDEX = "CREATE INDEX IF NOT EXISTS similarity_other ON similarity (other)"
_VIEW = """
    SELECT similarity.document, other, shared, similarity, CAST(shared AS REAL) / n_counted AS reverse
    FROM similarity JOIN document ON document.id = other
"""

SMALL = "small"
"""`meta`'s key for the checksum of the small tables: number of runs, space, CRC-32. None before the first run."""
SMALL_TABLES = {"segment": "*", "common": "version, n_documents, run, crc", "incomplete": "*", "run": "*", "meta": ""}
"""The tables but those of documents and rows, and the columns that the checksum is over."""
_NUMBERS = {"runs": r"\d{1,9}", "next_serial": r"\d{1,9}", "common": r"\d{1,9}", "documents": r"\d{1,12} \d{1,20}"}


def location(folder: Path) -> Path:
    """Return the path of the database of a collection."""
    return folder / FOLDER / FILE_NAME


def create(folder: Path, identity: Identity, rules: TableRules) -> None:
    """Write the database of a collection without runs, in place of the one that is there."""
    target = location(folder)
    folders.own_folder(target.parent)
    temporary = target.with_name(_TEMPORARY)
    forget(folder)
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL, 0o600))
        with contextlib.closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
            _create_tables(connection, identity, rules)
        os.replace(temporary, target)
        folders.sync_folder(target.parent)
    except sqlite3.Error as error:
        raise OSError(f"{target}: cannot be made: {error}") from error
    finally:
        for left in target.parent.glob(f"{_TEMPORARY}*"):
            left.unlink(missing_ok=True)


def forget(folder: Path) -> None:
    """Delete the database, and what SQLite keeps beside it."""
    target = location(folder)
    for left in (*target.parent.glob(f"{FILE_NAME}-*"), *target.parent.glob(f"{_TEMPORARY}*"), target):
        left.unlink(missing_ok=True)


def _create_tables(connection: sqlite3.Connection, identity: Identity, rules: TableRules) -> None:
    from sqlite_utils import Database

    connection.execute("BEGIN")
    tables = Database(connection)
    for name, columns in _TABLES.items():
        tables.table(name).create(columns, pk=next(iter(columns)), not_null=set(columns))
    connection.execute(_SIMILARITY)
    connection.execute(INDEX)
    tables.create_view("similar", _VIEW)
    meta = {"format": str(FORMAT), "collection": identity.collection_id.hex(), "params": identity.params_digest.hex()}
    meta |= {"rules": rules.to_json(), "runs": "0", "next_serial": "1", "common": "0", "documents": "0 0"}
    rows = meta | {"crc": str(meta_checksum(meta))}
    tables.table("meta").insert_all(({"key": key, "value": value} for key, value in rows.items()), pk="key")
    connection.commit()
    connection.execute("PRAGMA journal_mode = wal")


def forget_all(connection: sqlite3.Connection) -> None:
    """Delete all documents and rows, and the index of the rows: one made behind the last row takes half the time."""
    connection.execute("DROP INDEX similarity_other")
    connection.execute("DELETE FROM similarity")
    connection.execute("DELETE FROM document")


def insert_documents(connection: sqlite3.Connection, known: NDArray[np.void]) -> None:
    """Insert `KNOWN` rows with their checksums."""
    columns = np.column_stack([known.view(np.int64).reshape(-1, len(COLUMNS)), checksums(known)]).tolist()
    connection.executemany(f"INSERT INTO document VALUES ({','.join('?' * (len(COLUMNS) + 1))})", columns)


def as_known(columns: NDArray[np.int64]) -> NDArray[np.void]:
    """Return a matrix of the columns of documents as `KNOWN` rows."""
    return np.ascontiguousarray(columns).view(KNOWN).reshape(-1)


def checksums(known: NDArray[np.void]) -> Ids:
    """Return the CRC-32 of each document's columns, 8 bytes each in their order."""
    content, size = memoryview(known.tobytes()), KNOWN.itemsize
    return np.array([zlib.crc32(content[at : at + size]) for at in range(0, len(content), size)], np.int64)


def are_possible(known: NDArray[np.void]) -> NDArray[np.bool_]:
    """Return which rows a run can have made: their numbers point into something, and are no more than there can be."""
    is_inside = (known["id"] >= 0) & (known["id"] < 2**32) & (known["segment"] > 0) & (known["place"] >= 0)
    is_counted = (known["n_counted"] >= 0) & (known["n_counted"] <= known["n_chunks"])
    return np.asarray(is_inside & is_counted & (known["n_similar"] >= 0) & (known["least"] >= 0))


def tally(known: NDArray[np.void]) -> str:
    """Return the number of documents and the sum of their checksums, as `meta` has them."""
    return f"{len(known)} {int(checksums(known).sum())}"


def wrong(meta: Mapping[str, str], identity: Identity) -> str:
    """Return what is wrong with the values of `meta`; empty if nothing is. Another version is `UnsupportedError`."""
    if not all(isinstance(one, str) for one in (*meta, *meta.values())):
        return "the table `meta` is not that of similarities"
    try:
        version, crc = int(meta["format"]), int(meta["crc"])
    except (KeyError, TypeError, ValueError):
        return "the table `meta` is not that of similarities"
    if version != FORMAT:
        way_out = "upgrade pmbf" if version > FORMAT else "compute them anew: `pmbf similar update --renew`"
        raise UnsupportedError(f"format is {version}, this pmbf reads {FORMAT}; {way_out}")
    if meta_checksum(dict(meta)) != crc:
        return "the checksum of the table `meta` does not fit"
    if (meta.get("collection"), meta.get("params")) != (identity.collection_id.hex(), identity.params_digest.hex()):
        return "the similarities belong to another collection"
    for name, pattern in _NUMBERS.items():
        if not re.fullmatch(pattern, meta.get(name, ""), re.ASCII):
            return f"`{name}` is {meta.get(name)!r} in the table `meta`"
    try:
        TableRules.from_json(meta["rules"])
    except (KeyError, TypeError, ValueError, RecursionError):
        return f"`rules` is {meta.get('rules')!r} in the table `meta`"
    return ""


def small_checksum(connection: sqlite3.Connection, n_runs: int) -> str:
    """Return what `meta` tells of the small tables."""
    rows = [
        connection.execute(f"SELECT {columns} FROM {name} NOT INDEXED ORDER BY 1").fetchall()
        for name, columns in SMALL_TABLES.items()
        if columns
    ]
    return f"{n_runs} {zlib.crc32(json.dumps(rows, default=repr).encode())}"


def require_small(connection: sqlite3.Connection, meta: Mapping[str, str]) -> None:
    """Refuse small tables that are not those of the last run. Raises `CorruptError`."""
    n_runs = int(meta["runs"])
    if n_runs and meta.get(SMALL) != small_checksum(connection, n_runs):
        raise CorruptError("the rows of `segment`, `common`, `incomplete` and `run` fail their checksum")
