"""docs/pan.md, written from a template and the figures in experiments/results: `python -m experiments page`."""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import Any

from experiments import others
from experiments.pan import command, rivals
from measure.plotting import plot
from measure import report

Figures = dict[str, Any]
RESULTS = report.ROOT / "experiments" / "results"
TEMPLATE = report.ROOT / "experiments" / "pan.template.md"
PAGE = report.ROOT / "docs" / "pan.md"
NAMES = ("pan13-align", "pan13-retrieve", "rivals", "others")
KINDS = {
    "none": "02-no-obfuscation",
    "random": "03-random-obfuscation",
    "translation": "04-translation-obfuscation",
    "summary": "05-summary-obfuscation",
    "all": "all",
}
PUBLISHED = (
    ("Sánchez-Pérez, Sidorov & Gelbukh, first of 2014", (0.900, 0.884, 0.887, 0.561, 0.878)),
    ("Rodríguez Torrejón & Martín Ramos, first of 2013", (0.926, 0.747, 0.851, 0.341, 0.822)),
    ("Suchomel, Kasprzak & Brandejs 2013, best at summaries", (0.818, 0.753, 0.675, 0.610, 0.745)),
    ("PAN's baseline of 50-grams", (None, None, None, None, 0.422)),
)
"""Plagdet on the test corpus, as the overviews of the competitions give it, by `KINDS`."""


def read(results: Path = RESULTS) -> dict[str, Figures]:
    """Return the figures of each run, by the name of their file."""
    return report.figures(results, NAMES)


def write(results: Path = RESULTS, page: Path = PAGE) -> None:
    """Write the page and its plot."""
    figures = read(results)
    page.write_text(text(figures), encoding="utf-8")
    with plot(page.parent / "plots" / "pan13.svg") as axes:
        command.draw(axes, figures["pan13-align"])


def text(figures: dict[str, Figures]) -> str:
    """Return the page."""
    parts = {
        "published": _published(figures),
        "align": _with_source("pan13-align", figures, command.tables(figures["pan13-align"])),
        "retrieve": _with_source("pan13-retrieve", figures, command.tables(figures["pan13-retrieve"])),
        "rivals": _with_source("rivals", figures, rivals.table(figures["rivals"])),
        "others": _with_source("others", figures, others.table(figures["others"])),
        "sample": str(max(figures["rivals"]["kinds"].values())),
    }
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(parts)


def _with_source(name: str, figures: dict[str, Figures], table: str) -> str:
    """Return a table below the run it comes from: the commit is that of the detections, not that of the scoring."""
    about = figures[name].get("run", figures[name])["about"]
    return f"[`{name}.json`](../experiments/results/{name}.json): {report.line(about)}.\n\n{table}"


def _published(figures: dict[str, Figures]) -> str:
    lines = report.head("| plagdet | corpus | " + " | ".join(KINDS) + " |")
    for name, step in (("pmbf, pairs given", "pan13-align"), ("pmbf, sources sought among all", "pan13-retrieve")):
        scores = figures[step]["scores"]
        cells = " | ".join(f"{scores[kind]['macro']['plagdet']:.3f}" for kind in KINDS.values())
        lines.append(f"| {name} | training | {cells} |")
    for name, some in PUBLISHED:
        lines.append(f"| {name} | test | " + " | ".join(f"{one:.3f}" if one else "" for one in some) + " |")
    return "\n".join(lines)
