"""What is found as a collection grows, by sensitivity and profile: a table and curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from experiments.pages.page import Figures
from experiments.retrieval import CLEAN
from measure import report
from measure.corpora import PAN13_KINDS
from measure.plotting import COLOURS, written_out

NAMES = ("growing-default", "growing-obfuscation")
REWORDED = tuple(PAN13_KINDS)[1:]
LINES = {"fast": ":", "normal": "-", "thorough": "--"}


def table(figures: dict[str, Figures]) -> str:
    """Return recall, price and time by the number of documents, profile and sensitivity as a Markdown table."""
    kinds = ", ".join(PAN13_KINDS[kind] for kind in REWORDED)
    lines = report.head(
        f"| documents | profile | sensitivity | candidates: {kinds} | shown: {kinds} | candidates a query, clean "
        "| random | false alarms, clean | ms a screening, clean | random |"
    )
    for name in NAMES:
        lines += _lines(name.removeprefix("growing-"), figures[name])
    return "\n".join(lines)


def _lines(profile: str, figures: Figures) -> Iterator[str]:
    points = {(one["n_documents"], one["sensitivity"], one["kind"]): one for one in figures["points"]}
    for n_documents, sensitivity in dict.fromkeys((n, name) for n, name, _ in points):
        found = {kind: points[n_documents, sensitivity, kind] for kind in (CLEAN, *REWORDED)}
        cells = [" ".join(f"{found[kind][what]:.3f}" for kind in REWORDED) for what in ("recall", "shown")]
        cells += [f"{found[kind]['candidates']:.1f}" for kind in (CLEAN, REWORDED[0])]
        cells.append(f"{found[CLEAN]['false']:.3f}")
        cells += [f"{found[kind]['ms_screen']:.1f}" for kind in (CLEAN, REWORDED[0])]
        yield f"| {n_documents:,} | {profile} | {sensitivity} | {' | '.join(cells)} |"


def draw_recall(axes: Any, figures: Figures) -> None:
    """Draw the share of the sources that are candidates, by the number of documents."""
    _draw(axes, figures, "recall", REWORDED)
    axes.set(xlabel="documents", ylabel="sources that are candidates", ylim=(0.75, 1.01))


def draw_time(axes: Any, figures: Figures) -> None:
    """Draw the median time of a screening, by the number of documents."""
    _draw(axes, figures, "ms_screen", (CLEAN, REWORDED[0]))
    axes.set(xlabel="documents", ylabel="ms of processor time a screening")
    axes.set_ylim(bottom=0)


PLOTS: dict[str, tuple[Callable[[Any, Figures], None], str]] = {
    f"{name}-{what}": (draw, name) for name in NAMES for what, draw in (("recall", draw_recall), ("time", draw_time))
}
"""By the name of a plot, the function that draws it and the figures it takes."""


def _draw(axes: Any, figures: Figures, what: str, kinds: tuple[str, ...]) -> None:
    """Draw one curve for each kind of pairs and sensitivity: a colour a kind, a line a sensitivity."""
    for kind, colour in zip(kinds, COLOURS, strict=False):
        for sensitivity, line in LINES.items():
            some = [one for one in figures["points"] if (one["kind"], one["sensitivity"]) == (kind, sensitivity)]
            label = f"{PAN13_KINDS.get(kind, 'clean')}, {sensitivity}"
            places = [one["n_documents"] for one in some]
            axes.plot(places, [one[what] for one in some], line, marker="o", color=colour, label=label)
    axes.set_xscale("log")
    axes.set_xticks(sorted({one["n_documents"] for one in figures["points"]}))
    axes.minorticks_off()
    written_out(axes.xaxis)
