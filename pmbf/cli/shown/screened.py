"""What is told beside reports: the sections of a text, a line for a text that shares nothing, the outcome of many."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pmbf.cli.shown.canvas import View, laid_out, unwrapped
from pmbf.cli.shown.figures import aligned, counted, length, padded, percent, shortened, shown_path
from pmbf.cli.shown.safe import one_line
from pmbf.report import Report, Section
from pmbf.report.values import told_amounts

if TYPE_CHECKING:  # screenings without a table do without rich
    from rich.text import Text

N_RANKED = 20
"""Texts that the ranking shows, those with the greatest share."""

LEAST_BESIDE = 56
"""Columns from which on a text and its source stand in one line."""


class RankedText(NamedTuple):
    """A text that shares passages: by its share, the greatest first, and its name; its surest certainty and source."""

    minus_share: float
    name: str
    certainty: str
    source: str


@dataclass(slots=True)
class Outcomes:
    """How many files were to be screened, by outcome, and the files with the greatest shares."""

    n_found: int = 0
    n_not_counted: int = 0
    n_below: int = 0
    n_none: int = 0
    n_incomplete: int = 0
    n_unread: int = 0
    n_skipped: int = 0
    ranked: list[RankedText] = field(default_factory=list)

    @property
    def n_screened(self) -> int:
        """How many files were read and compared."""
        return self.n_found + self.n_not_counted + self.n_below + self.n_none + self.n_incomplete

    def count(self, report: Report) -> None:
        """Count one more report."""
        sources = [match for match in report.matches if match.counts]
        if sources:
            self.n_found += 1
            place = -report.coverage, report.query.name
            found = RankedText(*place, report.certainty or "?", sources[0].document.path)
            insort(self.ranked, found, key=lambda one: one[:2])
            del self.ranked[N_RANKED:]
        elif any(match.passages for match in report.matches):
            self.n_not_counted += 1
        elif report.problems:
            self.n_incomplete += 1
        elif report.n_below:
            self.n_below += 1
        else:
            self.n_none += 1


def nothing_line(report: Report) -> str:
    """Return the one line for a text that shares nothing, among many texts."""
    asked = report.query
    documents = counted(report.n_documents, "document")
    found = f"nothing above the threshold, {report.n_below:,} below," if report.n_below else "nothing"
    if report.not_counted:
        found = f"{found} else ({told_amounts(report.not_counted, asked.n_chars, percent)})"
    unfit = f"; {none_found(report.template)}" if report.template and not report.sections else ""
    return f"{shown_path(asked.name)}: {length(asked.n_chars, asked.n_tokens)}, {found} in {documents}{unfit}\n"


def outcomes_text(screened: Outcomes, view: View) -> str:
    """Return the texts with the greatest shares, and how many texts were screened, one line for each outcome.

    >>> print(outcomes_text(Outcomes(n_none=1), View()), end="")
    1 text screened
            1 share none
    """
    rows = [
        (screened.n_found, "share text with the collection"),
        (screened.n_not_counted, "share only text that does not count"),
        (screened.n_below, "share less than the threshold"),
        (screened.n_none, "share none"),
        (screened.n_incomplete, "share none as far as they were compared"),
        (screened.n_unread, "could not be read"),
        (screened.n_skipped, "skipped: no text documents"),
    ]
    total = f"{counted(screened.n_screened, 'text')} screened"
    return _ranking(screened, view) + "\n".join([total, *(f"{n:>9,} {what}" for n, what in rows if n), ""])


def _ranking(screened: Outcomes, view: View) -> str:
    """Return the table of the texts that share most, with an empty line behind it; nothing for less than two."""
    if len(screened.ranked) < 2:
        return ""
    head, *lines = _lines(screened.ranked, view.name_columns)
    parts = [unwrapped((head, "dim")), *map(unwrapped, lines)]
    if left := screened.n_found - len(screened.ranked):
        parts.append(unwrapped((f"… and {counted(left, 'more text')}; --table FILE.csv --rows texts has all", "dim")))
    return laid_out(view, *parts, "")


def _lines(ranked: list[RankedText], columns: int) -> Iterator[str]:
    from rich.cells import cell_len

    rows = [(percent(-one.minus_share), one.certainty, shown_path(one.name), shown_path(one.source)) for one in ranked]
    rows.insert(0, ("share", "certainty", "text", "first source"))
    width = max(len(certainty) for _, certainty, _, _ in rows)
    if columns < LEAST_BESIDE:
        for share, certainty, name, source in rows:
            yield f"{share:>5}  {shortened(name, columns - 7)}"
            yield f"{' ' * 7}{shortened(f'{certainty}, {source}', columns - 7)}"
        return
    room = columns - 5 - width - 3 * 2
    name_width = min(max(cell_len(name) for _, _, name, _ in rows), room - room // 2)
    for share, certainty, name, source in rows:
        name = padded(shortened(name, name_width), name_width)
        yield f"{share:>5}  {certainty:<{width}}  {name}  {shortened(source, room - name_width)}"


# ---------------------------------------------------------------------- sections

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
