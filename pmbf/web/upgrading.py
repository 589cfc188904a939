"""A state file of an earlier version: what its rows did not hold yet. Each step may be interrupted, and goes on."""

from __future__ import annotations

import zlib
from typing import Any

from sqlite_utils import Database

from pmbf.errors import PmbfError
from pmbf.report import Report
from pmbf.web import sums

_COUNT = "INTEGER NOT NULL DEFAULT 0"
_ADDED = {"options": "TEXT NOT NULL DEFAULT ''", "n_not_counted": _COUNT, "n_below": _COUNT}


def note_ids(state: Database) -> None:
    """Add whose token each screening and decision is of, which versions 1 and 2 note by name alone.

    It is the token of that name if it is older; else the name was another token's, which is gone.
    """
    for table, name, number in (("screenings", "user", "user_id"), ("decisions", "who", "who_id")):
        if number in state.table(table).columns_dict:
            continue  # the upgrade was interrupted
        with state.conn:
            state.execute("BEGIN IMMEDIATE")
            state.execute(f"ALTER TABLE {table} ADD COLUMN {number} TEXT NOT NULL DEFAULT ''")
            state.execute(
                f"UPDATE {table} SET {number} = coalesce((SELECT id FROM tokens WHERE tokens.name = {table}.{name} "
                f"AND tokens.created <= {table}.time), '')"
            )


def note_what_does_not_count(state: Database) -> None:
    """Add what each screening was asked with, and what its share leaves out; versions 1 to 4 have it in reports alone.

    The options of those are not known. A damaged report says so where it is shown; a damaged row stays one.
    """
    if "options" in state.table("screenings").columns_dict:
        return  # the upgrade was interrupted
    state.conn.create_function("of_report", 2, _of_report, deterministic=True)
    has_sums = "row_sums" in state.table_names()
    with state.conn:
        state.execute("BEGIN IMMEDIATE")
        sound = sums.sound_keys(state, "screenings") if has_sums else []
        state.execute("DROP TRIGGER IF EXISTS screenings_sum_update")
        for name, kind in _ADDED.items():
            state.execute(f"ALTER TABLE screenings ADD COLUMN {name} {kind}")
        for name in ("n_not_counted", "n_below"):
            found = f"SELECT of_report(body, '{name}') FROM reports WHERE reports.id = screenings.id"
            state.execute(f"UPDATE screenings SET {name} = coalesce(({found}), 0)")
        if has_sums:
            sums.take_anew(state, "screenings", sound)


def _of_report(body: Any, name: str) -> int:
    try:
        return int(getattr(Report.from_json(zlib.decompress(body).decode()), name))
    except (PmbfError, ValueError, TypeError, zlib.error):
        return 0
