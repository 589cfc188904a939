"""Bytes and a name -> text. Whatever the bytes, the outcome is text, text with problems, or one of two errors.

    bytes ─ guess_kind ─┬─ plain text ── decode, here
                        └─ all others ── a child process with limits: frames ─► worker ─► one reader per kind

Plain text keeps its characters one for one. Everything else comes in reading order, a line for each paragraph.
`Extracted.problems` lists the parts that could not be read: a text with problems is incomplete, never clean.
"""

from __future__ import annotations

from pmbf.base.errors import IncompleteError, UnsupportedError
from pmbf.extract.encoding import decode
from pmbf.extract.kinds import (
    SUPPORTED,
    TEXT_KINDS,
    begin_plain,
    guess_kind,
    hidden_after,
    is_archive,
    looks_supported,
    named_kind,
)
from pmbf.extract.limits import Extracted, Limits, Part, over_text, part_at
from pmbf.extract.unread import is_container, is_encrypted, refusal

__all__ = [
    "SUPPORTED",
    "TEXT_KINDS",
    "Extracted",
    "Limits",
    "Part",
    "begin_plain",
    "extract",
    "guess_kind",
    "is_archive",
    "is_container",
    "is_encrypted",
    "looks_supported",
    "named_kind",
    "part_at",
    "refusal",
    "runs",
]


def extract(
    raw: bytes,
    name: str,
    limits: Limits | None = None,
    *,
    apart: bool = False,
    unseen: bool = False,
    kind: str | None = None,
) -> Extracted:
    """Return the text of a document.

    Args:
        raw: Its bytes.
        name: Its name, for its extension and for messages; need not be a path.
        limits: Bounds for reading it; None for the defaults.
        apart: Whether a child process decodes plain text, too: guessing an encoding takes a millisecond, during which
            other threads would wait.
        unseen: Whether text that a reader of the document does not see is read, too, as parts of their own: comments,
            attributes and scripts of HTML, all headers of a mail, properties and descriptions in office documents and
            PDF, comments of archives, runs of text in bytes that are no document.
        kind: Its kind, if `guess_kind` was asked before.

    Raises:
        UnsupportedError: It is no text document, or its kind needs an extra that is not installed.
        IncompleteError: It is broken, encrypted, over a limit, or its reader timed out or died.

    >>> extract("Прочь".encode("utf-16"), "note.txt").text
    '\\ufeffПрочь'
    """
    limits = limits or Limits()
    if len(raw) > limits.max_bytes:
        raise IncompleteError(f"{name}: {len(raw)} bytes, limit {limits.max_bytes}; split it or raise max_bytes")
    kind = kind or guess_kind(raw, name)
    if kind is None:
        raise UnsupportedError(refusal(raw, name))
    try:
        if kind in TEXT_KINDS and not apart:
            return _plain(raw, kind, limits)
        from pmbf.extract.pool import read_apart

        return read_apart(raw, kind, limits, unseen=unseen) if raw else Extracted("", kind)
    except UnsupportedError as error:
        raise UnsupportedError(f"{name}: {error}", missing_extra=error.missing_extra) from None
    except IncompleteError as error:
        raise IncompleteError(f"{name}: {error}") from None


def runs(raw: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text in bytes that are no document, and its problems: see `pmbf.extract.strings`."""
    from pmbf.extract.strings import text_of

    return text_of(raw)


def _plain(raw: bytes, kind: str, limits: Limits) -> Extracted:
    text, encoding, problems = decode(raw)
    if len(text) * 4 > limits.max_text_bytes and len(text.encode("utf-8", "replace")) > limits.max_text_bytes:
        raise IncompleteError(over_text(limits))
    return Extracted(text, kind, encoding, problems + hidden_after(raw, kind))
