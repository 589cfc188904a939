"""The fold table: what each code point folds to. It is read once from `fold_table.bin`.

    entry, uint32     31      30       29     28     27        26..24  23..21  20..0
                      hyphen  invisib. letter lower  expansion script  class   folded code point
                                                                               or start (15..0) and length (20..16)
    file, little-endian
        0  8 bytes    magic "PMBFFOLD"
        8  16 bytes   version, ASCII, padded with NUL
       24  4 uint32   pages in the index, entries, expansion code points, CRC-32 of all that follows
       40  uint16 …   page number of each 256 code points
           uint32 …   entries, page by page; for a letter the low bits are folded minus original code point, mod 2^21
           uint32 …   expansions: folded code points end to end

`tools/make_fold_table.py` writes the file; docs/text.md has the rules behind it.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import CorruptError
from pmbf.base.params import FOLD_VERSION

NOTHING, SEPARATOR, WORD, SINGLE, MARK = range(5)
CLASS_SHIFT, SCRIPT_SHIFT, FIELD = 21, 24, 7
EXPANSION, LOWER, LETTER, INVISIBLE, HYPHEN = (1 << bit for bit in (27, 28, 29, 30, 31))
CODE = (1 << 21) - 1
_PAGE_CODES = 256

_PATH = Path(__file__).with_name("fold_table.bin")
_HEADER = struct.Struct("<8s16s4I")
_MAGIC = b"PMBFFOLD"


@dataclass(frozen=True, slots=True, eq=False)
class FoldTable:
    """The table in memory.

    Args:
        entries: `(0x110000,) uint32`, one entry per code point. The low bits are the folded code point.
        expansions: `(n,) uint32`, the folded code points of characters that fold to several.
    """

    entries: NDArray[np.uint32]
    expansions: NDArray[np.uint32]


@cache
def fold_table() -> FoldTable:
    """Return the shipped table, read at the first call."""
    return parse(_PATH.read_bytes(), name=str(_PATH))


def parse(packed: bytes, *, name: str) -> FoldTable:
    """Return the table in the bytes of a table file. A `CorruptError` refuses damage and another version."""
    n_index, n_entries, n_expansions = _checked(packed, name)
    index = np.frombuffer(packed, "<u2", n_index, _HEADER.size)
    entries = np.frombuffer(packed, "<u4", n_entries, _HEADER.size + 2 * n_index)
    expansions = np.frombuffer(packed, "<u4", n_expansions, _HEADER.size + 2 * n_index + 4 * n_entries)
    pages = entries.astype(np.uint32, copy=False).reshape(-1, _PAGE_CODES)
    table = pages[index]
    with_letters = np.flatnonzero(np.any(_are_letters(pages), axis=1)[index])
    table[with_letters] = _resolved(table[with_letters], with_letters)
    return FoldTable(table.reshape(-1), expansions.astype(np.uint32))


def _are_letters(entries: NDArray[np.uint32]) -> NDArray[np.bool_]:
    return np.asarray((((entries >> CLASS_SHIFT) & FIELD) >= WORD) & ((entries & EXPANSION) == 0))


def _resolved(pages: NDArray[np.uint32], numbers: NDArray[np.intp]) -> NDArray[np.uint32]:
    """Return pages of entries whose low bits are folded code points, given the number of each page."""
    codes = (_PAGE_CODES * numbers[:, np.newaxis] + np.arange(_PAGE_CODES)).astype(np.uint32)
    folded = (pages & ~np.uint32(CODE)) | ((pages + codes) & CODE)
    return np.where(_are_letters(pages), folded, pages)


def _checked(packed: bytes, name: str) -> tuple[int, int, int]:
    if len(packed) < _HEADER.size:
        raise CorruptError(f"{name}: {len(packed)} bytes, expected at least {_HEADER.size}; install pmbf again")
    magic, version, n_index, n_entries, n_expansions, crc = _HEADER.unpack_from(packed)
    found = version.rstrip(b"\0").decode("ascii", "replace")
    if magic != _MAGIC or found != FOLD_VERSION:
        raise CorruptError(f"{name}: fold table {found!r}, expected {FOLD_VERSION!r}; install pmbf again")
    if zlib.crc32(packed[_HEADER.size :]) != crc:
        raise CorruptError(f"{name}: checksum does not fit the contents; install pmbf again")
    return n_index, n_entries, n_expansions
