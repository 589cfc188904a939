"""A template cuts a text into sections.

A section begins where one of its start patterns stands. It ends before the next section, before one of its end
patterns, or with the text. A heading with nothing below, as in a table of contents, is no section.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pmbf.base.span import Span, merged, outside
from pmbf.report.values import Rule, Section
from pmbf.screen.templates.patterns import Lines, Pattern


@dataclass(frozen=True, slots=True)
class SectionPatterns:
    """What a template says of one section: what it is compared with, how it begins, and before what it ends."""

    name: str
    rule: Rule
    start: tuple[Pattern, ...]
    end: tuple[Pattern, ...] = ()


@dataclass(frozen=True, slots=True)
class Template:
    """Rules that cut a text into sections.

    Args:
        name: Its name.
        sections: The sections; if two begin at the same place, then the first one counts.
        rest: Whether text in no section is compared: `compare` or `skip`. If no section is found, it is compared.
        about: What texts it is for.
    """

    name: str
    sections: tuple[SectionPatterns, ...]
    rest: Literal["compare", "skip"] = "compare"
    about: str = ""

    def cut(self, text: str) -> list[Section]:
        """Return the sections of a text, ascending and disjoint.

        Raises:
            UnsupportedError: A pattern is a regular expression, and RE2 is not installed.

        >>> aim = SectionPatterns("aim", "same", (Pattern("Aim"),), (Pattern("Signature"),))
        >>> Template("form", (aim,)).cut("1. Aim\\nTo see the sea.\\nSignature\\n")
        [Section(name='aim', rule='same', span=Span(start=0, stop=23), n_covered=0, n_elsewhere=0, n_excluded=0)]
        """
        lines = Lines(text)
        starts = self._starts(text, lines)
        ends = [sorted(span.start for one in its.end for span in one.spans(text, lines)) for its in self.sections]
        found: list[Section] = []
        for place, (heading, number) in enumerate(starts):
            stop = starts[place + 1][0].start if place + 1 < len(starts) else len(text)
            end = bisect_left(ends[number], heading.stop)
            if end < len(ends[number]):
                stop = min(stop, ends[number][end])
            if text[heading.stop : stop].strip():
                patterns = self.sections[number]
                _add(found, Section(patterns.name, patterns.rule, Span(heading.start, stop)))
        return found

    def _starts(self, text: str, lines: Lines) -> list[tuple[Span, int]]:
        """Return the headings, each with the number of its section; of headings that overlap the first."""
        every = sorted(
            (span.start, number, span.stop)
            for number, its in enumerate(self.sections)
            for one in its.start
            for span in one.spans(text, lines)
        )
        starts: list[tuple[Span, int]] = []
        for start, number, stop in every:
            if not starts or start >= starts[-1][0].stop:
                starts.append((Span(start, stop), number))
        return starts

    def skipped(self, sections: Sequence[Section], n_chars: int) -> list[Span]:
        """Return what of a text is not compared, ascending and disjoint; without sections all of it is compared."""
        found = [one.span for one in sections if one.rule == "skip"]
        if self.rest == "skip" and sections:
            found += outside([Span(0, n_chars)], [one.span for one in sections])
        return merged(found)


def _add(found: list[Section], section: Section) -> None:
    """Add a section, or lengthen the last one if that has the same name and ends here."""
    last = found[-1] if found else None
    if last and last.name == section.name and last.span.stop == section.span.start:
        found[-1] = replace(last, span=Span(last.span.start, section.span.stop))
    else:
        found.append(section)
