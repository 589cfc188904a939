"""docs/pan.md: the figures of pmbf on PAN's corpora, beside those of the competitions."""

from __future__ import annotations

from collections.abc import Iterable

from experiments import others
from experiments.pages import growth
from experiments.pages.page import Figures, Page, commits, source
from experiments.pan import command, halves, losses, rivals
from measure import report

KINDS = {
    "none": "02-no-obfuscation",
    "random": "03-random-obfuscation",
    "translation": "04-translation-obfuscation",
    "summary": "05-summary-obfuscation",
    "all": "all",
}
STEPS = {"given": "pan13-align", "given, strict": "pan13-align-strict", "sought": "pan13-retrieve"}
"""The steps whose losses stand beside each other."""

PUBLISHED = (
    ("Sánchez-Pérez, Sidorov & Gelbukh, first of 2014", (0.900, 0.884, 0.887, 0.561, 0.878)),
    ("Rodríguez Torrejón & Martín Ramos, first of 2013", (0.926, 0.747, 0.851, 0.341, 0.822)),
    ("Suchomel, Kasprzak & Brandejs 2013, best at summaries", (0.818, 0.753, 0.675, 0.610, 0.745)),
    ("PAN's baseline of 50-grams", (None, None, None, None, 0.422)),
)
"""Plagdet on the test corpus, as the overviews of the competitions give it, by `KINDS`."""


def parts(figures: dict[str, Figures]) -> dict[str, str]:
    """Return the text for each name in the template."""
    retrieved = figures["pan13-retrieve"]
    return {
        "published": _published(figures),
        "align": _with_source("pan13-align", figures, command.tables(figures["pan13-align"])),
        "retrieve": _with_source("pan13-retrieve", figures, command.tables(retrieved)),
        "losses": losses.table({step: figures[name]["losses"] for step, name in STEPS.items()}),
        "losses_source": commits(tuple(STEPS.values()), figures),
        "rivals": _with_source("rivals", figures, rivals.table(figures["rivals"])),
        "others": _with_source("others", figures, others.table(figures["others"])),
        "sample": str(max(figures["rivals"]["kinds"].values())),
        "sources": f"{retrieved['sources']:,}",
        "suspicious": f"{retrieved['suspicious']:,}",
        "unlisted": f"{retrieved['unlisted']['detections']:,}",
        "unlisted_runs": f"{retrieved['unlisted']['on_shared_runs']:,}",
        "growth": growth.table(figures),
        "growth_source": commits(growth.NAMES, figures),
    }


PAGE = Page(
    "pan",
    (*STEPS.values(), "rivals", "others", *growth.NAMES),
    parts,
    {"pan13": (command.draw, "pan13-align")},
)


def _with_source(name: str, figures: dict[str, Figures], table: str) -> str:
    return f"{source(name, figures)}\n\n{table}"


def _published(figures: dict[str, Figures]) -> str:
    lines = report.head("| plagdet | corpus | " + " | ".join(KINDS) + " |")
    for name, step in (("pairs given", "pan13-align"), ("sources sought", "pan13-retrieve")):
        scores = figures[step]["scores"]
        cells = (scores[kind]["macro"]["plagdet"] for kind in KINDS.values())
        lines.append(f"| pmbf, {name} | training, all | {_cells(cells)} |")
        for half, numbers in halves.NUMBERS.items():
            some = figures[step]["halves"][half]["scores"]
            lines.append(f"| | training, {numbers} | {_cells(some[kind]['plagdet'] for kind in KINDS.values())} |")
    lines += [f"| {name} | test | {_cells(some)} |" for name, some in PUBLISHED]
    return "\n".join(lines)


def _cells(scores: Iterable[float | None]) -> str:
    return " | ".join("" if one is None else f"{one:.3f}" for one in scores)
