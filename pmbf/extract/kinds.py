"""The kind of a file: by its bytes first, by its name second."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

from pmbf.extract.encoding import CONTROLS, HEAD_BYTES, is_probably_text, wide_encoding
from pmbf.extract.formats import FORMATS, ZIP_END, ends_as_pdf, zip_directory, zip_names
from pmbf.extract.unread import OLE, PROGRAMS, gap, in_zip, is_encrypted, is_media, is_postscript

TEXT_KINDS = frozenset(kind for kind, one in FORMATS.items() if one.is_text)
"""Kinds that are decoded in this process; all others are parsed in a child process."""

SUPPORTED = {extension: kind for kind, one in FORMATS.items() for extension in one.extensions}
"""Extension -> kind. Files with other names are read as text if their bytes look like text."""

ARCHIVE_KINDS = frozenset(kind for kind, one in FORMATS.items() if one.is_archive)

_BEGINNING = tuple(one for one in FORMATS.values() if one.begins)
_MARKUP = frozenset(kind for kind, one in FORMATS.items() if one.is_markup)
_OFFICE = frozenset(kind for kind, one in FORMATS.items() if one.package)
_SAYS_LITTLE = ("", ".txt", ".text", ".asp", ".aspx", ".mht", ".mhtml", ".pdf", ".docx", ".rtf", ".odt", ".pptx")
_OF_MAIL = ("", ".txt", ".text", ".eml", ".mbox", ".mht", ".mhtml")
_ODF = {one.package: kind for kind, one in FORMATS.items() if one.reader == "odf"}
_ODF_MIMETYPE = re.compile(
    rb"PK.{28}mimetypeapplication/vnd\.oasis\.opendocument\.(text|presentation|spreadsheet)", re.S
)
_EPUB_MIMETYPE = re.compile(rb"PK.{28}mimetypeapplication/epub\+zip", re.S)
_WITH_MEMBERS = _OFFICE | ARCHIVE_KINDS | {"form", "eml", "mbox"}
"""Kinds whose readers look at what stands behind the members, too."""
_OOXML = tuple((one.package, kind) for kind, one in FORMATS.items() if one.reader == "ooxml")
_MAY_BE_A_SOURCE = re.compile(
    rb"[\x09-\x20]*<|# v[23] git bundle\n|%PDF-|%!PS|\{\\rtf|[A-Za-z][A-Za-z0-9-]{1,60}:|From |[\r\n]*--[!-~]"
)
_BEFORE_HTML = rb"(?:\s++|(?><!--.*?-->)|(?><\?xml[^>]*>))*+"
_HTML = re.compile(_BEFORE_HTML + rb"<(?:!doctype\s+html|(?:html|head|body)[\s>])", re.I | re.S)
_HEADERS = re.compile(rb"(?:[A-Za-z][A-Za-z0-9-]{1,60}:[^\n]*+(?:\n|\Z)(?:[ \t][^\n]*+(?:\n|\Z))*)+")
_MAIL_HEADER = re.compile(rb"^(?:mime-version|received|message-id|return-path|content-type)\s*:", re.I | re.M)
_ROUTED = re.compile(rb"^(?:mime-version|received|return-path|delivered-to)\s*:", re.I | re.M)
"""What only mail begins with; a file of settings may have a `content-type`."""


def guess_kind(raw: bytes, name: str, *, is_clean: bool = False) -> str | None:
    """Return the kind of a document, or None if pmbf does not read it. Looks at a bounded part of the bytes.

    `is_clean` says that the bytes are UTF-8 without control characters and byte order mark. If their beginning shows
    that they are plain text, then this takes a tenth of the time.

    >>> guess_kind(b"%PDF-1.7 ...", "thesis.txt")
    'pdf'
    >>> guess_kind(b"Dear reader", "letter.md", is_clean=True)
    'md'
    """
    extension = _extension(name)
    by_name = SUPPORTED.get(extension)
    if is_clean and (by_name or "txt") in TEXT_KINDS and begin_plain(raw, [0], [len(raw)])[0]:
        return by_name or "txt"
    if is_encrypted(raw) or raw.startswith(OLE) or is_postscript(raw):  # a .doc ends with a zip of its themes
        return None
    if kind := _mail_kind(raw) if extension in _OF_MAIL else _odd_mail_kind(raw, extension):
        return kind  # its parts may be binary, and end as a zip does
    if kind := _by_magic(raw, by_name):
        return kind
    if is_probably_text(raw):
        return _among_texts(raw, by_name, extension)
    if zip_directory(raw) is not None:
        return "zip"
    if is_media(raw) or gap(raw) or raw.startswith((ZIP_END, *PROGRAMS)):
        return None
    return by_name if by_name in _MARKUP or (by_name in TEXT_KINDS and _is_littered_text(raw)) else None


def named_kind(name: str) -> str:
    """Return the kind that a file's name says by its extension; empty if it says none that is read."""
    at = name.rfind(".")
    kind = SUPPORTED.get(name[at:].lower(), "")
    return kind if name[at - 1 : at] not in ("", "/") else ""  # a name that begins with a dot has no extension


def begin_plain(content: bytes, starts: Iterable[int], stops: Iterable[int]) -> list[bool]:
    """Tell which texts inside some bytes are plain, by their beginnings: they have the kinds that their names say.

    The texts are UTF-8 without control characters and byte order mark. Of the others `guess_kind` tells the kind: they
    may be markup, mail, a form, or a PDF behind other bytes.

    >>> begin_plain(b"Dear reader<html><body>Dear reader", [0, 11], [11, 34])
    [True, False]
    """
    found = []
    for start, stop in zip(starts, stops, strict=True):
        is_odd = _MAY_BE_A_SOURCE.match(content, start, stop)
        found.append(not is_odd and content.find(b"%PDF-", start, min(stop, start + 1024)) < 0)
    return found


def _is_littered_text(raw: bytes) -> bool:
    """Tell UTF-8 with many control characters (left by bad conversions) in a file whose name says text."""
    head = raw[:HEAD_BYTES]
    n_controls = len(head) - len(head.translate(None, CONTROLS))
    return n_controls * 4 <= len(head) and "\ufffd" not in head[: HEAD_BYTES - 4].decode("utf-8", "replace")[:-1]


def looks_supported(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file of a folder is worth trying: by its extension, else by the first 8 KB of a regular file."""
    if named_kind(os.fspath(path)):
        return True
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with Path(path).open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return False
    return bool(head) and guess_kind(head, os.fspath(path)) not in (None, *ARCHIVE_KINDS)


def is_archive(raw: bytes, name: str) -> bool:
    """Tell archives of the kinds that are read; a document that is a zip file and not read is none."""
    if raw.startswith(OLE) or in_zip(raw):
        return False
    kind = _by_magic(raw, SUPPORTED.get(_extension(name)))
    return kind in ARCHIVE_KINDS or (kind is None and zip_directory(raw) is not None)


def _by_magic(raw: bytes, by_name: str | None) -> str | None:
    kind = next((one.kind for one in _BEGINNING if one.begins(raw, one.kind == by_name)), None)  # type: ignore[misc]
    return _zip_kind(raw, by_name) if kind == "zip" and raw.startswith(b"PK\x03\x04") else kind


def hidden_after(raw: bytes, kind: str) -> tuple[str, ...]:
    """Return the problem of a zip archive or a PDF behind a document of another kind: other programs open it."""
    if kind in _WITH_MEMBERS:
        return ()
    if zip_directory(raw) is not None:
        return ("a zip archive follows it: skipped",)
    return ("a PDF follows it: skipped",) if kind != "pdf" and ends_as_pdf(raw) and b"%PDF-" in raw else ()


def _zip_kind(raw: bytes, by_name: str | None) -> str | None:
    """Return the kind of an office document by its members' names; if it is cut short, by its extension.

    Any other zip file is an archive.
    """
    if odf := _ODF_MIMETYPE.match(raw):
        return _ODF[odf[1]]
    if _EPUB_MIMETYPE.match(raw):
        return "epub"
    named = by_name if by_name in _OFFICE else None
    directory = zip_directory(raw)
    if directory is None:
        return named or "zip"
    names = zip_names(raw, directory)
    if b"[Content_Types].xml" in names:
        return next((kind for prefix, kind in _OOXML if any(name.startswith(prefix) for name in names)), "zip")
    if by_name == "epub" and FORMATS["epub"].package in names:
        return "epub"
    is_odf = b"content.xml" in names and (b"mimetype" in names or b"META-INF/manifest.xml" in names)
    return (named or "odt") if is_odf else "zip"


def _among_texts(raw: bytes, by_name: str | None, extension: str) -> str:
    """Tell HTML and mail from plain text. Source code and Markdown that quote HTML stay what their names say."""
    if by_name in _MARKUP or by_name == "md":
        return by_name or "txt"
    if extension not in _SAYS_LITTLE:
        return "txt"
    head = raw[:HEAD_BYTES]
    wide = "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else wide_encoding(head)
    if wide:
        raw = head.decode(wide, "replace").removeprefix("\ufeff").encode()
    if _HTML.match(raw, _after_mark(raw)):
        return "html"
    return _mail_kind(raw) or "txt"


def _mail_kind(raw: bytes) -> str | None:
    """Tell mail by its first headers, whatever their length."""
    start = _after_mark(raw)
    is_mbox = raw.startswith(b"From ", start)
    headers = _HEADERS.match(raw, raw.find(b"\n") + 1 or len(raw)) if is_mbox else _HEADERS.match(raw, start)
    if headers and _MAIL_HEADER.search(headers[0]):
        return "mbox" if is_mbox else "eml"
    return None


def _odd_mail_kind(raw: bytes, extension: str) -> str | None:
    """Tell a mail under a name of no known kind, as mail servers give them: `1700.M1P2.host:2,S`."""
    start = _after_mark(raw)
    headers = None if extension in SUPPORTED else _HEADERS.match(raw, start, start + HEAD_BYTES)
    return "eml" if headers and _ROUTED.search(headers[0]) else None


def _after_mark(raw: bytes) -> int:
    """Return where bytes begin behind the byte order mark of UTF-8."""
    return 3 if raw.startswith(b"\xef\xbb\xbf") else 0


def _extension(name: str) -> str:
    at = name.rfind(".")  # os.path.splitext takes three times as long
    return name[at:].lower() if at > name.rfind("/") + 1 else ""
