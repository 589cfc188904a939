"""Documents and archives that pmbf does not read, known by their first bytes: it is a gap to leave them out."""

from __future__ import annotations

import re

from pmbf.extract import ole
from pmbf.extract.ole import Gap

_CONVERT = "convert it to a kind that pmbf reads"
_AS_PDF = "save it as PDF or .docx"
_UNPACK = "unpack it"

ENCRYPTED = Gap("encrypted data", "decrypt it")

_MAGICS = (
    (b"PK\x03\x04", Gap("a zip archive", _CONVERT)),
    *((magic, Gap("an archive", _UNPACK)) for magic in (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"7z\xbc\xaf\x27\x1c")),
    *((magic, Gap("an archive", _UNPACK)) for magic in (b"Rar!\x1a\x07", b"\x28\xb5\x2f\xfd", b"MSCF", b"\x1f\x9d")),
    *((magic, Gap("an archive", _UNPACK)) for magic in (b"\x04\x22\x4d\x18", b"!<arch>", b"LZIP")),
    *((magic, Gap("an archive", _UNPACK)) for magic in (b"\xff\x06\0\0sNaPpY", b"\x02\x21\x4c\x18", b"\x89LZO\0")),
    *((magic, Gap("an archive", _UNPACK)) for magic in (b"LRZI", b"zPQ", b"7kSt", b"xar!", b"MSWIM\0", b"hsqs")),
    *((magic, Gap("an archive", _UNPACK)) for magic in (b"\xed\xab\xee\xdb", b"\x60\xea", b"\xc7\x71", b"0707")),
    *((bytes([0x50 + n]) + b"\x2a\x4d\x18", Gap("an archive", _UNPACK)) for n in range(16)),  # Zstandard's frames
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
    """Return what bytes are that may hold text in a format that is not read; None if they do not begin as one.

    >>> gap(b"7z\\xbc\\xaf\\x27\\x1c")
    Gap(what='an archive', remedy='unpack it')
    """
    if raw.startswith(ole.MAGIC):
        return ole.unread(raw)
    if raw[_MOBI_AT : _MOBI_AT + 8] in _MOBI:
        return Gap("an e-book (.mobi, .azw)", "convert it to EPUB")
    if is_postscript(raw):
        return Gap("a PostScript document", "convert it with `ps2pdf`")
    if _LZMA.match(raw) or _LHA.match(raw):
        return Gap("an archive", _UNPACK)
    return next((told for magic, told in _MAGICS if raw.startswith(magic)), None)


def named_gap(name: str) -> Gap | None:
    """Return what bytes of an unknown kind are by their name, if it is that of a packed file; brotli has no mark.

    >>> named_gap("report.txt.br")
    Gap(what='an archive', remedy='unpack it')
    """
    return Gap("an archive", _UNPACK) if name.lower().endswith(_PACKED_NAMES) else None


def is_postscript(raw: bytes) -> bool:
    """Tell a PostScript document, whose words stand in pieces of a program; a picture (EPS) is none."""
    return raw.startswith(b"%!PS") and b"EPSF" not in raw[:64]
