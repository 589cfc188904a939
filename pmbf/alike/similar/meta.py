"""The table `meta` of the database of similarities: it is compared before anything else is believed."""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Mapping

from pmbf.alike.similar import schema
from pmbf.alike.similar.rules import TableRules
from pmbf.base.errors import CorruptError, UnsupportedError
from pmbf.store.catalog_tables import meta_checksum
from pmbf.store.files import Identity

SMALL = "small"
"""Its key for the checksum of the small tables: a number of runs, a space, a CRC-32. None before the first run."""
SMALL_TABLES = {"segment": "*", "common": "version, n_documents, run, crc", "incomplete": "*", "run": "*", "meta": ""}
"""The tables but those of documents and rows, and the columns that the checksum is over."""
_NUMBERS = {"runs": r"\d{1,9}", "next_serial": r"\d{1,9}", "common": r"\d{1,9}", "documents": r"\d{1,12} \d{1,20}"}


def wrong(meta: Mapping[str, str], identity: Identity) -> str:
    """Return what is wrong with the values; empty if nothing is.

    Raises:
        UnsupportedError: They are of another version; the message has the way out.
    """
    if not all(isinstance(one, str) for one in (*meta, *meta.values())):
        return "the table `meta` is not that of similarities"
    try:
        version, crc = int(meta["format"]), int(meta["crc"])
    except (KeyError, TypeError, ValueError):
        return "the table `meta` is not that of similarities"
    if version != schema.FORMAT:
        way_out = "upgrade pmbf" if version > schema.FORMAT else "compute them anew: `pmbf similar update --renew`"
        raise UnsupportedError(f"format is {version}, this pmbf reads {schema.FORMAT}; {way_out}")
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
    """Refuse small tables that are not those of the last run.

    Raises:
        CorruptError: They are not.
    """
    n_runs = int(meta["runs"])
    if n_runs and meta.get(SMALL) != small_checksum(connection, n_runs):
        raise CorruptError("the rows of `segment`, `common`, `incomplete` and `run` fail their checksum")
