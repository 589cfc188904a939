"""Rows of the filter as the kernels take them: a row holds the hashes of one segment, a bit position after the other.

    bits        of each position, ascending, its line: a bit of each row, the lowest first

                one row     │ 0 1 1 0 0 1 …                 a bit a line: the row itself
                12 rows     │ 0 1 1 0 … 1 │ 1 0 0 … 0 │     16 bits a line

A hash sets k bits of a row, all in one block of 512: see `lines_of`. Only the first 32 bits of a hash count.

Sources: Tskhay, Butakov & Kim 2014: a row holds many documents. Putze, Sanders & Singler 2007, Cache-, Hash- and
Space-Efficient Bloom Filters: blocks. Bingmann et al. 2019, COBS, and Goodwin et al. 2017, BitFunnel: the bits of many
filters at one position side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import ParameterError
from pmbf.base.hashes import Hashes, hash_dtype
from pmbf.kernels import checks

__all__ = ["BLOCK_LINES", "PADDING_BYTES", "AskedRows", "Row", "RowsPages", "SegmentRows", "line_bits"]

_NO_PLACE = np.empty(0, np.int64)

PADDING_BYTES = 8
"""Zeros behind the bits: a word is read at once, wherever it begins."""


class RowsPages(NamedTuple):
    """The file that rows of the filter lie in, as `PostingsPages`; `bits_at` is where the lines begin."""

    content: NDArray[np.uint8]
    sums: NDArray[np.uint32]
    checked: NDArray[np.uint8]
    page_bytes: int
    bits_at: int


@dataclass(frozen=True, slots=True, eq=False)
class SegmentRows:
    """Rows of the filter side by side: the bits of all rows at one position are a line.

    Args:
        bits: `(n + PADDING_BYTES,) uint8`, the lines one after another, the lowest bit first.
        n_rows: Rows, 1 to 512.
        n_lines: Bits of a row, m, a multiple of 512.
        n_hashes: Bits that a hash sets in a row, k, 1 to 3.
        pages: The file, whose pages are checked before they are read; None if nothing is left to check.

    >>> SegmentRows(np.zeros(1032, np.uint8), 9, 512, 3).line_bits
    16
    """

    bits: NDArray[np.uint8]
    n_rows: int
    n_lines: int
    n_hashes: int
    pages: RowsPages | None = None

    @property
    def line_bits(self) -> int:
        """Bits of a line: one for a row alone, else whole bytes."""
        return line_bits(self.n_rows)


BLOCK_LINES = 512
"""Bits of a block of a row."""

Row = tuple[SegmentRows, int]
"""Rows, and the number of one of them."""


class AskedRows(tuple[Row | None, ...]):
    """The rows of segments that are asked again and again: what the native kernels make of them is kept."""

    passed: Any = None


def line_bits(n_rows: int) -> int:
    """Return the bits of a line of some rows: one for a row alone, else whole bytes."""
    return 1 if n_rows == 1 else -(-n_rows // 8) * 8


def require_rows(given: Sequence[Row | None]) -> None:
    """Refuse rows that do not fit their bits, a number of none of them, and one row of two segments."""
    some = [row for row in given if row]
    for row in some:
        _require_row(*row)
    if len({(id(rows), number) for rows, number in some}) < len(some):
        raise ParameterError("two segments have one row, expected a row for each")


def _require_row(rows: SegmentRows, number: int) -> None:
    checks.require("bits", rows.bits, np.uint8, "(n,)", 1)
    _require_shape(rows.n_lines, rows.n_hashes)
    if not 0 <= number < rows.n_rows <= 512 or len(rows.bits) < -(-rows.n_lines * rows.line_bits // 8) + PADDING_BYTES:
        raise ParameterError(
            f"row {number} of {rows.n_rows}, {len(rows.bits)} bytes: the rows of the filter are damaged"
        )
    if rows.pages:
        checks.require_pages(len(rows.pages.content), rows.pages.sums, rows.pages.checked, _NO_PLACE, rows.pages[3])


def _require_shape(n_lines: int, n_hashes: int) -> None:
    if not 0 < n_lines < 1 << 40 or n_lines % BLOCK_LINES or not 1 <= n_hashes <= 3:
        raise ParameterError(f"{n_lines} bits of a row, {n_hashes} a hash; expected blocks of 512, and 1 to 3 a hash")


def require_range(n_lines: int, n_hashes: int, first: int, stop: int | None) -> int:
    """Refuse a part of a row that is not made of whole blocks. Return its end."""
    _require_shape(n_lines, n_hashes)
    stop = n_lines if stop is None else stop
    if not 0 <= first <= stop <= n_lines or first % BLOCK_LINES or stop % BLOCK_LINES:
        raise ParameterError(f"bits {first} to {stop} of {n_lines}, expected whole blocks of a row")
    return stop


def hash_width(hashes: Hashes) -> int:
    """Return the bits of hashes by their type: those beyond 32 are not told apart, and need not be for a row."""
    checks.require("hashes", hashes, hash_dtype(64 if hashes.dtype == np.uint64 else 32), "(q,)", 1)
    return 64 if hashes.dtype == np.uint64 else 32
