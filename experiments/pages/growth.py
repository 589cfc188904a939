"""What is found as a collection grows, by sensitivity and profile: a table of docs/pan.md and docs/tradeoffs.md."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.pages.page import Figures
from experiments.retrieval import CLEAN
from measure import report
from measure.corpora import PAN13_KINDS

NAMES = ("growing-default", "growing-obfuscation")
REWORDED = tuple(PAN13_KINDS)[1:]


def table(figures: dict[str, Figures]) -> str:
    """Return recall, price and time by the number of documents, profile and sensitivity as a Markdown table."""
    kinds = ", ".join(PAN13_KINDS[kind] for kind in REWORDED)
    lines = report.head(
        f"| documents | profile | sensitivity | candidates: {kinds} | shown: {kinds} | candidates a query, clean "
        "| random | ms a screening, clean | random |"
    )
    for name in NAMES:
        lines += _lines(name.removeprefix("growing-"), figures[name])
    return "\n".join(lines)


def _lines(profile: str, figures: Figures) -> Iterator[str]:
    points = {(one["n_documents"], one["sensitivity"], one["kind"]): one for one in figures["points"]}
    for n_documents, sensitivity in dict.fromkeys((n, name) for n, name, _ in points):
        found = {kind: points[n_documents, sensitivity, kind] for kind in (CLEAN, *REWORDED)}
        cells = [" ".join(f"{found[kind][what]:.3f}" for kind in REWORDED) for what in ("recall", "shown")]
        for what in ("candidates", "ms_screen"):
            cells += [f"{found[kind][what]:.1f}" for kind in (CLEAN, REWORDED[0])]
        yield f"| {n_documents:,} | {profile} | {sensitivity} | {' | '.join(cells)} |"
