"""Long texts are compared piece by piece: memory and time grow with the piece, not with the square of the text.

    text ─ windows ─► pieces, each with what stands around it ─► checker ─► reports ─ joined ─► one report of the text

A piece is cut at a blank. It is compared together with `AROUND` characters before and behind it, so that a passage
across a cut is found from both sides; both are one passage of the joined report. A text within `PIECE_CHARS` is one
piece, and its report is untouched.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from pmbf.guard.checker import Checker
from pmbf.guard.slices import Sliced, sliced
from pmbf.intake.texts import Text
from pmbf.report import Match, Passage, Report, Span

PIECE_CHARS = 2 << 20
AROUND = 1 << 14
"""Characters that both of two neighbours have on either side of their cut: some 2,500 words."""


class Window(NamedTuple):
    """A piece of a text.

    Args:
        own: Its span. The spans of all pieces follow one another.
        seen: The span that is compared: the piece with what stands around it.
    """

    own: Span
    seen: Span


def windows(text: Sliced) -> list[Window]:
    """Return the pieces of a text; one if the text is short.

    >>> windows("Dear reader")
    [Window(own=Span(start=0, stop=11), seen=Span(start=0, stop=11))]
    """
    cuts = [0]
    while len(text) - cuts[-1] > PIECE_CHARS:
        cuts.append(_blank_before(text, cuts[-1] + PIECE_CHARS // 2, cuts[-1] + PIECE_CHARS))
    cuts.append(len(text))
    return [
        Window(
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
    """Yield the report on each text, in order; long texts are compared piece by piece.

    Args:
        checker: Compares texts with the protected documents.
        texts: The texts, taken in small groups.
    """
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
    """Return the report of a text from the reports of its pieces: matches by document, problems and warnings.

    Args:
        starts: Where each piece begins in the text, ascending.
        reports: The reports.
    """
    found: dict[tuple[int, str, bool, str | None], Match] = {}
    for start, report in zip(starts, reports, strict=True):
        for match in report.matches:
            key = (match.document.id, match.document.path, match.same_file, match.problem)
            shifted = [_shifted(one, start) for one in match.passages]
            known = found[key].passages if key in found else ()
            found[key] = replace(match, passages=_together(known, shifted, start))
    problems = dict.fromkeys(one for report in reports for one in report.problems)
    warnings = dict.fromkeys(one for report in reports for one in report.warnings)
    return replace(reports[0], matches=tuple(found.values()), problems=tuple(problems), warnings=tuple(warnings))


def _shifted(passage: Passage, by: int) -> Passage:
    return replace(passage, query=Span(passage.query.start + by, passage.query.stop + by))


def _together(known: Sequence[Passage], more: Iterable[Passage], start: int) -> tuple[Passage, ...]:
    """Return passages with those of the next piece, which begins at a place; what both pieces show becomes one."""
    done = [one for one in known if one.query.stop <= start]
    open_ = [one for one in known if one.query.stop > start]
    for passage in more:
        at = next((at for at, one in enumerate(open_) if _is_same(one, passage)), None)
        if at is None:
            open_.append(passage)
        else:
            query, source = _union(open_[at].query, passage.query), _union(open_[at].source, passage.source)
            open_[at] = replace(open_[at], query=query, source=source)
    return (*done, *open_)


def _is_same(one: Passage, other: Passage) -> bool:
    """Return whether two passages are one as two pieces show it; an endpoint filter knows no place in the source."""
    is_in_source = _overlap(one.source, other.source) or not (len(one.source) or len(other.source))
    return is_in_source and _overlap(one.query, other.query)


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.stop and other.start < one.stop


def _union(one: Span, other: Span) -> Span:
    return Span(min(one.start, other.start), max(one.stop, other.stop))
