"""Patterns of a template: lines that are compared as a whole, and regular expressions.

A line is compared without its number, its marks and its case: `## 2.1 Method:` is the line `method`. A `*` in a
pattern stands for any letters. Regular expressions come from users. So RE2 searches for them, line by line; Python's
`re` needs years for some texts. RE2 takes a time that grows with the text for the first place that fits, but with its
square for all places: `x(.*z)?` looks for the z from each x. Of a piece of a line at most `MOST_PLACES` places count,
so each character is looked at some 20 times at most.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from pmbf.base import expressions
from pmbf.base.errors import ParameterError
from pmbf.base.span import Span

LONGEST_LINE = 200
"""Characters of the longest line that is compared with a pattern: a longer one is a paragraph."""

LONGEST_SEARCHED = 1000
"""Characters of a line that an expression is searched in at a time. A longer line, as in a PDF whose paragraphs are one
line each, is cut at spaces. So a heading has at most as many characters."""

MOST_PLACES = 20
"""Places of a piece that an expression fits, the first ones: what fits more often is no heading."""

_NUMBER = re.compile(
    r"(?:\d+(?:\.\d+)*(?:[.)]|(?=\s))|[ivxlc]+[.)]|[a-z][.)]|§+\s*\d+[a-z]?\.?|第[\d一二三四五六七八九十百]+[章节節部条條]"
    r"|[一二三四五六七八九十]+[、．.])\s*(?=\S)"
)
_MARKS, _ENDS = " \t\r\ufeff#_=>", " \t\r#_=:.：。"


@dataclass(frozen=True, slots=True)
class Pattern:
    """How a section begins or ends: a line, or a regular expression in RE2's syntax."""

    text: str
    is_expression: bool = False

    @property
    def is_searched(self) -> bool:
        """Whether the pattern is searched in the whole text, not looked up among its lines."""
        return self.is_expression or "*" in plain_pattern(self.text)

    def spans(self, text: str, lines: Lines) -> Iterator[Span]:
        """Yield where the pattern stands in a text, ascending."""
        if self.is_expression:
            return _expression_spans(compiled(self.text), text)
        return iter(lines.like(self.text))


class Lines:
    """The lines of a text that may be headings."""

    def __init__(self, text: str) -> None:
        self._spans: dict[str, list[Span]] = {}
        start = 0
        for line in text.split("\n"):
            if len(line) <= LONGEST_LINE and (plain := plain_line(line)):
                first = start + len(line) - len(line.lstrip())
                self._spans.setdefault(plain, []).append(Span(first, start + len(line)))
            start += len(line) + 1

    def like(self, pattern: str) -> Sequence[Span]:
        """Return the lines that a pattern of lines fits, ascending, without white space before them.

        >>> Lines("Plan\\n\\n2. Plan of work\\n\\n## PLAN:").like("plan")
        [Span(start=0, stop=4), Span(start=23, stop=31)]
        """
        wanted = plain_pattern(pattern)
        if "*" not in wanted:
            return self._spans.get(wanted, ())
        pieces = wanted.split("*")
        return sorted(span for plain, spans in self._spans.items() if _fits(plain, pieces) for span in spans)


def plain_line(line: str) -> str:
    """Return a line as it is compared: composed, in lower case, without its number and without marks around it.

    >>> [plain_line(line) for line in ("## 2.1  The Method:", "§ 4 Haftung", "IV. Results", "第三章 方法")]
    ['the method', 'haftung', 'results', '方法']
    """
    return _plain(line, _MARKS + "*", _ENDS + "*")


def plain_pattern(pattern: str) -> str:
    """Return a pattern of lines as it is compared: as `plain_line`, but a `*` stays.

    >>> plain_pattern("2. Chapter *"), plain_pattern("**")
    ('chapter *', '**')
    """
    return _plain(pattern, _MARKS, _ENDS)


def _plain(line: str, marks: str, ends: str) -> str:
    composed = unicodedata.normalize("NFC", line).casefold()
    plain = " ".join(composed.lstrip(marks).rstrip(ends).split())
    number = _NUMBER.match(plain)
    return plain[number.end() :].lstrip(marks) if number else plain


def _fits(line: str, pieces: Sequence[str]) -> bool:
    """Return whether a line is some pieces with any letters between them, in a time that grows with both.

    >>> _fits("part 3 tides", ["part ", " tides"]), _fits("part", ["part ", ""]), _fits("a tide", ["", "tide"])
    (True, False, True)
    """
    first, *middle, last = pieces
    if not (line.startswith(first) and line.endswith(last) and len(line) >= len(first) + len(last)):
        return False
    at, stop = len(first), len(line) - len(last)
    for piece in middle:
        found = line.find(piece, at, stop)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _expression_spans(expression: Any, text: str) -> Iterator[Span]:
    """Yield where an expression stands in the lines of a text, ascending."""
    if not expression.search(text):  # one walk over the text: most expressions of a template fit nowhere
        return
    for start, piece, has_before, has_after in _pieces(text):
        for found in islice(expression.finditer(piece), MOST_PLACES):
            at_cut = (has_before and not found.start()) or (has_after and found.end() == len(piece))
            if found.end() > found.start() and not at_cut:
                yield Span(start + found.start(), start + found.end())


def _pieces(text: str) -> Iterator[tuple[int, str, bool, bool]]:
    """Yield the lines of a text, long ones in pieces: the start, the piece, whether more is before, and after it.

    A piece with more before it begins with the last character of that, so that `^` does not fit inside a line.

    >>> [(start, len(piece), before, after) for start, piece, before, after in _pieces("a" * 1001 + "\\nb")]
    [(0, 1000, False, True), (999, 2, True, False), (1002, 1, False, False)]
    """
    start = 0
    for line in text.split("\n"):
        at = 0
        while len(line) - at > LONGEST_SEARCHED:
            stop = line.rfind(" ", at + 1, at + LONGEST_SEARCHED) + 1 or at + LONGEST_SEARCHED
            first = max(at - 1, 0)
            yield start + first, line[first:stop], at > 0, True
            at = stop
        first = max(at - 1, 0)
        yield start + first, line[first:], at > 0, False
        start += len(line) + 1


@lru_cache(maxsize=1024)
def compiled(expression: str) -> Any:
    """Return a regular expression as RE2 has compiled it; `^` and `$` are the ends of lines, case does not count.

    Raises:
        UnsupportedError: RE2 is not installed.
        ParameterError: RE2 does not take the expression, or it fits a text without letters.
    """
    found = expressions.compiled(expression, "im", instead="write the heading as a line, with * for any letters")
    if found.search(""):
        raise ParameterError(f"{expression!r:.200} fits an empty text, so it would fit everywhere")
    return found
