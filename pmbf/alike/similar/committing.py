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
        known: `KNOWN` rows of all documents.
        gone: Ids of documents that leave.
        rows: All rows of each document whose rows differ.
        before: All rows that these documents had.
        is_whole: Whether `documents` and `rows` are all there are: what was there before leaves.
        row: Returns the columns of the run but its number; called at the end.
        lost_segments: Serials of files that no document needs any more.
        incomplete: Reason by id, of all documents whose text could not be read.
        common: A new list of common chunks; None keeps the list.
    """

    documents: NDArray[np.void]
    known: NDArray[np.void]
    gone: Ids
    rows: TableRows
    before: TableRows
    is_whole: bool
    row: Callable[[], dict[str, Any]]
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
        _insert_rows(state, _replaced(state, change), change.known)
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
    before, rows = change.before, change.rows.ordered()
    lost = before.chosen(~before.among(rows))
    pairs = zip(lost.documents.tolist(), lost.others.tolist(), strict=True)
    state.connection.executemany("DELETE FROM similarity WHERE document = ? AND other = ?", pairs)
    return rows.chosen(~rows.among(before))


def _insert_rows(state: SimilarState, rows: TableRows, known: NDArray[np.void]) -> None:
    by_id, ordered = known[np.argsort(known["id"])], rows.ordered()
    similarities = ordered.shared / by_id["n_counted"][np.searchsorted(by_id["id"], ordered.documents)]
    columns = ordered.documents, ordered.others, ordered.shared, similarities
    for start in range(0, len(rows), _ROWS_TOGETHER):
        values = [column[start : start + _ROWS_TOGETHER].tolist() for column in columns]
        state.connection.executemany("INSERT INTO similarity VALUES (?, ?, ?, ?)", zip(*values, strict=True))


def _small_tables(state: SimilarState, change: RunChange) -> None:
    state.connection.executemany("DELETE FROM segment WHERE serial = ?", [(one,) for one in change.lost_segments])
    if change.segment:
        serial, _, n_bytes, crc, _ = change.segment
        _insert(state, "segment", serial=serial, payload_bytes=n_bytes, payload_crc=crc)
    state.connection.execute("DELETE FROM incomplete")
    for id_, reason in change.incomplete.items():
        _insert(state, "incomplete", document=id_, reason=reason)
    number = state.n_runs + 1
    if change.common is not None:
        chunks, version = change.common.astype("<u4").tobytes(), int(state.meta["common"]) + 1
        state.connection.execute("DELETE FROM common")
        row = {"version": version, "n_documents": len(change.known), "run": number}
        _insert(state, "common", **row, chunks=chunks, crc=zlib.crc32(chunks))
        change.meta["common"] = str(version)
    _insert(state, "run", number=number, **change.row())


def _insert(state: SimilarState, table: str, **row: Any) -> None:
    values = ", ".join(f":{column}" for column in row)
    state.connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({values})", row)


def _set_meta(state: SimilarState, values: dict[str, str]) -> None:
    documents = state.connection.execute("SELECT count(*), total(crc) FROM document").fetchone()
    noted = state.meta | values | {"documents": "{} {:.0f}".format(*documents)}
    noted |= {"runs": str(state.n_runs + 1), schema.SMALL: schema.small_checksum(state.connection, state.n_runs + 1)}
    noted["crc"] = str(meta_checksum(noted))
    state.connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", noted.items())
    state.meta = noted
