"""Documents and archives that pmbf does not read, known by their first bytes: it is a gap to leave them out.

Old Office files and encrypted new ones are OLE containers. The names of their streams tell what they are; no stream is
read:

    512 bytes of header  magic, size of a sector, first sector of the directory, first 109 sectors of the table, and
                         where the numbers of its further sectors stand
    table                for each sector the next one of its chain
    directory            entries of 128 bytes: name, kind, left and right sibling, first child; the first is the root

Source:
    [MS-CFB], sections 2.2, 2.3 and 2.6.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import NamedTuple


class Gap(NamedTuple):
    """A document that pmbf does not read: what it is, in words, and what to do to have it read."""

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

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENTRY_BYTES, _TABLES_AT, _N_TABLES = 128, 76, 109
_MOST_SECTORS = 512
"""Sectors of a directory that are looked at: 2,048 entries or more. What is at the top stands in the first ones."""
_MOST_NAMES = 1000

ENCRYPTED = Gap("encrypted data", "decrypt it")

_CONVERT = "convert it to a kind that pmbf reads"
_AS_PDF = "save it as PDF or .docx"
_ARCHIVE = Gap("an archive", "unpack it")
_ARCHIVES = (
    *(b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x28\xb5\x2f\xfd", b"MSCF"),
    *(b"\x1f\x9d", b"\x04\x22\x4d\x18", b"!<arch>", b"LZIP", b"\xff\x06\0\0sNaPpY", b"\x02\x21\x4c\x18", b"\x89LZO\0"),
    *(b"LRZI", b"zPQ", b"7kSt", b"xar!", b"MSWIM\0", b"hsqs", b"\xed\xab\xee\xdb", b"\x60\xea", b"\xc7\x71", b"0707"),
    *(bytes([0x50 + n]) + b"\x2a\x4d\x18" for n in range(16)),  # Zstandard's frames
)
_MAGICS = (
    (b"PK\x03\x04", Gap("a zip archive", _CONVERT)),
    (b"SQLite format 3\0", Gap("a database", "export what it holds as text")),
    (b"AT&TFORM", Gap("a DjVu document", "convert it with `ddjvu -format=pdf`, then load it with --ocr")),
    (b"\xffWPC", Gap("a WordPerfect document", "convert it with `soffice --convert-to docx`")),
    (b"\xf7\x02\x01\x83\x92\xc0\x1c\x3b", Gap("a DVI document", "convert it with `dvipdfm`")),
    (b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", Gap("a OneNote section", _AS_PDF)),
    (b"\x06\x06\xed\xf5\xd8\x1d\x46\xe5", Gap("an InDesign document", _AS_PDF)),
    (b"ITSF\x03\0\0\0", Gap("a compiled help file", "unpack it with `extract_chmLib`")),
    (b"ITOLITLS", Gap("an e-book (.lit)", "convert it to EPUB")),
    *((magic, Gap("an old Write document", _AS_PDF)) for magic in (b"\x31\xbe\0\0", b"\x32\xbe\0\0")),
    *((magic, Gap("an old Word file", _AS_PDF)) for magic in (b"\xdb\xa5\x2d\0", b"\xfe\x37\0\x23")),
)
_LZMA = re.compile(rb"\x5d\0\0.{2}(?:\xff{8}|.{5}\0{3})", re.S)
"""LZMA before xz: the usual properties, a dictionary of whole 64 KiB, a length of less than a TiB or none."""
_LHA = re.compile(rb"..-l[hz][0-9ds]-", re.S)
_PACKED_NAMES = (
    *(".br", ".bro", ".zst", ".lz4", ".sz", ".snappy", ".lzma", ".lz", ".lzo", ".lzh", ".lha", ".z", ".7z", ".rar"),
    *(".arj", ".ace", ".cab", ".cpio", ".rpm", ".zpaq", ".rz"),
)
_MOBI_AT, _MOBI = 60, (b"BOOKMOBI", b"TEXtREAd")

IN_ZIP = {
    ".iwa": Gap("a document of Pages, Numbers or Keynote", _AS_PDF),
    "xl/workbook.bin": Gap("a binary Excel file", "save it as .xlsx"),
}
"""Zip files that are such documents, by the end of a member's name."""


def gap(raw: bytes) -> Gap | None:
    """Return what bytes are that may hold text in a format that is not read; None if they do not begin as one."""
    if raw.startswith(OLE):
        return _of_ole(raw)
    if raw[_MOBI_AT : _MOBI_AT + 8] in _MOBI:
        return Gap("an e-book (.mobi, .azw)", "convert it to EPUB")
    if is_postscript(raw):
        return Gap("a PostScript document", "convert it with `ps2pdf`")
    if raw.startswith(_ARCHIVES) or _LZMA.match(raw) or _LHA.match(raw):
        return _ARCHIVE
    return next((told for magic, told in _MAGICS if raw.startswith(magic)), None)


def named_gap(name: str) -> Gap | None:
    """Return what bytes of an unknown kind are by their name, if it is that of a packed file; brotli has no mark."""
    return _ARCHIVE if name.lower().endswith(_PACKED_NAMES) else None


def is_postscript(raw: bytes) -> bool:
    """Tell a PostScript document, whose words stand in pieces of a program; a picture (EPS) is none."""
    return raw.startswith(b"%!PS") and b"EPSF" not in raw[:64]


def _of_ole(raw: bytes) -> Gap | None:
    """Return what an OLE container is; None for the thumbnails that Windows keeps in folders."""
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
