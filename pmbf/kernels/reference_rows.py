"""The checksums of rows of a table, in Python and zlib."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["sum_rows"]

_MOST = 2**63


def sum_rows(rows: list[Any], kinds: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the integers of rows as columns, and the checksum of each row.

    The checksum is the CRC-32 over `kinds`, the integers, 8 bytes each, the lengths of the texts in UTF-8, 8 bytes
    each, and the texts.

    Args:
        rows: Tuples. Columns behind those that `kinds` names do not count.
        kinds: A letter for each column: `i` for an integer of 64 bits, `s` for a text.

    Returns:
        `(n, n_integers) int64` and `(n,) int64`. The checksum of a row is -1 if a column is of another kind, or a text
        is not valid Unicode; then its integers say nothing.

    >>> numbers, sums = sum_rows([(7, "tide", 3), (b"?", "tide", 3)], "is")
    >>> numbers[0].tolist(), hex(sums[0]), int(sums[1])
    ([7], '0x6a10dbfe', -1)
    """
    numbers = np.zeros((len(rows), kinds.count("i")), np.int64)
    sums = np.full(len(rows), -1, np.int64)
    pack = struct.Struct(f"<{len(kinds)}q").pack
    for at, row in enumerate(rows):
        if _is_fitting(row, kinds):
            integers = [column for column, kind in zip(row, kinds, strict=False) if kind == "i"]
            texts = _in_utf8([column for column, kind in zip(row, kinds, strict=False) if kind == "s"])
            if texts is not None:
                numbers[at] = integers
                sums[at] = zlib.crc32(kinds.encode() + pack(*integers, *map(len, texts)) + b"".join(texts))
    return numbers, sums


def _is_fitting(row: Sequence[Any], kinds: str) -> bool:
    return len(row) >= len(kinds) and all(
        isinstance(column, str) if kind == "s" else isinstance(column, int) and -_MOST <= column < _MOST
        for column, kind in zip(row, kinds, strict=False)
    )


def _in_utf8(texts: Sequence[str]) -> list[bytes] | None:
    try:
        return [text.encode() for text in texts]
    except UnicodeEncodeError:
        return None
