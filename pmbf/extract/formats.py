"""The formats that are read, a row each: how a format is told, and which module of this package reads it."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from pmbf.extract.encoding import is_probably_text

FORM = re.compile(
    rb"[\r\n]*--([!-~](?:[ -~]{0,198}[!-~])?)[ \t]*\r?\n"
    rb"(?:[!-9;-~]++:[^\n]*+\n(?:[ \t][^\n]*+\n)*+)*?content-(?:disposition|type|transfer-encoding)[ \t]*:",
    re.I,
)
"""The beginning of a form: its boundary, and some header of its first part that only a part of a mail or form has."""

PDF_END = re.compile(rb"startxref\s+\d+\s+%%EOF")
_LAST_OF_PDF = re.compile(PDF_END.pattern + rb"\s*\Z")

ZIP_END = b"PK\x05\x06"
ZIP_END_WITHIN = 66_000
_MAX_NAMES = 20_000

Begins = Callable[[bytes, bool], object]
"""Takes bytes, and whether the name says this format; returns whether the bytes begin as the format does."""

_LEAST_INFLATED, _TRIED_BYTES = 32, 1024
_LEAST_DEFLATED = 48
"""Least packed bytes of deflate without a header. Of 3 million random files, 11 inflate this far, and to text."""


def _pattern(pattern: bytes) -> Begins:
    match = re.compile(pattern, re.S).match
    return lambda raw, _: match(raw)


def _is_pdf(raw: bytes, is_named: bool) -> bool:
    """Tell a PDF: as programs do, by a mark in the first KB. A text that only quotes the mark does not end as a PDF."""
    at = raw.find(b"%PDF-", 0, 1024)
    return at == 0 or (at > 0 and (is_named or not is_probably_text(raw) or ends_as_pdf(raw)))


def ends_as_pdf(raw: bytes) -> bool:
    """Tell bytes that end as a PDF does, with nothing behind."""
    return _LAST_OF_PDF.search(raw, max(0, len(raw) - 1024)) is not None


def _is_tar(raw: bytes, _: bool) -> bool:
    """Tell a tar by the checksum of its first header: some have no magic number."""
    header, written = raw[:512], raw[148:156].strip(b" \0")
    if len(header) < 512 or not written.isdigit() or written.translate(None, b"01234567") != b"":
        return False
    return int(written, 8) == sum(header) - sum(header[148:156]) + 8 * ord(" ")


def _is_zlib(raw: bytes, _: bool) -> bool:
    """Tell a bare zlib stream (a loose object of git) by its two bytes, and by inflating its beginning.

    Source:
        RFC 1950, section 2.2: any window, no preset dictionary.
    """
    method, flags = (*raw[:2], 0, 0)[:2]
    if method & 0x8F != 8 or flags & 0x20 or (method << 8 | flags) % 31 or is_probably_text(raw):
        return False
    decoder, n_bytes = zlib.decompressobj(), 0
    try:
        for at in range(0, _TRIED_BYTES, 16):
            n_bytes += len(decoder.decompress(raw[at : at + 16], _LEAST_INFLATED))
            if decoder.eof or n_bytes >= _LEAST_INFLATED:
                return True
    except zlib.error:
        pass
    return False


def _is_deflate(raw: bytes, _: bool) -> bool:
    """Tell deflate without any header: its first KB inflates, to text or to the beginning of a known format."""
    if is_probably_text(raw):
        return False
    decoder, begin = zlib.decompressobj(-zlib.MAX_WBITS), raw[:_TRIED_BYTES]
    try:
        content = decoder.decompress(begin)
    except zlib.error:
        return False
    if len(content) < _LEAST_INFLATED or len(begin) - len(decoder.unused_data) < _LEAST_DEFLATED:
        return False
    known = (one.begins for one in FORMATS.values() if one.begins and one.begins is not _is_deflate)
    return is_probably_text(content) or any(begins(content, False) for begins in known)


def zip_directory(raw: bytes) -> int | None:
    """Return the offset of the directory of a zip file that ends with these bytes, or None."""
    end = raw.rfind(ZIP_END, -ZIP_END_WITHIN)
    if end < 0 or len(raw) < end + 22:
        return None
    start = end - int.from_bytes(raw[end + 12 : end + 16], "little")
    return start if start >= 0 and raw[start : start + 4] == b"PK\x01\x02" else None


def zip_names(raw: bytes, position: int) -> list[bytes]:
    """Return the names in a zip's directory, a bounded number of them."""
    names: list[bytes] = []
    while raw[position : position + 4] == b"PK\x01\x02" and len(names) < _MAX_NAMES:
        n_name, n_extra, n_comment = struct.unpack("<HHH", raw[position + 28 : position + 34].ljust(6, b"\0"))
        names.append(raw[position + 46 : position + 46 + n_name])
        position += 46 + n_name + n_extra + n_comment
    return names


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of document.

    Args:
        kind: Its name.
        reader: The module of this package whose `read(raw, kind, reading)` returns the text.
        extensions: Files with these extensions are of this format if their bytes do not say otherwise.
        begins: Tells its bytes; None if `pmbf.extract.kinds` looks further.
        package: Of an office format: the beginning of a member's name that no other format has, or the word in ODF's
            media type.
        is_text: Whether this process decodes its bytes; a child process parses all other formats.
        is_markup: Whether it is text with markup; only the words at its beginning tell it from plain text.
        is_archive: Whether it holds files. The bytes alone tell an archive; a load takes none from a folder.
        extra: The extra of pmbf that installs its reader's library.
    """

    kind: str
    reader: str
    extensions: tuple[str, ...] = ()
    begins: Begins | None = None
    package: bytes = b""
    is_text: bool = False
    is_markup: bool = False
    is_archive: bool = False
    extra: str | None = None


_TXT = (".txt", ".text", ".rst", ".adoc", ".tex", ".bib", ".csv", ".tsv", ".log", ".srt", ".json")

FORMATS = {
    one.kind: one
    for one in (
        Format("txt", "plain", _TXT, is_text=True),
        Format("md", "plain", (".md", ".markdown"), is_text=True),
        Format("html", "html", (".html", ".htm", ".xhtml"), is_markup=True),
        Format("eml", "mail", (".eml",), is_markup=True),
        Format("mbox", "mail", (".mbox",), is_markup=True),
        Format("form", "form", begins=lambda raw, _: FORM.match(raw)),
        Format("pdf", "pdf", (".pdf",), _is_pdf, extra="pdf"),
        Format("rtf", "rtf", (".rtf",), _pattern(rb"\{\\rtf")),
        Format("docx", "ooxml", (".docx", ".docm", ".dotx", ".dotm"), package=b"word/"),
        Format("pptx", "ooxml", (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx"), package=b"ppt/"),
        Format("xlsx", "ooxml", (".xlsx", ".xlsm", ".xltx"), package=b"xl/workbook.xml"),
        Format("odt", "odf", (".odt", ".ott"), package=b"text"),
        Format("odp", "odf", (".odp", ".otp"), package=b"presentation"),
        Format("ods", "odf", (".ods", ".ots"), package=b"spreadsheet"),
        Format("epub", "epub", (".epub",), package=b"META-INF/container.xml"),
        Format("zip", "packed", begins=_pattern(rb"PK(?:\x03\x04|\x05\x06)"), is_archive=True),
        Format("gz", "packed", begins=_pattern(rb"\x1f\x8b\x08"), is_archive=True),
        Format("bz2", "packed", begins=_pattern(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), is_archive=True),
        Format("xz", "packed", begins=_pattern(rb"\xfd7zXZ\0"), is_archive=True),
        Format("tar", "packed", begins=_is_tar, is_archive=True),
        Format("zlib", "packed", begins=_is_zlib, is_archive=True),
        Format("pack", "git", begins=_pattern(rb"PACK\0\0\0[\2\3]|# v[23] git bundle\n"), is_archive=True),
        Format("deflate", "packed", begins=_is_deflate, is_archive=True),
    )
}
"""Kind -> its row, in the order in which bytes are compared with the rows."""
