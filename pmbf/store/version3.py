"""Catalogs of format version 3: how their rows are checked, and how the next writer makes version 4 of them.

A checksum of version 3 goes over what Python's `repr` shows of a row. `repr` escapes characters that the Unicode of the
running Python does not know, so a row is right too if it was written by a Python that knew fewer or more of them.
"""

from __future__ import annotations

import itertools
import sqlite3
import unicodedata
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

FORMAT_VERSION = 3

_MOST_DOUBTED = 12
"""Distinct characters of a row that may be spelled either way: 4,096 spellings are tried at most."""


def meta_checksum(meta: Mapping[str, str]) -> int:
    """Return the checksum over the table `meta`, its own row left out."""
    return _crc(repr(sorted((key, value) for key, value in meta.items() if key != "crc")))


def fits(columns: Sequence[Any], crc: int) -> bool:
    """Return whether a row's checksum is that of its columns, in the spelling of any Python.

    >>> fits(("shaken \\U0001fae8.txt", 1), 3649038227), fits(("shaken \\U0001fae8.txt", 1), 4008141097)
    (True, True)
    """
    shown = repr(tuple(columns))
    return _crc(shown) == crc or any(_crc(spelling) == crc for spelling in _other_spellings(columns, shown))


def _crc(shown: str) -> int:
    return zlib.crc32(shown.encode("utf-8", "surrogatepass"))


def _other_spellings(columns: Sequence[Any], shown: str) -> Iterator[str]:
    """Yield what `repr` shows of a row if it escapes other characters than here."""
    letters = set("".join(column for column in columns if isinstance(column, str)))
    # Every Python knows the characters of Unicode 3.2.
    doubted = sorted(c for c in letters if not c.isascii() and unicodedata.ucd_3_2_0.category(c) == "Cn")
    if not doubted or len(doubted) > _MOST_DOUBTED:
        return
    escapes = {c: f"\\U{ord(c):08x}" if ord(c) > 0xFFFF else f"\\u{ord(c):04x}" for c in doubted}
    plain = shown
    for c, escape in escapes.items():
        plain = plain.replace(escape, c)
    for n_escaped in range(len(doubted) + 1):
        for escaped in itertools.combinations(doubted, n_escaped):
            yield plain.translate({ord(c): escapes[c] for c in escaped})


def drop_free_ids(connection: sqlite3.Connection) -> None:
    """Drop the table of ids that compaction freed: the directory says which are in use."""
    from sqlite_utils import Database

    Database(connection).table("free_id").drop(ignore=True)
