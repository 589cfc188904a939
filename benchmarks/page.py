"""docs/performance.md, written from a template and the figures in benchmarks/results: `python -m benchmarks page`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from string import Template
from typing import Any

from benchmarks import (
    growth,
    guard,
    headers,
    larger,
    loading,
    peers,
    selfjoin,
    upkeep,
    verdicts,
)
from measure import report
from pmbf.base.errors import ParameterError

Figures = dict[str, Any]
RESULTS = report.ROOT / "benchmarks" / "results"
TEMPLATE = report.ROOT / "benchmarks" / "performance.template.md"
PAGE = report.ROOT / "docs" / "performance.md"
PEERS = ("peers-small",)
TABLES: dict[str, Callable[[Figures], str]] = {
    "growth": growth.table,
    "guard": guard.table,
    "headers": headers.table,
    "larger": larger.table,
    "loading": loading.table,
    "selfjoin": selfjoin.table,
    "upkeep": upkeep.table,
    **dict.fromkeys(PEERS, peers.table),
}


def read(results: Path = RESULTS) -> dict[str, Figures]:
    """Return the figures of each benchmark, by the name of their file."""
    return report.figures(results, TABLES)


def write(results: Path = RESULTS, page: Path = PAGE, *, earlier: bool = False) -> None:
    """Write the page and its plots.

    Args:
        results: Where the figures are.
        page: The file to write.
        earlier: Whether figures of an earlier engine are taken; the page says so of each.

    Raises:
        ParameterError: Figures are of an earlier engine.
    """
    from benchmarks import plots

    figures = read(results)
    old = [name for name, some in figures.items() if _is_earlier(some)]
    if old and not earlier:
        raise ParameterError(f"figures of an earlier engine: {', '.join(old)}; measure again, or add --earlier")
    page.write_text(text(figures), encoding="utf-8")
    plots.write(figures, page.parent / "plots")


def text(figures: dict[str, Figures]) -> str:
    """Return the page."""
    tables = {name: f"{_source(name, figures[name])}\n\n{table(figures[name])}" for name, table in TABLES.items()}
    corpora = {name: figures[name]["corpus"] for name in PEERS}
    tables["peers"] = "\n".join(f"### {corpora[name]}\n\n{tables.pop(name)}" for name in PEERS)
    tables["short"] = "\n".join(f"### {corpora[name]}\n\n{_short(figures[name])}" for name in PEERS)
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(tables)


def _source(name: str, some: Figures) -> str:
    told = f"From [`{name}.json`](../benchmarks/results/{name}.json)."
    return f"{told} **Measured with an earlier engine.**" if _is_earlier(some) else told


def _is_earlier(some: Figures) -> bool:
    return bool(some["about"].get("code") != report.code())


def _short(some: Figures) -> str:
    """Return a summary: in which respects pmbf is ahead of the best peer, and in which it is not."""
    lines = report.head("| candidates alone | pmbf | best peer | | pmbf is |")
    for one in sorted(verdicts.costs(some), key=lambda one: -one.factor):
        better = f"{one.factor:.1f} × better" if one.factor >= 1 else f"**{1 / one.factor:.1f} × worse**"
        lines.append(f"| {one.what} | {one.ours} | {one.theirs} | {one.peer} | {better} |")
    lines += ["", *report.head("| named, at the cut | candidates | whole screen | best peer | |")]
    for cell, ours, whole, best, peer in verdicts.recalls(some):
        shown = (f"{share:.2f}" if share >= best else f"**{share:.2f}**" for share in (ours, whole))
        lines.append(f"| {cell} | {' | '.join(shown)} | {best:.2f} | {peer} |")
    return "\n".join(lines) + "\n"
