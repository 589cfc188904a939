r"""Where in a document a character stands, as a person counts: page, line, paragraph.

What can be counted in an extracted text depends on the format that the text was read from:

    plain text, Markdown, a text without a file   lines
    PDF                                           pages, and lines of the extracted page
    PowerPoint                                    slides, as pages
    Word, OpenDocument text, RTF, HTML            paragraphs, blank ones left out
    all others                                    nothing

>>> Places("one\ntwo\nthree", "txt").at(4)
Place(page=None, line=2, paragraph=None)
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

PAGE_END = "\f"
"""Stands behind each page or slide of an extracted text, and nowhere else in it."""

WITH_LINES = frozenset({"", "text", "txt", "md"})
WITH_PAGES = frozenset({"pdf", "pptx"})
WITH_PARAGRAPHS = frozenset({"docx", "odt", "rtf", "html"})

_LINE_END = re.compile("\r\n|\r|\n")
_PARAGRAPH_END = re.compile(r"\S[^\n]*(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a passage begins; the first page, line or paragraph is 1.

    Args:
        page: Of a PDF, or the slide of a PowerPoint; None where the format has no pages.
        line: Of the text; of a PDF, of the page. None where the format has no lines.
        paragraph: Of a Word, OpenDocument, RTF or HTML text; None elsewhere.
    """

    page: int | None = None
    line: int | None = None
    paragraph: int | None = None

    def __bool__(self) -> bool:
        return self != NOWHERE

    def __str__(self) -> str:
        told = (("page", self.page), ("line", self.line), ("paragraph", self.paragraph))
        return ", ".join(f"{what} {number:,}" for what, number in told if number)


NOWHERE = Place()


def without_page_ends(text: str) -> str:
    """Return a text that stands on one page, or on none; offsets stay the same."""
    return text.replace(PAGE_END, " ")


class Places:
    """The places of a text. Making it costs one search through the text, each place a binary search."""

    def __init__(self, text: str, kind: str) -> None:
        self._page_ends = [one.end() for one in re.finditer(PAGE_END, text)] if kind in WITH_PAGES else None
        has_lines = kind in WITH_LINES or kind == "pdf"
        self._line_ends = [one.end() for one in _LINE_END.finditer(text)] if has_lines else None
        has_paragraphs = kind in WITH_PARAGRAPHS
        self._paragraph_ends = [one.end() for one in _PARAGRAPH_END.finditer(text)] if has_paragraphs else None

    def at(self, offset: int) -> Place:
        """Return the place of a character."""
        if self._page_ends is not None:
            return self._on_page(offset, self._page_ends)
        if self._line_ends is not None:
            return Place(line=bisect_right(self._line_ends, offset) + 1)
        if self._paragraph_ends is not None:
            return Place(paragraph=bisect_right(self._paragraph_ends, offset) + 1)
        return NOWHERE

    def _on_page(self, offset: int, ends: list[int]) -> Place:
        """Return page and line; what stands behind the last page (attached files, notes) is on none."""
        number = bisect_right(ends, offset)
        if number == len(ends):
            return NOWHERE
        if self._line_ends is None:
            return Place(page=number + 1)
        begin = ends[number - 1] if number else 0
        before = bisect_left(self._line_ends, begin + 1)
        return Place(page=number + 1, line=bisect_right(self._line_ends, offset) - before + 1)
