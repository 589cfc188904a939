"""The bounds for reading a document (`Limits`), and the result: its text, and which part of it comes from where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from pmbf.base.errors import ParameterError

MIB = 1 << 20
MOST_TIMEOUT_S = 86_400
"""A day; a thread's clock takes hardly more."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds for reading one document, with everything inside it. Beyond a bound is `IncompleteError`, never a cut.

    Args:
        max_bytes: Bytes of the file.
        max_text_bytes: Bytes of its text, as UTF-8. 0: 256 MiB, or `max_bytes` if that is more.
        max_ratio: Expanded bytes for each packed byte of a member; members under 1 MiB may be denser.
        max_expanded_bytes: Bytes expanded from all members together.
        max_entries: Members of an archive, or parts of a mail, with those of all archives and mails inside.
        max_pages: Pages of a PDF.
        max_depth: How deep documents may be inside documents: attachments, embedded files.
        timeout_s: Wall-clock seconds.
        memory_bytes: Memory the reading process may take for one document.
        ocr: Languages in which scanned pages of a PDF are read by tesseract, such as "eng+deu". Empty: not read.

    Raises:
        ParameterError: A limit is not above zero, but for `max_text_bytes`, or `timeout_s` is more than a day. Or `ocr`
            has no names of languages.

    >>> Limits(timeout_s=5).max_depth
    5
    """

    max_bytes: int = 256 * MIB
    max_text_bytes: int = 0
    max_ratio: int = 200
    max_expanded_bytes: int = 1024 * MIB
    max_entries: int = 10_000
    max_pages: int = 20_000
    max_depth: int = 5
    timeout_s: float = 60.0
    memory_bytes: int = 2048 * MIB
    ocr: str = ""

    def __post_init__(self) -> None:
        if not self.max_text_bytes:
            object.__setattr__(self, "max_text_bytes", max(256 * MIB, self.max_bytes))
        require_above_zero(self)
        if self.ocr:
            from pmbf.extract.recognition import require_names

            require_names(self.ocr)
        if self.timeout_s > MOST_TIMEOUT_S:
            raise ParameterError(f"timeout_s is {self.timeout_s}, expected a day ({MOST_TIMEOUT_S} s) at most")


def require_above_zero(limits: Any) -> None:
    """Refuse a dataclass of limits if a limit is not above 0. Raises `ParameterError`."""
    for field in fields(limits):
        if field.type != "str" and not getattr(limits, field.name) > 0:
            raise ParameterError(f"{field.name} is {getattr(limits, field.name)}, expected a number above 0")


def over_text(limits: Limits) -> str:
    """Return the message for a document with too much text."""
    return f"more than {limits.max_text_bytes} bytes of text; split it or raise max_bytes"


@dataclass(frozen=True, slots=True)
class Part:
    """A document inside a document: a member, an attachment, an embedded file.

    Args:
        start, stop: The span of its text in the whole text, in code points.
        path: The names of the documents around it, without the outermost, and its own name.
    """

    start: int
    stop: int
    path: str


def part_at(parts: Sequence[Part], start: int, stop: int) -> Part | None:
    """Return the innermost document inside that holds most of a stretch of text; None if none does.

    >>> parts = (Part(0, 90, "a.zip"), Part(10, 50, "a.zip!/b.txt"), Part(50, 90, "a.zip!/c.txt"))
    >>> part_at(parts, 20, 30).path, part_at(parts, 40, 60).path, part_at(parts, 90, 95)
    ('a.zip!/b.txt', 'a.zip', None)
    """
    inside = [(min(stop, one.stop) - max(start, one.start), one.start - one.stop, n) for n, one in enumerate(parts)]
    n_shared, _, number = max(inside, default=(0, 0, 0))
    return parts[number] if 2 * n_shared > stop - start else None


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of one document.

    Args:
        text: All text, in reading order. Of plain text: the characters one for one, a leading U+FEFF included.
        kind: Its kind, one of `SUPPORTED`'s values: "txt", "html", "pdf", ...
        encoding: The encoding of plain text, None for the other kinds.
        problems: Which parts could not be read, and why. Empty means complete.
        notes: Members that were left out and are no gap: links and devices in an archive.
        parts: The spans of the texts of documents inside, by their start, outer ones first.
    """

    text: str
    kind: str
    encoding: str | None = None
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether everything was read."""
        return not self.problems
