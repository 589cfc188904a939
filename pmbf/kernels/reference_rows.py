"""Rows of a table with their checksums, in Python."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

__all__ = ["checked_rows"]


def checked_rows(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return rows, each with its checksum behind its columns: the CRC-32 of what `repr` shows of them as a tuple.

    Args:
        rows: Integers, strings, bytes; a row may be a named tuple.

    Raises:
        UnicodeEncodeError: A string is no valid Unicode: it has lone surrogates.
        TypeError: A row is no tuple.

    >>> checked_rows([(7, "tide")])
    [(7, 'tide', 752896945)]
    """
    return [(*row, row_checksum(row)) for row in rows]


def row_checksum(row: tuple[Any, ...]) -> int:
    """Return the checksum of a row; see `checked_rows`."""
    if not isinstance(row, tuple):
        raise TypeError("a row is no tuple")
    for column in row:
        if isinstance(column, str):
            column.encode()
    return zlib.crc32(repr(tuple(row)).encode())
