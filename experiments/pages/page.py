"""Shared by the pages: a page of docs/ is a template, the figures it needs, and the plots beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from textwrap import fill
from typing import Any

from measure import report
from measure.plotting import plot

Figures = dict[str, Any]
RESULTS = report.ROOT / "experiments" / "results"
DOCS = report.ROOT / "docs"
WIDTH = 120
HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Page:
    """A page that is written from figures.

    Args:
        name: Name of the page in docs/ and of its template here, without the ending.
        figures: Names of the files of figures in experiments/results, without the ending.
        parts: Returns the text for each name in the template, given the figures by name.
        plots: By the name of a plot in docs/plots, the function that draws it and the figures it takes.
    """

    name: str
    figures: tuple[str, ...]
    parts: Callable[[dict[str, Figures]], dict[str, str]]
    plots: Mapping[str, tuple[Callable[[Any, Figures], None], str]] = field(default_factory=dict)

    def read(self, results: Path = RESULTS) -> dict[str, Figures]:
        """Return the figures, by the name of their file."""
        return report.figures(results, self.figures)

    def text(self, figures: dict[str, Figures]) -> str:
        """Return the page."""
        template = (HERE / f"{self.name}.template.md").read_text(encoding="utf-8")
        lines = Template(template).substitute(self.parts(figures)).split("\n")
        return "\n".join(_wrapped(line) for line in lines)

    def write(self, results: Path = RESULTS, docs: Path = DOCS) -> None:
        """Write the page and its plots."""
        figures = self.read(results)
        (docs / f"{self.name}.md").write_text(self.text(figures), encoding="utf-8")
        for name, (draw, some) in self.plots.items():
            with plot(docs / "plots" / f"{name}.svg") as axes:
                draw(axes, figures[some])


def _wrapped(line: str) -> str:
    """Return a line of prose in lines of at most `WIDTH` columns. Tables, code and lists stay unchanged."""
    if len(line) <= WIDTH or line.startswith(("|", " ", "#", "!")):
        return line
    return fill(line, WIDTH, break_long_words=False, break_on_hyphens=False)


def source(name: str, figures: Mapping[str, Figures]) -> str:
    """Return the file of some figures, and what ran where. For detections this is the run, not the scoring."""
    about = figures[name].get("run", figures[name])["about"]
    return f"[`{name}.json`](../experiments/results/{name}.json): {report.line(about)}."


def commits(names: Iterable[str], figures: Mapping[str, Figures]) -> str:
    """Return the commits at which some figures were measured, when, and the files they stand in."""
    names = list(names)
    about = [figures[name]["about"] for name in names]
    told = sorted({f"commit {one['commit']}, {one['date']}" for one in about})
    files = ", ".join(f"[`{name}`](../experiments/results/{name}.json)" for name in names)
    return f"Measured at {'; '.join(told)}; {about[0]['kernels']} kernels. Figures: {files}."


def stored_table(one: Figures) -> str:
    """Return a table of figures that were measured once, with their commit and corpus."""
    lines = report.head(f"| {' | '.join(one['columns'])} |")
    lines += [f"| {' | '.join(map(str, row))} |" for row in one["rows"]]
    told = f"Measured at commit {one['commit']}, {one['date']}, on {one['corpus']}. {one['remark']}"
    return f"{told}\n\n" + "\n".join(lines)
