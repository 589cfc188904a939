"""Bytes that pmbf does not read: what they are, in words, and whether it is a gap to leave them out.

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

from pmbf.extract.formats import PDF_END, ZIP_END, ZIP_END_WITHIN, zip_directory, zip_names


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
_ENCRYPTED = re.compile(
    # OpenSSL, age, LUKS, KeePass
    rb"Salted__|age-encryption\.org/v1|LUKS\xba\xbe|\x03\xd9\xa2\x9a[\x65-\x67]\xfb\x4b\xb5"
    rb"|[\x8c\xc3].(?:\x04[\x01-\x0d][\x00\x01\x03]|\x05[\x01-\x0d][\x01-\x03])"  # OpenPGP: a key made of a passphrase
    rb"|(?:\x84.|\x85..|\xc1.|\xc1[\xc0-\xdf].)\x03.{8}[\x01\x02\x10\x12\x19\x1a]"  # OpenPGP: a key for somebody
    rb"|\x30(?:\x80|\x81.|\x82..|\x83.{3}|\x84.{4})\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07[\x03\x06]",  # S/MIME
    re.S,
)
"""RFC 4880, sections 4.2, 5.1 and 5.3; RFC 5652, sections 3 and 6.1."""
PROGRAMS = (b"MZ", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\0asm")
_MEDIA = re.compile(
    rb"\x89PNG|\xff\xd8\xff|GIF8|BM.{4}\x00|II\*\x00|MM\x00\*|II\xbc\x01|\x00\x00\x01\x00"  # pictures
    rb"|\xd7\xcd\xc6\x9a|\x01\x00\x09\x00\x00\x03|\x01\x00\x00\x00.{36} EMF|VCLMTF"  # drawings
    rb"|RIFF|OggS|ID3|\xff[\xfb\xf3\xf2]|fLaC|.{4}ftyp|\x1a\x45\xdf\xa3|FLV\x01|[FC]WS[\x01-\x2f]"  # sound and film
    rb"|wOF[F2]|OTTO|\x00\x01\x00\x00",  # fonts
    re.S,
)
_ZIP_MEMBER = re.compile(
    rb"PK\x03\x04[\x0a-\x3f]\0.[\0-\x0f][\0\x08\x09\x0c\x0e\x5d\x5f]\0.{16}[^\0]\0..[^\0-\x1f\x7f]", re.S
)
"""The header of a member: version, flags, method, length of the name, first letter of the name."""
_LZMA = re.compile(rb"\x5d\0\0.{2}(?:\xff{8}|.{5}\0{3})", re.S)
"""LZMA before xz: the usual properties, a dictionary of whole 64 KiB, a length of less than a TiB or none."""
_LHA = re.compile(rb"..-l[hz][0-9ds]-", re.S)
_PACKED_NAMES = (
    *(".br", ".bro", ".zst", ".lz4", ".sz", ".snappy", ".lzma", ".lz", ".lzo", ".lzh", ".lha", ".z", ".7z", ".rar"),
    *(".arj", ".ace", ".cab", ".cpio", ".rpm", ".zpaq", ".rz"),
)
_MOBI_AT, _MOBI = 60, (b"BOOKMOBI", b"TEXtREAd")

_IN_ZIP = {
    ".iwa": Gap("a document of Pages, Numbers or Keynote", _AS_PDF),
    "xl/workbook.bin": Gap("a binary Excel file", "save it as .xlsx"),
}
"""Zip files that are such documents, by the end of a member's name."""


def refusal(raw: bytes, name: str) -> str:
    """Return why bytes of no known kind are not read."""
    if told := _gap(raw, name):
        return f"{name}: {told.what}: {told.remedy}"
    return f"{name}: not a text document but {describe(raw)}; convert it to a kind that pmbf reads"


def is_media(raw: bytes) -> bool:
    """Tell pictures, sound, film and fonts: they hold no text, so it is no gap to leave them out."""
    return _MEDIA.match(raw) is not None


def is_encrypted(raw: bytes) -> bool:
    """Tell data encrypted by OpenSSL, OpenPGP, age, S/MIME, LUKS or KeePass, if a header says so."""
    return _ENCRYPTED.match(raw) is not None


def is_container(raw: bytes, name: str = "") -> bool:
    """Tell archives, documents of other programs, databases and encrypted data: it is a gap to leave them out."""
    return _gap(raw, name) is not None


def describe(raw: bytes) -> str:
    """Return a few words on bytes that pmbf cannot read."""
    if is_media(raw):
        return "a picture, sound, film or font"
    if raw.startswith(ZIP_END):
        return "an empty zip archive"
    if told := _gap(raw):
        return told.what
    return "a program" if raw.startswith(PROGRAMS) else "binary data of an unknown kind"


def _gap(raw: bytes, name: str = "") -> Gap | None:
    if name.lower().endswith(_PACKED_NAMES):  # brotli has no mark
        return _ARCHIVE
    if is_media(raw):
        return None
    if is_encrypted(raw):
        return Gap("encrypted data", "decrypt it")
    if raw.startswith(OLE):  # the thumbnails of a folder are none
        return gap(raw)
    if told := in_zip(raw) or gap(raw):
        return told
    part = _is_part_of(raw)
    return Gap(part, "repair it, or take it from a backup") if part else None


def in_zip(raw: bytes) -> Gap | None:
    """Return which document that is not read a zip file is; None for all other bytes."""
    directory = zip_directory(raw) if raw.startswith(b"PK\x03\x04") else None
    if directory is None:
        return None
    names = [name.decode("utf-8", "replace") for name in zip_names(raw, directory)]
    return next((told for end, told in _IN_ZIP.items() if any(name.endswith(end) for name in names)), None)


def _is_part_of(raw: bytes) -> str | None:
    """Tell bytes that end as a zip archive or a PDF, or hold members of a zip, in words; None if they do not."""
    end = raw.rfind(ZIP_END, -ZIP_END_WITHIN)
    if end >= 0 and end + 22 + int.from_bytes(raw[end + 20 : end + 22], "little") == len(raw):
        return "a zip archive with a damaged beginning"
    if PDF_END.search(raw, max(0, len(raw) - 1024)):
        return "a PDF with a damaged beginning"
    return "members of a damaged zip archive" if _ZIP_MEMBER.search(raw) else None


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
