"""The end of a run: one transaction of the database of similarities."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.similar import schema
from pmbf.alike.similar.database import SimilarState, as_json
from pmbf.alike.similar.known import Ids, TableRows
from pmbf.store.catalog_tables import meta_checksum
from pmbf.store.files import StoredFile

_ROWS_TOGETHER = 100_000
"""Rows that are Python's own numbers at a time: 130 bytes each."""


@dataclass(slots=True)
class RunChange:
    """What a run commits.

    Args:
        documents: `KNOWN` rows to insert or replace.
        gone: Ids of documents that leave.
        rows: All rows of each document in `rewritten`.
        rewritten: Ids.
        is_whole: Whether `documents` and `rows` are all there are: what was there before leaves.
        row: Returns the columns of the run but its number, given the number of all rows; called at the end.
        lost_segments: Serials of files that no document needs any more.
        incomplete: Reason by id, of all documents whose text could not be read.
        common: A new list of common chunks; None keeps the list.
    """

    documents: NDArray[np.void]
    gone: Ids
    rows: TableRows
    rewritten: Ids
    is_whole: bool
    row: Callable[[int], dict[str, Any]]
    segment: StoredFile | None = None
    lost_segments: Sequence[int] = ()
    incomplete: dict[int, str] = field(default_factory=dict)
    meta: dict[str, str] = field(default_factory=dict)
    common: NDArray[np.uint32] | None = None


def commit(state: SimilarState, change: RunChange) -> None:
    """Make the end of a run visible, all at once; if the disk is full, nothing has changed."""
    with state.errors(), state.connection:  # which commits at the end, or rolls back
        state.connection.execute("BEGIN IMMEDIATE")
        if change.is_whole:
            schema.forget_all(state.connection)
        _delete(state, "document", "id", np.concatenate([change.gone, change.documents["id"]]))
        _delete(state, "similarity", "document", change.gone)
        schema.insert_documents(state.connection, change.documents)
        _insert_rows(state, _replaced(state, change))
        if change.is_whole:
            state.connection.execute(schema.INDEX)
        _small_tables(state, change)
        _set_meta(state, change.meta)


def _delete(state: SimilarState, table: str, column: str, ids: Ids) -> None:
    query = f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))"
    state.connection.execute(query, [as_json(ids)])


def _replaced(state: SimilarState, change: RunChange) -> TableRows:
    """Delete the rows that differ, and return those that are to be inserted: most rows of a document stay."""
    if change.is_whole:
        return change.rows
    before = state.rows("WHERE document IN (SELECT value FROM json_each(?))", [as_json(change.rewritten)])
    lost = before.chosen(~before.among(change.rows))
    pairs = zip(lost.documents.tolist(), lost.others.tolist(), strict=True)
    state.connection.executemany("DELETE FROM similarity WHERE document = ? AND other = ?", pairs)
    return change.rows.chosen(~change.rows.among(before))


def _insert_rows(state: SimilarState, rows: TableRows) -> None:
    known, ordered = state.numbers("SELECT id, n_counted FROM document ORDER BY id", 2), rows.ordered()
    similarities = ordered.shared / known[np.searchsorted(known[:, 0], ordered.documents), 1]
    columns = ordered.documents, ordered.others, ordered.shared, similarities
    for start in range(0, len(rows), _ROWS_TOGETHER):
        values = [column[start : start + _ROWS_TOGETHER].tolist() for column in columns]
        state.connection.executemany("INSERT INTO similarity VALUES (?, ?, ?, ?)", zip(*values, strict=True))


def _small_tables(state: SimilarState, change: RunChange) -> None:
    from sqlite_utils import Database

    tables = Database(state.connection)
    tables.table("segment").delete_where(f"serial IN ({','.join(map(str, change.lost_segments))})")
    if change.segment:
        serial, _, n_bytes, crc, _ = change.segment
        tables.table("segment").insert({"serial": serial, "payload_bytes": n_bytes, "payload_crc": crc})
    tables.table("incomplete").delete_where()
    reasons = ({"document": id_, "reason": reason} for id_, reason in change.incomplete.items())
    tables.table("incomplete").insert_all(reasons)
    number = state.n_runs + 1
    if change.common is not None:
        chunks = change.common.astype("<u4").tobytes()
        version, n_documents = int(state.meta["common"]) + 1, len(change.documents)
        tables.table("common").delete_where()
        row = {"version": version, "n_documents": n_documents, "run": number}
        tables.table("common").insert(row | {"chunks": chunks, "crc": zlib.crc32(chunks)})
        change.meta["common"] = str(version)
    [(n_rows,)] = state.select("SELECT count(*) FROM similarity")
    tables.table("run").insert({"number": number} | change.row(n_rows))


def _set_meta(state: SimilarState, values: dict[str, str]) -> None:
    documents = state.connection.execute("SELECT count(*), total(crc) FROM document").fetchone()
    noted = state.meta | values | {"documents": "{} {:.0f}".format(*documents)}
    noted |= {"runs": str(state.n_runs + 1), schema.SMALL: schema.small_checksum(state.connection, state.n_runs + 1)}
    noted["crc"] = str(meta_checksum(noted))
    state.connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", noted.items())
    state.meta = noted
