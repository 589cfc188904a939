"""A form as browsers and programs send it (multipart/form-data): each field and each file, by its bytes.

Every byte is in one piece: between two lines of the boundary, before the first one, or behind the last one. No length
that a part claims is believed.

Source:
    RFC 7578; RFC 2046, section 5.1.1.
"""

from __future__ import annotations

import email
import re
from collections.abc import Callable, Iterator
from email.message import Message

from pmbf.base.errors import IncompleteError
from pmbf.extract.formats import FORM
from pmbf.extract.reading import Reading

BETWEEN = "\n\n"
MOST_HEADER_BYTES = 1 << 16
"""Of one part. Longer headers are read as text, and told: no server takes them."""

_HEADERS_END = re.compile(rb"\r?\n\r?\n")
_FIRST_LINE_END = re.compile(rb"[ \t]*\r?\n")
_PACKED = ("base64", "quoted-printable", "x-uuencode")


def read(raw: bytes, kind: str, reading: Reading) -> str:
    """Return the texts of all parts of a form."""
    first = FORM.match(raw)
    if not first:
        raise IncompleteError("no boundary at its beginning")
    return BETWEEN.join(filter(None, _texts(raw, first[1], reading)))


def _texts(raw: bytes, boundary: bytes, reading: Reading) -> Iterator[str]:
    """Yield the text of each piece of a body."""
    line = re.compile(rb"(?:\A|\r\n|\n)--" + re.escape(boundary) + rb"(--)?[ \t]*(?=\r?\n|\Z)")
    at, is_part = 0, False
    for found in line.finditer(raw):
        yield _piece(raw[at : found.start()], reading, is_part=is_part)
        at, is_part = found.end(), not found[1]
    if is_part:
        reading.problem("the last boundary is missing: cut short")
    yield _piece(raw[at:], reading, is_part=is_part)


def _piece(piece: bytes, reading: Reading, *, is_part: bool) -> str:
    """Return the text of a part with its headers, or of what stands around the parts."""
    if not piece.strip():
        return ""
    reading.spend_entries(1)
    if not is_part:
        return reading.embedded(piece, "around the parts")
    first_end = _FIRST_LINE_END.match(piece)
    piece = piece[first_end.end() :] if first_end else piece
    if piece.startswith((b"\n", b"\r\n")):
        return reading.embedded(piece, "a part without headers")
    end = _HEADERS_END.search(piece)
    if not end:
        reading.problem("a part whose headers do not end")
        return reading.embedded(piece, "part")
    return _part(piece[: end.start()], piece[end.end() :], reading)


def _part(head: bytes, content: bytes, reading: Reading) -> str:
    said = reading.part(head.decode("utf-8", "replace") + "\n", "headers") if reading.unseen else ""
    if len(head) > MOST_HEADER_BYTES:
        reading.problem(f"a part with {len(head)} bytes of headers, limit {MOST_HEADER_BYTES}")
        head = b""
    headers = email.message_from_string(head.decode("utf-8", "replace") + "\n\n")
    return said + _content(headers, content, _name(headers), reading)


def _content(headers: Message, content: bytes, name: str, reading: Reading) -> str:
    boundary = _sound(headers.get_boundary) if headers.get_content_maintype() == "multipart" else None
    if boundary:
        inner = reading.inside(name)
        texts = _texts(content, boundary.encode(), inner) if inner else iter(())
        return reading.part(BETWEEN.join(filter(None, texts)), name)
    texts = iter([reading.embedded(content, name)]) if content.strip() else iter(())
    if str(headers.get("Content-Transfer-Encoding", "")).strip().lower() in _PACKED:  # some servers unpack it
        headers.set_payload(content.decode("ascii", "surrogateescape"))
        unpacked = headers.get_payload(decode=True)
        if isinstance(unpacked, bytes) and unpacked.strip() != content.strip():
            texts = iter([*texts, reading.embedded(unpacked, name)])
    return BETWEEN.join(filter(None, texts))


def _name(headers: Message) -> str:
    """Return the name of a part's file, else of its field."""
    field = _sound(lambda: str(headers.get_param("name", "", header="content-disposition") or ""))
    return _sound(headers.get_filename) or field or "part"


def _sound(parameter: Callable[[], str | None]) -> str | None:
    """Return a parameter of a header; None if its encoding is unknown or a name with a zero byte."""
    try:
        return parameter()
    except (ValueError, LookupError):
        return None
