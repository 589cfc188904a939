"""Documents and archives that pmbf does not read, known by their first bytes: it is a gap to leave them out."""

from __future__ import annotations

from pmbf.extract import ole
from pmbf.extract.ole import Unread

_CONVERT = "convert it to a kind that pmbf reads"
_AS_PDF = "save it as PDF or .docx"
_UNPACK = "unpack it"

ENCRYPTED = Unread("encrypted data", "decrypt it")

_MAGICS = (
    (b"PK\x03\x04", Unread("a zip archive", _CONVERT)),
    *((magic, Unread("an archive", _UNPACK)) for magic in (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"7z\xbc\xaf\x27\x1c")),
    *((magic, Unread("an archive", _UNPACK)) for magic in (b"Rar!\x1a\x07", b"\x28\xb5\x2f\xfd", b"MSCF", b"\x1f\x9d")),
    *((magic, Unread("an archive", _UNPACK)) for magic in (b"\x04\x22\x4d\x18", b"!<arch>", b"LZIP")),
    (b"SQLite format 3\0", Unread("a database", "export what it holds as text")),
    (b"AT&TFORM", Unread("a DjVu document", "convert it with `ddjvu -format=pdf`, then load it with --ocr")),
    (b"\xffWPC", Unread("a WordPerfect document", "convert it with `soffice --convert-to docx`")),
    (b"\xf7\x02\x01\x83\x92\xc0\x1c\x3b", Unread("a DVI document", "convert it with `dvipdfm`")),
    (b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", Unread("a OneNote section", _AS_PDF)),
    (b"\x06\x06\xed\xf5\xd8\x1d\x46\xe5", Unread("an InDesign document", _AS_PDF)),
    (b"ITSF\x03\0\0\0", Unread("a compiled help file", "unpack it with `extract_chmLib`")),
    (b"ITOLITLS", Unread("an e-book (.lit)", "convert it to EPUB")),
    *((magic, Unread("an old Write document", _AS_PDF)) for magic in (b"\x31\xbe\0\0", b"\x32\xbe\0\0")),
    *((magic, Unread("an old Word file", _AS_PDF)) for magic in (b"\xdb\xa5\x2d\0", b"\xfe\x37\0\x23")),
)
_MOBI_AT, _MOBI = 60, (b"BOOKMOBI", b"TEXtREAd")

IN_ZIP = {
    ".iwa": Unread("a document of Pages, Numbers or Keynote", _AS_PDF),
    "xl/workbook.bin": Unread("a binary Excel file", "save it as .xlsx"),
}
"""Zip files that are such documents, by the end of a member's name."""


def gap(raw: bytes) -> Unread | None:
    """Return what bytes are that may hold text in a format that is not read; None if they do not begin as one.

    >>> gap(b"7z\\xbc\\xaf\\x27\\x1c")
    Unread(what='an archive', remedy='unpack it')
    """
    if raw.startswith(ole.MAGIC):
        return ole.unread(raw)
    if raw[_MOBI_AT : _MOBI_AT + 8] in _MOBI:
        return Unread("an e-book (.mobi, .azw)", "convert it to EPUB")
    if is_postscript(raw):
        return Unread("a PostScript document", "convert it with `ps2pdf`")
    return next((told for magic, told in _MAGICS if raw.startswith(magic)), None)


def is_postscript(raw: bytes) -> bool:
    """Tell a PostScript document, whose words stand in pieces of a program; a picture (EPS) is none."""
    return raw.startswith(b"%!PS") and b"EPSF" not in raw[:64]
