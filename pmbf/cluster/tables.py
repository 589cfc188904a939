"""What a catalog of a depot may hold: tables of plain columns, and indexes of columns.

SQLite runs what stands in a schema: a view, a trigger, a generated column or an index over an expression computes for
ever, or fills the memory, as whoever wrote the depot likes.
"""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

from pmbf.base.errors import CorruptError
from pmbf.store.database import UNCHANGING, opened, translated

_NAME = r'"?[a-z_][a-z0-9_]*"?'
_COLUMN = rf"{_NAME} (?:TEXT|INTEGER|BLOB)(?: PRIMARY KEY)?(?: NOT NULL)?(?: DEFAULT (?:''|[0-9]+))?"
_PLAIN = {
    "table": re.compile(rf"CREATE TABLE {_NAME}\s*\(\s*{_COLUMN}(?:\s*,\s*{_COLUMN})*\s*\)(?: WITHOUT ROWID)?"),
    "index": re.compile(rf"CREATE (?:UNIQUE )?INDEX {_NAME}\s+ON {_NAME}\s*\(\s*{_NAME}(?:\s*,\s*{_NAME})*\s*\)"),
}


def require_tables(catalog: Path, where: str) -> None:
    """Refuse a catalog whose schema holds anything else.

    Args:
        catalog: A copy that nobody else has opened.
        where: What messages call it.

    Raises:
        CorruptError: It holds something else, or is no database.
    """
    with translated(catalog), closing(opened(catalog, UNCHANGING)) as connection:
        for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master"):
            own = kind == "index" and sql is None  # that of a primary key
            if not own and not (kind in _PLAIN and isinstance(sql, str) and _PLAIN[kind].fullmatch(sql)):
                raise CorruptError(f"{where}: its catalog has the {kind} {name!r:.40}, expected plain tables alone")
