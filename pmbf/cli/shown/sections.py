"""The sections that a template found, as a table: the name, where it stands, the rule, how much stands in sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pmbf.cli.shown.canvas import unwrapped
from pmbf.cli.shown.figures import aligned, counted, percent
from pmbf.cli.shown.safe import one_line
from pmbf.report import Section

if TYPE_CHECKING:  # screenings without a table do without rich
    from rich.text import Text

RULES = {"compare": "compared", "skip": "skipped", "same": "with the same section"}
"""What is said of each rule."""


def none_found(template: str) -> str:
    """Return the note on a template that found no section."""
    return f"the template {one_line(template)} found none of its sections; the whole text was compared."


def sections_table(sections: Sequence[Section]) -> Iterator[Text]:
    """Yield the lines of the table."""
    rows = [("section", "characters", "shared", "compared")]
    for one in sections:
        shared = "–" if one.rule == "skip" else percent(one.coverage)
        rows.append((one_line(one.name), f"{one.span.start:,}–{one.span.stop:,}", shared, _told(one)))
    for number, (line, row) in enumerate(zip(aligned(rows, "<>>"), rows, strict=True)):
        yield unwrapped((f"{line}  {row[-1]}", "" if number else "dim"))


def _told(section: Section) -> str:
    told = RULES[section.rule]
    if not section.n_elsewhere:
        return told
    share = "shares" if section.n_elsewhere == 1 else "share"
    return f"{told}; {counted(section.n_elsewhere, 'source')} {share} text elsewhere"
