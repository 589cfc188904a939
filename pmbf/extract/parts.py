"""Which document inside a document a stretch of text comes from.

While a document is read, the text of each document inside it stands between two marks. The marks hold a random number,
so no document can forge them. When everything is read, the marks are taken out, and their places are kept.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

BETWEEN = "!/"
"""Between the names of documents inside each other: `report.zip!/inner.docx`."""

MOST_PATH_CHARS = 40_000
"""The most characters of all paths together: one header takes them to the other process. Documents beyond that have no
name."""


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


class PartMarks:
    """The marks of one document that is being read."""

    def __init__(self) -> None:
        self._secret = secrets.token_hex(16)
        self._paths: list[str] = []
        self._n_chars = 0

    def around(self, text: str, path: str) -> str:
        """Return the text of a document inside, between its marks; without marks if the text is blank."""
        if not text.strip() or self._n_chars + len(path) > MOST_PATH_CHARS:
            return text
        self._n_chars += len(path)
        self._paths.append(path)
        return f"\ufdd0{self._secret}+{len(self._paths) - 1}\ufdd1{text}\ufdd0{self._secret}-\ufdd1"

    def taken_out(self, text: str) -> tuple[str, tuple[Part, ...]]:
        """Return a text without the marks, and the parts that they marked, by their start, outer ones first."""
        if not self._paths:
            return text, ()
        pieces, n_chars = list[str](), 0
        found: list[Part] = []
        open_: list[int] = []
        for number, piece in enumerate(re.split(f"\ufdd0{self._secret}([-+]\\d*)\ufdd1", text)):
            if number % 2 == 0:
                pieces.append(piece)
                n_chars += len(piece)
            elif piece.startswith("+"):
                open_.append(len(found))
                found.append(Part(n_chars, n_chars, self._paths[int(piece)]))
            else:
                at = open_.pop()
                found[at] = Part(found[at].start, n_chars, found[at].path)
        return "".join(pieces), tuple(found)
