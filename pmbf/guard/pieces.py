"""Long texts are compared piece by piece: memory and time grow with the piece, not with the square of the text.

    text ─ windows ─► pieces, each with what stands around it ─► checker ─► reports ─ joined ─► one report of the text

A piece is cut at a blank. It is compared together with `AROUND` characters before and behind it, so that a passage
across a cut is found from both sides; both are one passage of the joined report. A text within `PIECE_CHARS` is one
piece, and its report is untouched. Of a long text only the asked slices are decoded.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import NamedTuple, Protocol

import numpy as np

from pmbf.base.span import meets
from pmbf.guard.checker import Checker
from pmbf.intake.texts import Text
from pmbf.report import Match, Passage, Report, Span

PIECE_CHARS = 2 << 20
AROUND = 1 << 14
"""Characters that both of two neighbours have on either side of their cut: some 2,500 words."""
SHORT_BYTES = 1 << 18
"""Of a text that is decoded as a whole: its slices are asked for often."""

_BLOCK_BYTES = 1 << 16


class Sliced(Protocol):
    """What a `str` and an `Encoded` have in common. Places are code points."""

    def __len__(self) -> int:
        """Return the number of characters."""

    def __getitem__(self, span: slice, /) -> str:
        """Return the characters of a slice."""

    def count(self, char: str, start: int, stop: int, /) -> int:
        """Return how often a character stands between two places."""


class Encoded:
    """A text by its UTF-8. A slice costs what it decodes, and a look at 128 KiB.

    Args:
        encoded: The text in UTF-8.

    >>> text = Encoded("Ödön, 😀 and so\\non".encode())
    >>> len(text), text[6:11], text.count("\\n", 0, 17)
    (17, '😀 and', 1)
    """

    def __init__(self, encoded: bytes) -> None:
        self._encoded = encoded
        starts = range(0, len(encoded), _BLOCK_BYTES)
        self._before = np.array([*accumulate((len(self._begins(at)) for at in starts), initial=0)], np.int64)

    def __len__(self) -> int:
        return int(self._before[-1])

    def __getitem__(self, span: slice, /) -> str:
        start, stop, _ = span.indices(len(self))
        return self._encoded[self._place(start) : self._place(max(start, stop))].decode()

    def count(self, char: str, start: int, stop: int, /) -> int:
        """Return how often a character stands between two places."""
        return self._encoded.count(char.encode(), self._place(start), self._place(stop))

    def _begins(self, at: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """Return which bytes of a block begin a character."""
        block = np.frombuffer(self._encoded[at : at + _BLOCK_BYTES], np.uint8)
        return np.flatnonzero(block & 0xC0 != 0x80)

    def _place(self, char: int) -> int:
        """Return the byte with which a character begins; the end if the text ends before it."""
        if char >= len(self):
            return len(self._encoded)
        block = int(np.searchsorted(self._before, char, "right")) - 1
        first, number = block * _BLOCK_BYTES, char - int(self._before[block])
        is_ascii = self._before[block + 1] - self._before[block] == _BLOCK_BYTES
        return first + (number if is_ascii else int(self._begins(first)[number]))


def sliced(text: Text) -> Sliced:
    """Return a text to slice. A long one is not decoded as a whole: a `str` can take four times its memory."""
    if isinstance(text.content, str):
        return text.content
    return text.content.decode() if len(text.content) <= SHORT_BYTES else Encoded(text.content)


class Piece(NamedTuple):
    """A piece of a text."""

    own: Span
    """The spans of all pieces follow one another."""
    seen: Span
    """What is compared: the piece with what stands around it."""


def windows(text: Sliced) -> list[Piece]:
    """Return the pieces of a text; one if the text is short."""
    if len(text) <= PIECE_CHARS:
        return [Piece(Span(0, len(text)), Span(0, len(text)))]
    cuts = [0]
    while len(text) - cuts[-1] > PIECE_CHARS:
        cuts.append(_blank_before(text, cuts[-1] + PIECE_CHARS // 2, cuts[-1] + PIECE_CHARS))
    cuts.append(len(text))
    return [
        Piece(
            Span(start, stop),
            Span(
                _blank_before(text, max(0, start - 2 * AROUND), start - AROUND) if start > AROUND else 0,
                _blank_before(text, stop + AROUND, stop + 2 * AROUND) if stop + 2 * AROUND < len(text) else len(text),
            ),
        )
        for start, stop in pairwise(cuts)
    ]


def _blank_before(text: Sliced, least: int, most: int) -> int:
    """Return the place behind the last blank between two places; the second place if there is none."""
    between = text[least:most]
    behind = max(between.rfind("\n"), between.rfind(" ")) + 1
    return least + behind if behind else most


@dataclass(slots=True)
class _Waiting:
    """A text that is compared piece by piece: where its pieces begin, and the reports that have come."""

    starts: Sequence[int]
    reports: list[Report] = field(default_factory=list)


def compared(checker: Checker, texts: Iterable[Text]) -> Iterator[Report]:
    """Yield the report on each text, in order; long texts are compared piece by piece."""
    waiting: deque[_Waiting] = deque()
    for report in checker.check(_pieces(texts, waiting)):
        one = waiting[0]
        if len(one.starts) == 1:
            waiting.popleft()
            yield report
            continue
        one.reports.append(replace(report, texts=None))  # the piece itself is not kept
        if len(one.reports) == len(one.starts):
            waiting.popleft()
            yield joined(one.starts, one.reports)


def _pieces(texts: Iterable[Text], waiting: deque[_Waiting]) -> Iterator[Text]:
    for text in texts:
        if text.size <= PIECE_CHARS:
            waiting.append(_Waiting((0,)))
            yield text
            continue
        whole = sliced(text)
        cut = [one.seen for one in windows(whole)]
        waiting.append(_Waiting([one.start for one in cut]))
        for number, seen in enumerate(cut, 1):
            # The checksum of a file is compared once.
            yield replace(text, content=whole[seen.start : seen.stop], sha256=text.sha256 if number == 1 else "")


def joined(starts: Sequence[int], reports: Sequence[Report]) -> Report:
    """Return the report of a text from those of its pieces, which begin at ascending places of the text."""
    found: dict[tuple[int, str, bool, str | None], Match] = {}
    passages: dict[tuple[int, str, bool, str | None], _Passages] = {}
    for start, report in zip(starts, reports, strict=True):
        for match in report.matches:
            key = (match.document.id, match.document.path, match.same_file, match.problem)
            found[key] = match
            passages.setdefault(key, _Passages()).add(match.passages, start)
    matches = tuple(replace(match, passages=passages[key].all) for key, match in found.items())
    problems = dict.fromkeys(one for report in reports for one in report.problems)
    warnings = dict.fromkeys(one for report in reports for one in report.warnings)
    return replace(reports[0], matches=matches, problems=tuple(problems), warnings=tuple(warnings))


@dataclass(slots=True)
class _Passages:
    """The passages of one match so far. A later piece may show once more what is open."""

    done: list[Passage] = field(default_factory=list)
    open: list[Passage] = field(default_factory=list)

    @property
    def all(self) -> tuple[Passage, ...]:
        return (*self.done, *self.open)

    def add(self, more: Iterable[Passage], start: int) -> None:
        """Add the passages of the next piece, by their place in it; what two pieces show becomes one passage."""
        self.done += [one for one in self.open if one.query.stop <= start]
        self.open = [one for one in self.open if one.query.stop > start]
        ahead = sorted(range(len(self.open)), key=lambda at: self.open[at].query.start, reverse=True)
        near: list[int] = []  # which open passages may meet the next one, ascending
        for passage in (_shifted(one, start) for one in more):
            while ahead and self.open[ahead[-1]].query.start < passage.query.stop:
                insort(near, ahead.pop())
            near = [at for at in near if self.open[at].query.stop > passage.query.start]
            at = next((at for at in near if _is_same(self.open[at], passage)), len(self.open))
            if at == len(self.open):
                near.append(at)
                self.open.append(passage)
            else:
                self.open[at] = _united(self.open[at], passage)


def _shifted(passage: Passage, by: int) -> Passage:
    return replace(passage, query=Span(passage.query.start + by, passage.query.stop + by))


def _united(one: Passage, other: Passage) -> Passage:
    return replace(one, query=_union(one.query, other.query), source=_union(one.source, other.source))


def _is_same(one: Passage, other: Passage) -> bool:
    """Return whether two passages are one as two pieces show it; an endpoint filter knows no place in the source."""
    is_in_source = meets(one.source, other.source) or not (len(one.source) or len(other.source))
    return is_in_source and meets(one.query, other.query)


def _union(one: Span, other: Span) -> Span:
    return Span(min(one.start, other.start), max(one.stop, other.stop))
