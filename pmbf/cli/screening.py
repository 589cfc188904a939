"""`pmbf screen`: files are read and screened, many files in several processes, and printed in order."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pmbf.base.errors import DONE, FAILED, FOUND
from pmbf.cli.outcome import note, print_json, print_text
from pmbf.cli.output import Output
from pmbf.cli.queries import queries, usual_jobs, with_streams_read
from pmbf.cli.shown.progress import screen_progress
from pmbf.cli.shown.screened import Screened, nothing_line, screened_text
from pmbf.extract import Limits
from pmbf.intake.texts import Origin, Text
from pmbf.report import Report, Texts
from pmbf.screen import Answer, Options

if TYPE_CHECKING:
    from pmbf.verbs import AnyCollection


@dataclass(slots=True)
class Screening:
    """One `pmbf screen`: the options for each file, and the figures so far.

    Args:
        collection: The collection that the files are compared with.
        options: Given fields of `pmbf.screen.Options`.
        limits: Limits for reading a file.
        output: Where the answers go.
        jobs: Processes; None: one a core for many files, else one.
    """

    collection: AnyCollection
    options: dict[str, Any]
    limits: Limits
    output: Output
    jobs: int | None
    _so_far: Screened = field(default_factory=Screened)
    _separator: str = ""

    def screen_all(self, files: Sequence[str], name: str | None) -> int:
        """Screen each file and return the highest exit code; an unreadable file does not stop the others."""
        planned = list(queries(files, name))
        several = len(planned) != 1
        code = DONE
        paths = [one.path if isinstance(one, Origin) else one.name for one in planned]
        self.output.tables.expect(paths, self.collection)
        if self.output.pages:
            self.output.pages.expect(paths, self.collection)
        with (
            self.output.tables.opened() as take,
            screen_progress(len(planned), shown=self._shows_progress(len(planned))) as advance,
        ):
            for answer in self._answers(planned):
                if answer.report.problems or not answer.query.unread:
                    take(answer.report)
                code = max(code, self._told(answer, several))
                advance()
        if several and not (self.output.json or self._is_silent):
            print_text(self._separator + screened_text(self._so_far, self.output.view))
        if self.output.pages:
            self.output.pages.finish(quiet=self.output.quiet)
        if code == DONE and not self._so_far.n_screened:
            note("nothing was compared: there is no text document")
            return FAILED
        return code

    def _answers(self, planned: Sequence[Origin | Text]) -> Iterator[Answer]:
        jobs = self.jobs or usual_jobs(len(planned))
        read = with_streams_read(planned, self.limits)
        for answer in self.collection.answers(read, limits=self.limits, jobs=jobs, **self.options):
            texts = Texts(answer.query.content, self.collection.text)  # the collection is open: each text costs less
            yield replace(answer, report=replace(answer.report, texts=texts))

    def _shows_progress(self, n_files: int) -> bool:
        """Return whether a bar is drawn: not if reports appear on the same terminal."""
        return n_files > 1 and sys.stderr.isatty() and (self.output.quiet or not sys.stdout.isatty())

    @property
    def _is_silent(self) -> bool:
        """Whether no report is printed: a table may take its place."""
        return self.output.quiet or self.output.tables.on_stdout

    # ------------------------------------------------------------------ one answer

    def _told(self, answer: Answer, several: bool) -> int:
        """Print one answer and return its exit code."""
        if answer.query.unread:
            return self._told_unread(answer.report)
        self._so_far.count(answer.report)
        if self.output.pages:
            self.output.pages.write(answer.report)
        if self.output.json and not self.output.quiet:
            print_json(answer.report.to_dict(with_text=self.output.tables.with_text))
        elif not self._is_silent:
            self._print(answer, several)
        return _code(answer.report)

    def _told_unread(self, report: Report) -> int:
        if not report.problems:
            self._so_far.n_skipped += 1
            return DONE
        self._so_far.n_unread += 1
        if self.output.pages:
            self.output.pages.unread(report)
        note(report.problems[0])
        if self.output.json and not self.output.quiet:
            print_json(report.to_dict())
        return FAILED

    def _print(self, answer: Answer, several: bool) -> None:
        from pmbf.cli.shown.report import report_text

        report = answer.report
        if several and not report.matches and not report.problems:
            print_text(self._separator + nothing_line(report))
            self._separator = ""
            return
        whole = report_text(report, answer.query.text, self.collection.text, self.output.view)
        print_text(self._separator + whole + self._too_short(report))
        self._separator = "\n"

    def _too_short(self, report: Report) -> str:
        shortest = Options(**self.options).min_chars
        if not report.query.n_tokens or report.query.n_chars >= shortest:
            return ""
        return f"Note: no passage under {shortest} characters counts; see --min-chars.\n"


def _code(report: Report) -> int:
    """Return the exit code of a report. Text that sources share is found, though it may not count."""
    if any(match.shares for match in report.matches):
        return FOUND
    nothing_compared = not (report.n_documents and report.query.n_tokens)
    return FAILED if report.problems or nothing_compared else DONE
