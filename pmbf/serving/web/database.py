"""The state file of the application: one SQLite file that belongs to this user alone."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from pmbf.base.errors import UnsupportedError
from pmbf.serving.web import sums
from pmbf.serving.web.history import Decision, Screening
from pmbf.serving.web.tokens import Token
from pmbf.store.folders import make_folder

VERSION = 5
WAIT_MS = 500
"""Milliseconds that a change waits for another program that uses the file; all requests wait meanwhile."""
_TYPES: dict[Any, Any] = {"str": str, "int": int, "float": float, "bool": int, "float | None": float}


def opened(folder: Path) -> Database:
    """Return the state file of a folder; both are made if they are not there. One thread uses the file.

    `UnsupportedError`: it is of another version; the message has the way out. `CorruptError`: it is damaged.
    """
    make_folder(folder, mode=0o700)
    path = folder / "history.db"
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    state = Database(str(path))
    sums.prepare(state)
    with sums.Sums(state).told():
        state.execute(f"PRAGMA busy_timeout = {WAIT_MS}")
        state.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
        version = state.execute("PRAGMA user_version").fetchone()[0]
        if not version:
            _create(state)
        elif version != VERSION:
            way_out = "upgrade pmbf" if version > VERSION else "move it away: then history and tokens begin anew"
            raise UnsupportedError(f"{path}: has version {version}, this pmbf reads {VERSION}; {way_out}")
    return state


def _create(state: Database) -> None:
    state.enable_wal()
    screenings = state.table("screenings")
    screenings.create(_columns(Screening, without="has_text"), pk="id", if_not_exists=True)
    screenings.create_index(["time"], if_not_exists=True)
    screenings.enable_fts(["name"], create_triggers=True, tokenize="unicode61", replace=True)
    for name in ("reports", "sentences", "texts"):
        state.table(name).create({"id": str, "body": bytes}, pk="id", if_not_exists=True)
    decided = {"screening": str} | _columns(Decision)
    state.table("decisions").create(decided, pk=("screening", "source"), if_not_exists=True)
    state.table("tokens").create(_columns(Token) | {"hash": str}, pk="id", if_not_exists=True)
    state.table("sessions").create({"hash": str, "token": str, "expires": float}, pk="hash", if_not_exists=True)
    sums.create(state)
    state.execute(f"PRAGMA user_version = {VERSION}")


def _columns(kind: type, without: str = "") -> dict[str, Any]:
    return {one.name: _TYPES[one.type] for one in fields(kind) if one.name != without}
