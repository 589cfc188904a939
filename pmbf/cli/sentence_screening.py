"""`pmbf sentences screen` and `pmbf site ask`: files are screened by sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pmbf.base.errors import DONE, FAILED, FOUND
from pmbf.cli.outcome import note, print_json, print_text
from pmbf.cli.screening import FileScreening
from pmbf.cli.shown.sentences import sentences_text
from pmbf.collection import Collection
from pmbf.intake.texts import Origin, Text
from pmbf.pages import evidence_page
from pmbf.sentences import SentenceAnswer, SentenceReport
from pmbf.sentences.forms import as_passages
from pmbf.sites import Sites


@dataclass(slots=True)
class SentenceScreening(FileScreening):
    """Files are screened by the sentences of a collection in a folder, and asked of sites if there are some."""

    sites: Sites | None = None

    def screen_all(self, files: Sequence[str], name: str | None) -> int:
        """Screen each file and return the highest exit code."""
        self._opened.sentences_status()  # raises before a long file is read
        return FileScreening.screen_all(self, files, name)

    @property
    def _opened(self) -> Collection:
        assert isinstance(self.collection, Collection)
        return self.collection

    @property
    def _shows_progress(self) -> bool:
        return False

    def answers(self, read: Iterable[Origin | Text], jobs: int) -> Iterator[SentenceAnswer]:
        """Yield the answer of each text."""
        return self._opened.answers_by_sentences(read, limits=self.limits, jobs=jobs, **self.options)

    def told(self, answer: SentenceAnswer, take: Callable[[Any], None]) -> int:  # type: ignore[override]
        """Print one answer, write it into tables and pages, and return its exit code."""
        read, report = answer.query, answer.report
        if read.unread:
            for problem in read.problems[:1]:
                note(problem)
            return FAILED if read.problems else DONE
        if self.sites:
            report = self.sites.ask(report, read)
        take(report)
        self._so_far.n_none += 1
        if pages := self.to.pages:
            made = evidence_page(report, sources=pages.sources, hide_names=pages.hide_names)
            pages.write(as_passages(report), made)
        if self.to.json and not self.to.quiet:
            print_json(report.to_dict(with_text=self.to.tables.with_text))
        elif not self.to.is_silent:
            print_text(self._separator + sentences_text(report, read.text, self.to.view))
            self._separator = "\n"
        return sentence_exit_code(report)

    def tell_all(self) -> None:
        """Print nothing: each text has its report."""


def sentence_exit_code(report: SentenceReport) -> int:
    """Return the exit code of a report; a claim of a site is something found."""
    if report.found or report.n_not_counted:
        return FOUND
    n_documents = report.n_documents + sum(one.n_documents for one in report.sites)
    nothing_compared = not (n_documents and report.n_tokens)
    return FAILED if report.problems or nothing_compared else DONE
