"""`pmbf screen --sentences`: files are screened by sentences, one after the other, and printed in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pmbf.cli.outcome import note, print_json, print_text
from pmbf.cli.pages import Pages
from pmbf.cli.queries import queries
from pmbf.collection import Collection
from pmbf.errors import DONE, FAILED, FOUND, ParameterError
from pmbf.extract import Limits
from pmbf.intake.texts import Origin, Text, read_leniently
from pmbf.sentences import SentenceReport
from pmbf.sentences.as_passages import as_passages
from pmbf.terminal.canvas import View
from pmbf.terminal.sentences import sentences_text


@dataclass(slots=True)
class SentenceScreening:
    """One `pmbf screen --sentences`.

    Args:
        collection: The collection that the files are compared with; it has sentences.
        options: What is left out, fields of `pmbf.screen.Options`.
        limits: Limits for reading a file.
        view: How a report is shown.
        json: Whether reports are printed as JSON.
        quiet: Whether nothing is printed.
        pages: Where the pages go, or None.
    """

    collection: Collection
    options: dict[str, Any]
    limits: Limits
    view: View
    json: bool
    quiet: bool
    pages: Pages | None = None
    _n_screened: int = 0

    def screen_all(self, files: Sequence[str], name: str | None) -> int:
        """Screen each file and return the highest exit code; an unreadable file does not stop the others.

        Raises:
            NotFoundError: The collection has no sentences.
            CorruptError: They are damaged.
        """
        self.collection.sentences_status()  # raises before a long file is read
        planned = list(queries(files, name))
        if self.pages:
            self.pages.expect([one.path if isinstance(one, Origin) else one.name for one in planned])
        code = max((self._told(read_leniently(one, self.limits), one) for one in planned), default=DONE)
        if self.pages:
            self.pages.finish(quiet=self.quiet)
        if code == DONE and not self._n_screened:
            note("nothing was compared: there is no text document")
            return FAILED
        return code

    def _told(self, read: Text, asked: Origin | Text) -> int:
        """Screen and print one text, and return its exit code."""
        if read.unread:
            for problem in read.problems[:1]:
                note(problem)
            return FAILED if read.problems else DONE
        report = self.collection.answer_by_sentences(asked, read, **self.options)
        self._n_screened += 1
        if self.pages:
            page = report.to_html(sources=self.pages.sources, hide_names=self.pages.hide_names)
            self.pages.write(as_passages(report), page)
        if self.quiet:
            return _code(report)
        if self.json:
            print_json(report.to_dict())
        else:
            print_text(("\n" if self._n_screened > 1 else "") + sentences_text(report, read.text, self.view))
        return _code(report)


def require_fitting(options: Iterable[str], **others: Any) -> None:
    """Refuse options of a screening that mean nothing for sentences.

    Args:
        options: Names of the options that are given.
        others: Options by name, None where one is not given.

    Raises:
        ParameterError: One is given.
    """
    named = sorted([*options, *(name for name, value in others.items() if value is not None)])
    for name in named[:1]:
        raise ParameterError(f"--{name.replace('_', '-')} is given with --sentences, where it means nothing")


def _code(report: SentenceReport) -> int:
    if report.found:
        return FOUND
    nothing_compared = not (report.n_documents and report.n_tokens)
    return FAILED if report.problems or nothing_compared else DONE
