"""Old Office files and encrypted new ones: a container of streams, whose names tell what it is. No stream is read.

512 bytes of header  magic, size of a sector, first sector of the directory, first 109 sectors of the table, and
                     where the numbers of its further sectors stand
table                for each sector the next one of its chain
directory            entries of 128 bytes: name, kind, left and right sibling, first child; the first is the root

Source:
    [MS-CFB], sections 2.2, 2.3 and 2.6.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_HEADER_BYTES, _ENTRY_BYTES, _TABLES_AT, _N_TABLES = 512, 128, 76, 109
_MOST_SECTORS = 512
"""Sectors of a directory that are looked at: 2,048 entries or more. What is at the top stands in the first ones."""
_MOST_NAMES = 1000


class Gap(NamedTuple):
    """A document that pmbf does not read.

    Args:
        what: What it is, in words.
        remedy: What to do to have it read.
    """

    what: str
    remedy: str


def _converted(what: str, kind: str) -> Gap:
    return Gap(what, f"convert it with `soffice --convert-to {kind}`")


_BY_STREAM = {
    "EncryptedPackage": Gap("encrypted", "remove its password first"),
    "WordDocument": _converted("an old Word file", "docx"),
    "Workbook": _converted("an old Excel file", "xlsx"),
    "Book": _converted("an old Excel file", "xlsx"),
    "PowerPoint Document": _converted("an old PowerPoint file", "pptx"),
    "__properties_version1.0": Gap("an Outlook message", "save it as .eml"),
    "VisioDocument": _converted("an old Visio drawing", "pdf"),
    "Quill": _converted("a Publisher file", "pdf"),
    "MatOST": Gap("an old Works file", "save it as .docx"),
    "BodyText": Gap("a Hangul document", "save it as .docx or PDF"),
}
"""What a stream or folder at the top tells, the surest first."""
_UNKNOWN = Gap("an old binary Office file of an unknown kind", "convert it to a kind that pmbf reads")


def unread(raw: bytes) -> Gap | None:
    """Return what an OLE container is; None for other bytes, and for the thumbnails that Windows keeps in folders.

    >>> unread(b"Dear reader") is None
    True
    """
    if not raw.startswith(MAGIC):
        return None
    names = set(_names_at_the_top(raw))
    if "Catalog" in names and all(name == "Catalog" or name[:1].isdigit() for name in names):
        return None
    return next((told for name, told in _BY_STREAM.items() if name in names), _UNKNOWN)


def _names_at_the_top(raw: bytes) -> Iterator[str]:
    """Yield the names of the streams and folders that no folder holds, a bounded number of them."""
    directory = b"".join(_directory(raw))
    waiting, seen = [_number(directory, 76)], {0}
    while waiting and len(seen) < _MOST_NAMES:
        entry = waiting.pop()
        at = entry * _ENTRY_BYTES
        if entry in seen or at + _ENTRY_BYTES > len(directory):
            continue
        seen.add(entry)
        n_name = min(int.from_bytes(directory[at + 64 : at + 66], "little"), 64)
        yield directory[at : at + max(0, n_name - 2)].decode("utf-16-le", "replace")
        waiting += [_number(directory, at + 68), _number(directory, at + 72)]


def _directory(raw: bytes) -> Iterator[bytes]:
    """Yield the sectors of the directory, as far as the chain is sound."""
    shift = int.from_bytes(raw[30:32], "little")
    if shift not in (9, 12):
        return
    size, sector, seen = 1 << shift, _number(raw, 48), set[int]()
    while sector not in seen and len(seen) < _MOST_SECTORS and (sector + 1) * size < len(raw):
        seen.add(sector)
        yield raw[(sector + 1) * size : (sector + 2) * size]
        table, within = divmod(sector, size // 4)
        sector = _number(raw, (_table_sector(raw, size, table) + 1) * size + 4 * within)


def _table_sector(raw: bytes, size: int, table: int) -> int:
    """Return which sector holds a part of the table."""
    if table < _N_TABLES:
        return _number(raw, _TABLES_AT + 4 * table)
    n_here = size // 4 - 1  # behind them stands where the next numbers are
    n_before, within = divmod(table - _N_TABLES, n_here)
    sector = _number(raw, 68)
    for _ in range(min(n_before, _MOST_SECTORS)):
        sector = _number(raw, (sector + 1) * size + 4 * n_here)
    return _number(raw, (sector + 1) * size + 4 * within)


def _number(raw: bytes, at: int) -> int:
    """Return a number of four bytes; one that leads nowhere where they are missing."""
    found = raw[at : at + 4]
    return struct.unpack("<I", found)[0] if len(found) == 4 else 0xFFFFFFFF
