"""Thresholds that are chosen on the texts of one seed, and shown on the texts of another.

The paper does not say where its thresholds lie, nor how they were chosen. A threshold that is chosen on the texts that
it is measured on looks better than it is. Here each way to count gets the threshold with the greatest F1 on the texts
of one seed; the mistakes are then counted on the texts of the next seed. F1 is the harmonic mean of the paper's
precision (formula 1) and of the share of copies that are found. Layouts, ways to count and stages are those of
`mistakes`; rows count as found by the stage *rows*, evidence by the stage *candidates*.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from experiments.paper import mistakes
from experiments.paper.copies import Copy, Pair
from experiments.paper.mistakes import FULL as FULL
from experiments.paper.mistakes import PUBLISHED as PUBLISHED
from experiments.paper.mistakes import SHIPPED, Size, precision
from experiments.paper.mistakes import SMALL as SMALL
from measure import report
from pmbf.base.params import Params
from pmbf.screen import Options
from pmbf.store.folder import Store

GRID: dict[str, tuple[float, ...]] = {
    "bits": (1e-12, 1e-9, 1e-6, 1e-4, 0.01, 1, 100),
    "hashes": (1e-36, 1e-24, 1e-18, 1e-12, 1e-6, 0.01, 1),
    "evidence": (12, 16, 20, 24, 28, 32, 40),
}
"""Thresholds that are tried: false rows allowed a query; for evidence, nats."""

Tried = dict[tuple[str, str], dict[float, dict[str, Any]]]
"""The mistakes, by layout and way to count, and by threshold."""


def run(size: Size, *, corpus: Path | None, seed: int) -> dict[str, Any]:
    """Return for each layout and way to count the chosen threshold, and its mistakes on both seeds."""
    tried, n_copies = _tried(size, corpus, seed, lambda name, counted: GRID[counted], proven=False)
    picked = {
        which: max(some, key=lambda value: (f1(some[value]["found"], n_copies), value)) for which, some in tried.items()
    }
    shown, n_shown = _tried(size, corpus, seed + 1, lambda name, counted: (picked[name, counted],), proven=True)
    results = [
        {
            "name": which[0],
            "counted": which[1],
            "threshold": value,
            "chosen_on": tried[which][value]["found"],
            "tried": {str(one): stages["found"] for one, stages in tried[which].items()},
            "shown_on": shown[which][value],
        }
        for which, value in picked.items()
    ]
    return {
        "pairs": size.n_documents**2,
        "copies": {"chosen_on": n_copies, "shown_on": n_shown},
        "params": asdict(Params()),
        "grid": {name: list(values) for name, values in GRID.items()},
        "results": results,
    }


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a Markdown table."""
    n_chosen, n_shown = figures["copies"]["chosen_on"], figures["copies"]["shown_on"]
    n_queries = figures["size"]["n_documents"]
    titles = "| rows | counted | threshold | stage | false positives a query | false negatives | precision |"
    lines = [f"{figures['pairs']} pairs; {n_chosen} copies of the seed that was chosen on, {n_shown} of the other.", ""]
    lines += report.head(titles)
    for one in figures["results"]:
        nats = " nats" if one["counted"] == "evidence" else " false rows"
        start = f"| {one['name']} | {one['counted']} | {one['threshold']:g}{nats} |"
        stage = "candidates" if one["counted"] == "evidence" else "rows"
        lines.append(f"{start} {stage}, chosen on | {_cells(one['chosen_on'], n_chosen, n_queries)}")
        for name, some in one["shown_on"].items():
            lines.append(f"{start} {stage if name == 'found' else name} | {_cells(some, n_shown, n_queries)}")
    return "\n".join(lines)


def _cells(some: dict[str, Any], n_copies: int, n_queries: int) -> str:
    n_false, n_missed = some["false_positives"], some["false_negatives"]
    share = precision(n_copies - n_missed, n_false)
    return f"{n_false / n_queries:.3f} | {n_missed} ({n_missed / n_copies:.1%}) | {share:.1%} |"


def _best(tried: dict[float, dict[str, Any]], n_copies: int) -> float:
    """Return the threshold with the greatest F1; the greatest of several."""
    return max(tried, key=lambda value: (f1(tried[value]["found"], n_copies), value))


def f1(found: dict[str, Any], n_copies: int) -> float:
    """Return the harmonic mean of precision and recall, 0 to 1, given the mistakes and the number of copies."""
    n_right: int = n_copies - found["false_negatives"]
    n_false: int = found["false_positives"]
    return 2 * n_right / (n_right + n_false + n_copies)


def _tried(
    size: Size, corpus: Path | None, seed: int, values: Callable[[str, str], tuple[float, ...]], *, proven: bool
) -> tuple[Tried, int]:
    """Return the mistakes of a seed's texts at each threshold, and the number of copies.

    Args:
        size: As for `run`.
        corpus: As for `run`.
        seed: The seed of the texts.
        values: Returns the thresholds to try, given the layout and the way to count.
        proven: Whether candidates are compared in detail, too.
    """
    found: Tried = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        copies = mistakes.planted(folder, size, corpus, seed)
        for name, params in mistakes.layouts(folder, size):
            with mistakes.loaded(folder, params) as store:
                for counted in ["evidence"] if name == SHIPPED else ["bits", "hashes"]:
                    some = _stages(folder, store, counted, values(name, counted), copies, proven=proven)
                    found[name, counted] = dict(some)
    return found, len(copies)


def _stages(
    folder: Path, store: Store, counted: str, values: tuple[float, ...], copies: dict[Pair, Copy], *, proven: bool
) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield each threshold with its mistakes; `proven`: those after the detailed comparison, too."""
    for value in values:
        if counted == "evidence":
            pairs = mistakes.by_candidates(folder, store, Options(min_evidence=value))
        else:
            pairs = mistakes.by_rows(folder, store, counted, value)
        stages = {"found": mistakes.mistakes(pairs, copies)}
        if proven and counted == "evidence":
            stages["proven"] = mistakes.mistakes(mistakes.proven(folder, pairs), copies)
        yield value, stages
