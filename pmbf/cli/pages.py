"""`pmbf screen --html`: the page of one text in a file, or a folder with the pages of many and their overview."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from pmbf.base.errors import ParameterError
from pmbf.cli import arguments as arg
from pmbf.cli.outcome import note
from pmbf.cli.targets import require_outside, require_own, require_own_pages

if TYPE_CHECKING:
    from pmbf.pages import Extent, OverviewRow
    from pmbf.report import Report
    from pmbf.verbs import AnyCollection

PAGES = "Pages"

Html = Annotated[
    str | None,
    arg.option(
        "--html", "FILE", "Write a page that opens offline; for several texts a folder: ends with /, or is one.", PAGES
    ),
]


@dataclass(slots=True)
class Pages:
    """Where the pages of one `pmbf screen` go: into a file; or into a folder, made when the first page is written."""

    target: str
    sources: Extent = "passages"
    hide_names: bool = False
    force: bool = False
    _in_folder: bool = False
    _n_written: int = 0
    _screened: list[OverviewRow] = field(default_factory=list)

    def expect(self, paths: Sequence[str], opened: AnyCollection) -> None:
        """Choose between file and folder, and refuse what would be lost or loaded, before texts are screened."""
        n_texts = len(paths)
        self._in_folder = self.target.endswith(("/", os.sep)) or os.path.isdir(self.target)
        if n_texts > 1 and not self._in_folder:
            raise ParameterError(
                f"--html {self.target}: {n_texts:,} texts are screened, and a file holds the page of one; "
                f"name a folder, as in --html {self.target}/"
            )
        folder = os.path.dirname(os.path.abspath(self.target))
        if not (self._in_folder or os.path.isdir(folder)):
            raise ParameterError(f"--html {self.target}: there is no folder {folder}")
        if os.path.realpath(self.target) in map(os.path.realpath, paths):
            raise ParameterError(f"--html {self.target}: this is the text that is screened; name another file")
        if self._in_folder:
            require_own_pages("--html", self.target, force=self.force)
        else:
            require_own("--html", self.target, "page", force=self.force)
        require_outside("--html", self.target, opened, force=self.force)

    def write(self, report: Report, made: str = "") -> None:
        """Write the page of a text; `made` stands in for the report's own."""
        from pmbf.pages import evidence_page, write_page

        self._n_written += 1
        made = made or evidence_page(report, sources=self.sources, hide_names=self.hide_names)
        if not self._in_folder:
            write_page(self.target, made)
            return
        os.makedirs(self.target, exist_ok=True)
        number = len(self._screened) + 1
        file = f"{number:04d}{'' if self.hide_names else '-' + file_name(report.query.name)}.html"
        write_page(os.path.join(self.target, file), made)
        self._keep(report, file)

    def unread(self, report: Report) -> None:
        """Keep a text that could not be read for the overview."""
        self._keep(report, "")

    def finish(self, *, quiet: bool) -> None:
        """Write the overview, if the pages are in a folder, and unless `quiet` say where the pages are."""
        made = self.target
        if self._in_folder:
            from pmbf.pages import overview_page, write_page

            os.makedirs(self.target, exist_ok=True)
            made = os.path.join(self.target, "index.html")
            write_page(made, overview_page(self._screened))
        if not quiet and self._n_written:
            note(f"the page is {made}")

    def _keep(self, report: Report, file: str) -> None:
        from pmbf.pages import OverviewRow

        name = f"Text {len(self._screened) + 1}" if self.hide_names else report.query.name
        problem = "" if self.hide_names else "; ".join(report.problems[:1])
        certainty, more = report.certainty or "", "; ".join(_more(report))
        self._screened.append(OverviewRow(name, report.coverage, report.n_sources, certainty, file, problem, more))


def _more(report: Report) -> Iterator[str]:
    """Yield in words what was found that the share leaves out."""
    from pmbf.pages.markup import counted, percent
    from pmbf.report.values import told_amounts

    if report.not_counted:
        yield f"found, but not counted: {told_amounts(report.not_counted, report.query.n_chars, percent)}"
    if report.n_below:
        yield f"{counted(report.n_below, 'source')} below the threshold"


def pages_of(html: str | None, param: Mapping[str, Any], *, force: bool = False) -> Pages | None:
    """Return where the pages go, by the settings of pages, or None if no page is asked for."""
    if html is None:
        for name in param:
            raise ParameterError(f"--param {name} is for pages; add --html FILE")
        return None
    return Pages(html, param.get("html_sources", "passages"), param.get("hide_names", False), force)


def file_name(name: str) -> str:
    """Return a text's name as the name of a file: letters, digits, dots and dashes, at most 80.

    >>> file_name("essays/Ann Müller: tides?.docx")
    'Ann-Müller-tides-.docx'
    """
    return re.sub(r"[^\w.]+", "-", os.path.basename(name))[-80:].lstrip(".-") or "text"
