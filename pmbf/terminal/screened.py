"""The outcome of many screened texts: a line for each text that shares nothing, and a total."""

from __future__ import annotations

from dataclasses import dataclass

from pmbf.report import Report
from pmbf.terminal.figures import counted, length, shown_path


@dataclass(slots=True)
class Screened:
    """How many files were to be screened, by outcome."""

    n_found: int = 0
    n_below: int = 0
    n_none: int = 0
    n_incomplete: int = 0
    n_unread: int = 0
    n_skipped: int = 0

    @property
    def n_screened(self) -> int:
        """How many files were read and compared."""
        return self.n_found + self.n_below + self.n_none + self.n_incomplete

    def count(self, report: Report) -> None:
        """Count one more report."""
        if any(match.passages for match in report.matches):
            self.n_found += 1
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
    return f"{shown_path(asked.name)}: {length(asked.n_chars, asked.n_tokens)}, {found} in {documents}\n"


def screened_text(screened: Screened) -> str:
    """Return how many texts were screened, one line for each outcome.

    >>> print(screened_text(Screened(n_found=2, n_none=1)), end="")
    3 texts screened
            2 share text with the collection
            1 share none
    """
    rows = [
        (screened.n_found, "share text with the collection"),
        (screened.n_below, "share less than the threshold"),
        (screened.n_none, "share none"),
        (screened.n_incomplete, "share none as far as they were compared"),
        (screened.n_unread, "could not be read"),
        (screened.n_skipped, "skipped: no text documents"),
    ]
    total = f"{counted(screened.n_screened, 'text')} screened"
    return "\n".join([total, *(f"{n:>9,} {what}" for n, what in rows if n), ""])
