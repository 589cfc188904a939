"""Files are screened in turn: each answer is printed, and goes into tables and pages."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pmbf.base.errors import DONE, FAILED, FOUND
from pmbf.cli import params
from pmbf.cli.inputs import expanded, given, n_cores
from pmbf.cli.outcome import note, print_json, print_text
from pmbf.cli.pages import Pages, pages_of
from pmbf.cli.shown.canvas import View, wants_color
from pmbf.cli.shown.progress import screen_progress
from pmbf.cli.shown.screened import Outcomes, nothing_line, outcomes_text
from pmbf.cli.tables import TableFile, Tables
from pmbf.extract import Limits
from pmbf.intake.discovery import Problem, discover
from pmbf.intake.texts import Origin, Text, read_leniently
from pmbf.report import Report, Texts
from pmbf.screen import Answer, Options

if TYPE_CHECKING:
    from pmbf.report.table import By
    from pmbf.verbs import AnyCollection

MOST_WITHOUT_PROCESSES = 24
"""Up to 24 files are screened in one process by default: starting further processes takes half a second."""


class ScreenOutput(NamedTuple):
    """Where the answers of a screening go, and how they look."""

    view: View
    json: bool
    quiet: bool
    tables: Tables
    pages: Pages | None

    @property
    def is_silent(self) -> bool:
        """Whether no report is printed: a table may take its place."""
        return self.quiet or self.tables.on_stdout


def screen_output(
    table: Sequence[TableFile] | None,
    rows: By | None = None,
    *,
    sources: int | None,
    passages: int | None,
    html: str | None,
    param: Sequence[tuple[str, Any]] | None,
    json: bool,
    quiet: bool,
    force: bool,
    of_sentences: bool = False,
) -> ScreenOutput:
    """Return where the answers go, by the options; those that contradict each other are refused."""
    with_text = params.of(param, params.WORDS).get("with_text", False)
    written = Tables(table or (), rows, with_text, of_sentences, force)
    written.require_possible(json=json, quiet=quiet)
    shown = given(n_sources=sources, n_passages=passages)
    view = View(colored=wants_color(sys.stdout), on_terminal=sys.stdout.isatty(), **shown)
    return ScreenOutput(view, json, quiet, written, pages_of(html, params.of(param, params.PAGES), force=force))


@dataclass(slots=True)
class FileScreening:
    """One `pmbf screen`: the given fields of `pmbf.screen.Options`, and the figures so far."""

    collection: AnyCollection
    options: dict[str, Any]
    limits: Limits
    to: ScreenOutput
    jobs: int | None
    n_files: int = 0
    _so_far: Outcomes = field(default_factory=Outcomes)
    _separator: str = ""

    def screen_all(self, files: Sequence[str], name: str | None) -> int:
        """Screen each file and return the highest exit code; an unreadable file does not stop the others."""
        planned = list(queries(files, name))
        self.n_files = len(planned)
        paths = [one.path if isinstance(one, Origin) else one.name for one in planned]
        self.to.tables.expect(paths, self.collection)
        if self.to.pages:
            self.to.pages.expect(paths, self.collection)
        code = DONE
        with self.to.tables.opened() as take, screen_progress(self.n_files, shown=self._shows_progress) as advance:
            for answer in self.answers(_with_streams_read(planned, self.limits), self.jobs or usual_jobs(self.n_files)):
                code = max(code, self.told(answer, take))
                advance()
        if self.n_files != 1 and not (self.to.json or self.to.is_silent):
            self.tell_all()
        if self.to.pages:
            self.to.pages.finish(quiet=self.to.quiet)
        if code == DONE and not self._so_far.n_screened:
            note("nothing was compared: there is no text document")
            return FAILED
        return code

    @property
    def _shows_progress(self) -> bool:
        """Whether a bar is drawn: not if reports appear on the same terminal."""
        return self.n_files > 1 and sys.stderr.isatty() and (self.to.quiet or not sys.stdout.isatty())

    def answers(self, read: Iterable[Origin | Text], jobs: int) -> Iterator[Any]:
        """Yield the answer of each text."""
        for answer in self.collection.answers(read, limits=self.limits, jobs=jobs, **self.options):
            texts = Texts(answer.query.content, self.collection.text)  # the collection is open: each text costs less
            yield replace(answer, report=replace(answer.report, texts=texts))

    def told(self, answer: Answer, take: Callable[[Any], None]) -> int:
        """Print one answer, write it into tables and pages, and return its exit code."""
        report = answer.report
        if report.problems or not answer.query.unread:
            take(report)
        if answer.query.unread:
            return self._told_unread(report)
        self._so_far.count(report)
        if self.to.pages:
            self.to.pages.write(report)
        if self.to.json and not self.to.quiet:
            print_json(report.to_dict(with_text=self.to.tables.with_text))
        elif not self.to.is_silent:
            self._print(answer)
        return exit_code(report)

    def tell_all(self) -> None:
        """Print how many texts were screened, and which share most."""
        print_text(self._separator + outcomes_text(self._so_far, self.to.view))

    def _told_unread(self, report: Report) -> int:
        if not report.problems:
            self._so_far.n_skipped += 1
            return DONE
        self._so_far.n_unread += 1
        if self.to.pages:
            self.to.pages.unread(report)
        note(report.problems[0])
        if self.to.json and not self.to.quiet:
            print_json(report.to_dict())
        return FAILED

    def _print(self, answer: Answer) -> None:
        from pmbf.cli.shown.report import report_text

        report = answer.report
        if self.n_files != 1 and not report.matches and not report.problems:
            print_text(self._separator + nothing_line(report))
            self._separator = ""
            return
        whole = report_text(report, answer.query.text, self.collection.text, self.to.view)
        shortest = Options(**self.options).min_chars
        if report.query.n_tokens and report.query.n_chars < shortest:
            whole += f"Note: no passage under {shortest} characters counts; see --min-chars.\n"
        print_text(self._separator + whole)
        self._separator = "\n"


def exit_code(report: Report) -> int:
    """Return the exit code of a report. Text that sources share is found, though it may not count."""
    if any(match.shares for match in report.matches):
        return FOUND
    nothing_compared = not (report.n_documents and report.query.n_tokens)
    return FAILED if report.problems or nothing_compared else DONE


# ---------------------------------------------------------------------- the texts


def queries(words: Sequence[str], name: str | None) -> Iterator[Origin | Text]:
    """Yield the texts that words name, in order; folders and glob patterns are expanded.

    A folder that cannot be entered is yielded as a text that was not read.
    """
    for word in words:
        for path in expanded(word):
            if os.path.isdir(path):
                yield from _inside(path)
            else:
                yield Origin(name or ("stdin" if path == "-" else path), path=path, streams=True)


def _inside(folder: str) -> Iterator[Origin | Text]:
    """Yield a folder's files, named as the user named the folder."""
    start = os.path.abspath(folder)
    for found in discover([folder]):
        if isinstance(found, Problem):
            yield Text(found.path, "", (f"{found.path}: {found.reason}",), unread=True)
        else:
            shown = os.path.join(folder, os.path.relpath(found.path, start))
            yield Origin(shown, path=found.path, met=True)


def _with_streams_read(planned: Iterable[Origin | Text], limits: Limits) -> Iterator[Origin | Text]:
    """Yield texts to screen; those that come once and for this process alone are read here."""
    for one in planned:
        yield read_leniently(one, limits) if isinstance(one, Origin) and one.is_stream else one


def usual_jobs(n_files: int) -> int:
    """Return the default number of processes: one a core for more than 24 files, else one."""
    return n_cores() if n_files > MOST_WITHOUT_PROCESSES else 1
