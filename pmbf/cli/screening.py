"""`pmbf screen`: files are read, answered and printed, one after another. The search itself is `pmbf.screen`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pmbf.cli.inputs import read_content
from pmbf.cli.outcome import DONE, FAILED, FOUND, note, print_json, print_text, reason
from pmbf.collection import Collection
from pmbf.errors import PmbfError
from pmbf.extract import Extracted, Limits, extract
from pmbf.report import Report
from pmbf.screen import Options
from pmbf.terminal.canvas import View
from pmbf.terminal.report import is_incomplete, report_text


@dataclass(frozen=True, slots=True)
class Screening:
    """One `pmbf screen`: what holds for each of its files.

    Args:
        collection: What the files are compared with.
        options: Fields of `pmbf.screen.Options` that were given.
        limits: Bounds for reading a file.
        view: How a report is shown.
        json: Whether it is printed as JSON instead.
        quiet: Whether nothing is printed.
    """

    collection: Collection
    options: dict[str, Any]
    limits: Limits
    view: View
    json: bool
    quiet: bool

    def screen_all(self, files: Sequence[str], name: str | None) -> int:
        """Screen each file and return the highest exit code; one that cannot be read does not stop the others."""
        code, separator = DONE, ""
        for file in files:
            answer = self._answer(file, name)
            if answer is None:
                code = FAILED
                continue
            if not self.quiet:
                self._print(*answer, separator)
            code, separator = max(code, _code(answer[0])), "\n"
        return code

    def _answer(self, file: str, name: str | None) -> tuple[Report, str] | None:
        """Return the report on a file, and its text; None, and why on stderr, when it cannot be read."""
        try:
            extracted = self._read(file, name)
        except (PmbfError, OSError) as error:
            note(reason(error))
            return None
        report = self.collection.screen(extracted.text, name=name or ("stdin" if file == "-" else file), **self.options)
        return replace(report, problems=extracted.problems + report.problems), extracted.text

    def _read(self, file: str, name: str | None) -> Extracted:
        content = read_content(file, self.limits.max_bytes)
        return extract(content, (name or "") if file == "-" else file, self.limits)

    def _print(self, report: Report, text: str, separator: str) -> None:
        if self.json:
            print_json(report.to_dict())
            return
        print_text(separator + report_text(report, text, self.collection.text, self.view))
        self._note_too_short(report)

    def _note_too_short(self, report: Report) -> None:
        shortest = Options(**self.options).min_chars
        if report.query.n_tokens and report.query.n_chars < shortest:
            print_text(f"Note: no passage under {shortest} characters counts; see --min-chars.\n")


def _code(report: Report) -> int:
    if any(match.passages for match in report.matches):
        return FOUND
    return FAILED if is_incomplete(report) else DONE
