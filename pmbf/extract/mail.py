"""Mail: the subject, every text part, and every attachment by its kind. Parsed by the standard library's `email`."""

from __future__ import annotations

import email
import re
from collections.abc import Callable, Iterator
from email.errors import HeaderParseError, MessageDefect
from email.header import decode_header, make_header
from email.message import Message

from pmbf.extract import html, plain
from pmbf.extract.encoding import read_otherwise
from pmbf.extract.kinds import TEXT_KINDS, guess_kind, hidden_after
from pmbf.extract.reading import Reading

HARMLESS_DEFECTS = frozenset({"MissingHeaderBodySeparatorDefect", "FirstHeaderLineIsContinuationDefect"})
"""With these defects the parser takes the headers for body text, so nothing is lost."""
SIGNATURES = frozenset({"application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature"})
NAMES = {"text/html": ".html", "application/xhtml+xml": ".html", "text/markdown": ".md", "message/rfc822": ".eml"}

_MBOX_SEPARATOR = re.compile(rb"^From [^\n]*\n(?=[A-Za-z][A-Za-z0-9-]*:|>From )", re.M)


def read(raw: bytes, kind: str, reading: Reading) -> str:
    """Return the text of a message, or of all messages of an mbox."""
    if kind == "eml":
        return "\n".join(_message(email.message_from_bytes(raw), reading))
    texts: list[str] = []
    for number, one in enumerate(filter(bytes.strip, _MBOX_SEPARATOR.split(raw)), 1):
        reading.spend_entries(1)
        name = f"message {number}"
        if inner := reading.inside(name):
            texts.append(reading.part("\n".join(_message(email.message_from_bytes(one), inner)), name))
    return "\n".join(texts)


def _message(message: Message, reading: Reading) -> Iterator[str]:
    if subject := _decoded(message.get("Subject", "")):
        yield subject + "\n"
    yield from _part(message, reading)


def _fields(part: Message) -> str:
    return "".join(f"{_decoded(value)}\n" for value in map(str, part.values()))


def _decoded(written: str) -> str:
    """Return a header's value, its encoded words decoded."""
    try:
        return str(make_header(decode_header(written)))
    except (HeaderParseError, LookupError, UnicodeError, ValueError):
        return str(written)


def _part(part: Message, reading: Reading) -> Iterator[str]:
    reading.spend_entries(1)
    if reading.unseen:
        yield reading.part(_fields(part), "headers")
    if not part.is_multipart():
        yield _leaf(part, reading)
    elif part.get_content_type() == "message/delivery-status":  # blocks of fields, parsed as messages without a body
        yield from map(_fields, part.get_payload())
    elif part.get_content_type() == "message/rfc822":
        if inner := reading.inside(name := "attached message"):
            for message in part.get_payload():
                yield reading.part("\n".join(_message(message, inner)), name)  # type: ignore[arg-type]
    else:
        yield _around(part.preamble, reading)
        for child in part.get_payload():
            yield from _part(child, reading)  # type: ignore[arg-type]
        yield _around(part.epilogue, reading)
    for defect in part.defects:
        _note(defect, reading)


def _around(text: str | None, reading: Reading) -> str:
    """Return the text before the first part or behind the last one, whatever its bytes are."""
    raw = (text or "").encode("ascii", "surrogateescape")
    if not raw.strip():
        return ""
    kind = guess_kind(raw, "")
    if kind not in TEXT_KINDS:
        return reading.embedded(raw, "around the parts")
    return _plain(raw, None, reading)


def _leaf(part: Message, reading: Reading) -> str:
    beneath = reading.part(_not_packed(part), "body") if reading.unseen else ""
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes) or not payload.strip():
        return beneath
    return _content(part, payload, reading) + beneath


def _not_packed(part: Message) -> str:
    """Return the lines of a part in base64 that are no base64: a decoder makes noise of words, or leaves them out."""
    if str(part.get("Content-Transfer-Encoding", "")).strip().lower() != "base64":
        return ""
    lines = str(part.get_payload()).splitlines()
    return "".join(f"{line}\n" for line in lines if " " in line.strip())


def _content(part: Message, payload: bytes, reading: Reading) -> str:
    content_type = part.get_content_type()
    filename = _if_sound(part.get_filename)
    name = filename or "part" + NAMES.get(content_type, "")
    kind = guess_kind(payload, name)
    if kind == "html" or (kind in TEXT_KINDS and content_type == "text/html"):
        for what in hidden_after(payload, "html"):
            reading.problem(what)
        text = html.read(payload, "html", reading, charset=_if_sound(part.get_content_charset))
    elif kind in TEXT_KINDS:
        text = _plain(payload, _if_sound(part.get_content_charset), reading)
    else:
        return "" if kind is None and content_type in SIGNATURES else reading.embedded(payload, name)
    return reading.part(text, filename) if filename else text


def _if_sound(parameter: Callable[[], str | None]) -> str | None:
    """Return a parameter of a header; None if its encoding is a name with a zero byte."""
    try:
        return parameter()
    except ValueError:
        return None


def _plain(payload: bytes, charset: str | None, reading: Reading) -> str:
    text = plain.read(payload, "txt", reading, charset=charset)
    for what in hidden_after(payload, "txt"):
        reading.problem(what)
    if reading.unseen and (otherwise := read_otherwise(payload, text)):
        reading.spend_text(len(otherwise))
        text += reading.part(f"\n{otherwise}", "read as UTF-8")
    return text


def _note(defect: MessageDefect, reading: Reading) -> None:
    kind = type(defect).__name__
    if kind not in HARMLESS_DEFECTS:
        reading.problem(f"a malformed part: {re.sub('(?<!^)(?=[A-Z])', ' ', kind.removesuffix('Defect')).lower()}")
