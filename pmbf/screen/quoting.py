"""Quotations between marks: which marks open, which close, and where a paragraph ends.

    “…”  „…“  „…”  ”…”  «…»  « … »  »…«  »…»  ‹…›  ›…‹  "…"  ‘…’  ’…’  '…'  「…」  『…』  〝…〞

The same mark opens in one country and closes in the next, is an apostrophe or a sign for inches. So a mark that may do
both opens if a blank or a bracket is before it and a letter behind it, and closes if no blank is before it and no
letter behind it. Which way « and » point, the whole text decides; which way 「 and 」 stand, their order in the
paragraph. A quotation ends in its paragraph: a mark that is missing makes no quotation of the text up to the next one.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pmbf.base.span import Span

MOST_SINGLE = 400
"""Characters of the longest quotation between single marks. In most texts they are apostrophes, too."""

LEAST_SINGLE_WORDS = 4
"""Words of the shortest quotation between single marks. With fewer, one of the marks may be an apostrophe."""

SHORT_LINE, USUAL_PART = 0.75, 0.9
"""A line ends a paragraph if it ends a sentence and has less than 0.75 of the length that 9 in 10 lines do not exceed:
text of a PDF has no blank lines."""

LONG_LINES = 200
"""If a tenth of the lines have more characters, then lines are not wrapped: each of them is a paragraph."""

_NONE_BEFORE = r"[^\s(\[{<—–\-/=|«»‹›“„‘'\"]"
"""What may not stand before a mark that opens."""

_LETTER_BEHIND = r"(?=[(\[¿¡…$€£.—–\-«»‹›“„‘'\"]{0,4}\w)"
_NO_QUOTATION = (
    r"(?!(?:tis|twas|twere|twill|twould|em|er|n|cause|cos|til|till|bout|round|neath|[sdtm]|ll|re|ve)\b)(?!\d)"
)
"""Words that begin with an apostrophe, and years."""

_ENDS = r"[，。、；：？！,.;:?!]"
"""What does not stand behind a mark that opens."""

_SENTENCE_END = re.compile(r"[.!?…]['’\"”)\]]*\Z")
_LAST = frozenset(".!?…'’\"”)]")
_NEW_SENTENCE = re.compile(r"[.!?…]\s+[^\W\d_a-zß-öø-ÿ]")
_STRONG_BEFORE = frozenset(".,!?…;:—–-)")
_GOES_ON = re.compile(r"\s+[a-zß-öø-ÿ]")
_NOT_BLANK = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class _Marks:
    """A pair of marks.

    Marks that are `is_single` may be apostrophes. Around marks that are `is_bare` stand no blanks, so that their order
    alone tells which way they stand.
    """

    opening: re.Pattern[str]
    closing: tuple[re.Pattern[str], ...]
    either: str
    is_single: bool = False
    is_bare: bool = False

    def found(self, text: str, ends: Sequence[int], most: int) -> Iterator[Span]:
        """Yield the spans between marks, of at most `most` characters, ascending; paragraphs end at `ends`."""
        opened = -1
        for at, opens, closes in self._places(text, ends):
            if opened >= 0 and (stop := _end(ends, opened)) <= at:
                if self._goes_on(text, opened, stop, ends) and stop - opened <= most:
                    yield Span(opened, stop)
                opened = -1
            if opens:
                opened = at
            elif opened >= 0 and closes:
                if 1 < at - opened <= most and not (self.is_single and not _is_clause(text, opened, at)):
                    yield Span(opened, at + 1)
                    opened = -1
                elif not self.is_single:
                    opened = -1

    def _places(self, text: str, ends: Sequence[int]) -> list[tuple[int, bool, bool]]:
        """Return where marks open and where they close, and the text's last mark; nothing if none opens.

        Bare marks of a paragraph in which they stand the wrong way round are left out.
        """
        opening = {mark.start() for mark in self.opening.finditer(text)}
        if not opening:
            return []
        closing = {mark.start() for one in self.closing for mark in one.finditer(text)}
        places = sorted({*opening, *closing, max(map(text.rfind, self.either))})
        if self.is_bare:
            every = (mark.start() for mark in re.finditer(f"[{self.either}]", text))
            each = [list(some) for _, some in itertools.groupby(every, lambda at: bisect_left(ends, at + 1))]
            places = [at for some in each if not (some[0] in closing and some[-1] in opening) for at in some]
        return [(at, at in opening, at in closing) for at in places]

    def _goes_on(self, text: str, opened: int, stop: int, ends: Sequence[int]) -> bool:
        """Return whether a quotation goes on in the next paragraph, which begins with a mark that opens, too."""
        if self.is_single or text[_begin(ends, opened) : opened].strip():
            return False
        following = _NOT_BLANK.search(text, stop)
        return bool(following and self.opening.match(text, following.start()))


def between_marks(text: str, most: int) -> list[Span]:
    """Return the quotations between marks, of `most` characters, the marks included, in any order.

    >>> text = "»Nein«, sagte er, und das 12\\" lange Rohr fiel. »Ja«, sagte sie."
    >>> [text[span.start : span.stop] for span in between_marks(text, 4000)]
    ['»Nein«', '»Ja«']
    """
    pairs = [one for one in _PAIRS if one.either[0] in text]
    if "“" in text:
        pairs.append(_HIGH_BESIDE_LOW if "„" in text else _HIGH)
    if text.count("”") > text.count("“") + text.count("„"):
        pairs.append(_ALIKE)
    for left, right in ("«»", "‹›"):
        if right in text:
            pairs.append(_angled(text, left, right))
    if not pairs:
        return []
    ends = paragraph_ends(text)
    return [span for one in pairs for span in one.found(text, ends, MOST_SINGLE if one.is_single else most)]


def _pair(opening: str, *closing: str, either: str, is_single: bool = False, is_bare: bool = False) -> _Marks:
    """Return a pair. Each closing mark is a pattern: a choice of marks in one pattern takes four times as long."""
    return _Marks(re.compile(opening), tuple(map(re.compile, closing)), either, is_single, is_bare)


def _opens(mark: str) -> str:
    return f"{mark}(?<!{_NONE_BEFORE}{mark}){_LETTER_BEHIND}"


def _closes(mark: str) -> str:
    return rf"{mark}(?<![\s(\[{{]{mark})(?!\w)"


def _both(mark: str, *, is_single: bool = False) -> _Marks:
    """Return a pair of equal marks."""
    unlike = rf"(?<!\w{mark}{mark}){_NO_QUOTATION}" if is_single else ""  # two of them that close, too
    return _pair(_opens(mark) + unlike, _closes(mark), either=mark, is_single=is_single)


_PAIRS = [
    _both('"'),
    _both("'", is_single=True),
    _both("’", is_single=True),
    _pair(_opens("‘"), _closes("’"), either="‘’", is_single=True),
    *(
        _pair(rf"{left}(?!{_ENDS})", right, either=left + right, is_bare=True)
        for left, right in ("「」", "『』", "〝〞")
    ),
    _pair(r"„(?<![\w.,!?;:…]„)", "“", "”", either="„“”"),
]

_HIGH, _HIGH_BESIDE_LOW = _pair(rf"“(?!\s|{_ENDS})", "”", either="“”"), _pair(_opens("“"), "”", either="“”")
"""In a text with „ the mark “ closes, unless it stands as one that opens."""
_ALIKE = _both("”")


def _angled(text: str, left: str, right: str) -> _Marks:
    """Return how a text uses « and », ‹ and ›: which of them opens more often after a blank and before a letter, or
    else comes first."""
    n_left = len(re.findall(rf"{left}(?<!{_NONE_BEFORE}{left})\s?(?=[\w¿¡…—–-])", text))
    n_right = len(re.findall(rf"{right}(?<!{_NONE_BEFORE}{right})(?=\w)", text))
    if n_left > n_right or (n_left == n_right and 0 <= text.find(left) < text.index(right)):
        return _pair(left, right, either=left + right)
    if 4 * text.count(left) < text.count(right):
        return _both(right)
    return _pair(rf"{right}(?!\s)", left, either=right + left)


def _is_clause(text: str, opened: int, at: int) -> bool:
    """Return whether text between single marks is a quotation: four words, and no plural's apostrophe closes it.

    If no comma or full stop stands before the closing mark, then at most one sentence is between the marks.
    """
    inside = text[opened + 1 : at]
    if len(inside.split()) < LEAST_SINGLE_WORDS:
        return False
    if text[at - 1] in _STRONG_BEFORE:
        return True
    is_plural = text[at - 1] in "sxz" and bool(_GOES_ON.match(text, at + 1))
    return not is_plural and not _NEW_SENTENCE.search(inside)


def paragraph_ends(text: str) -> list[int]:
    """Return where the paragraphs of a text end, ascending: at blank lines, pages, and short lines that end a sentence.

    >>> paragraph_ends("One.\\n\\nA line that is long,\\nand its end.\\nA line that is long too")
    [5, 40, 63]
    """
    lines = text.splitlines(keepends=True)
    bare = [*map(str.rstrip, lines)]
    lengths = [*map(len, bare)]
    ordered = sorted(filter(None, lengths))
    usual = ordered[int(USUAL_PART * (len(ordered) - 1))] if ordered else 0
    short = SHORT_LINE * usual
    stops, following = itertools.accumulate(map(len, lines)), itertools.islice([*bare, ""], 1, None)
    return [
        stop
        for stop, line, n_chars, after, whole in zip(stops, bare, lengths, following, lines, strict=True)
        if line
        and (
            (not after or usual > LONG_LINES or whole[-1] == "\f")
            or (n_chars < short and line[-1] in _LAST and _SENTENCE_END.search(line[-8:]))
        )
    ]


def _end(ends: Sequence[int], at: int) -> int:
    """Return where the paragraph of a character ends."""
    number = bisect_left(ends, at + 1)
    return ends[number] if number < len(ends) else 2**62


def _begin(ends: Sequence[int], at: int) -> int:
    number = bisect_left(ends, at + 1)
    return ends[number - 1] if number else 0
