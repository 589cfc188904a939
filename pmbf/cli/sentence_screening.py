"""`pmbf sentences screen`: files are screened by sentences, many in several processes, and printed in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pmbf.base.errors import DONE, FAILED, FOUND
from pmbf.cli.outcome import note, print_json, print_text
from pmbf.cli.output import Output
from pmbf.cli.queries import queries, usual_jobs, with_streams_read
from pmbf.cli.shown.sentences import sentences_text
from pmbf.collection import Collection
from pmbf.extract import Limits
from pmbf.intake.texts import Origin, Text
from pmbf.pages import evidence_page
from pmbf.sentences import SentenceAnswer, SentenceReport
from pmbf.sentences.as_passages import as_passages
from pmbf.sites import Sites


@dataclass(slots=True)
class SentenceScreening:
    """One `pmbf sentences screen`, or `pmbf site ask`.

    Args:
        collection: The collection that the files are compared with; it has sentences.
        options: What is left out, fields of `pmbf.screen.Options`.
        limits: Limits for reading a file.
        output: Where the answers go.
        jobs: Processes; None: one a core for many files, else one.
        sites: The sites that are asked for what the collection does not have, or None.
    """

    collection: Collection
    options: dict[str, Any]
    limits: Limits
    output: Output
    jobs: int | None = None
    sites: Sites | None = None
    _n_screened: int = 0

    def screen_all(self, files: Sequence[str], name: str | None) -> int:
        """Screen each file and return the highest exit code; an unreadable file does not stop the others.

        Raises:
            NotFoundError: The collection has no sentences.
            CorruptError: They are damaged.
        """
        self.collection.sentences_status()  # raises before a long file is read
        planned = list(queries(files, name))
        paths = [one.path if isinstance(one, Origin) else one.name for one in planned]
        self.output.tables.expect(paths, self.collection)
        if self.output.pages:
            self.output.pages.expect(paths, self.collection)
        code = DONE
        with self.output.tables.opened() as take:
            for answer in self._answers(planned):
                read, report = answer.query, answer.report
                if self.sites and not read.unread:
                    report = self.sites.ask(report, read)
                if not read.unread:
                    take(report)
                code = max(code, self._told(read, report))
        if self.output.pages:
            self.output.pages.finish(quiet=self.output.quiet)
        if code == DONE and not self._n_screened:
            note("nothing was compared: there is no text document")
            return FAILED
        return code

    def _answers(self, planned: Sequence[Origin | Text]) -> Iterator[SentenceAnswer]:
        jobs = self.jobs or usual_jobs(len(planned))
        read = with_streams_read(planned, self.limits)
        return self.collection.answers_by_sentences(read, limits=self.limits, jobs=jobs, **self.options)

    def _told(self, read: Text, report: SentenceReport) -> int:
        """Print the answer of one text, and return its exit code."""
        if read.unread:
            for problem in read.problems[:1]:
                note(problem)
            return FAILED if read.problems else DONE
        self._n_screened += 1
        if self.output.pages:
            page = evidence_page(report, sources=self.output.pages.sources, hide_names=self.output.pages.hide_names)
            self.output.pages.write(as_passages(report), page)
        if self.output.quiet or self.output.tables.on_stdout:
            return _code(report)
        if self.output.json:
            print_json(report.to_dict(with_text=self.output.tables.with_text))
        else:
            print_text(("\n" if self._n_screened > 1 else "") + sentences_text(report, read.text, self.output.view))
        return _code(report)


def _code(report: SentenceReport) -> int:
    if report.found or report.n_not_counted:
        return FOUND
    n_documents = report.n_documents + sum(one.n_documents for one in report.sites)
    nothing_compared = not (n_documents and report.n_tokens)
    return FAILED if report.problems or nothing_compared else DONE
