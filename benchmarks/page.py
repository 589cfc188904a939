"""docs/performance.md, written from a template and the figures in benchmarks/results: `python -m benchmarks page`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from string import Template
from textwrap import fill
from typing import Any

from benchmarks import (
    doubling,
    growth,
    guard,
    headers,
    huge,
    larger,
    loading,
    peers,
    reworded,
    selfjoin,
    upkeep,
    verdicts,
)
from measure import report

Figures = dict[str, Any]
RESULTS = report.ROOT / "benchmarks" / "results"
TEMPLATE = report.ROOT / "benchmarks" / "performance.template.md"
PAGE = report.ROOT / "docs" / "performance.md"
PEERS = ("peers-small",)
TABLES: dict[str, Callable[[Figures], str]] = {
    "doubling": doubling.table,
    "growth": growth.table,
    "guard": guard.table,
    "headers": headers.table,
    "huge": huge.table,
    "larger": larger.table,
    "loading": loading.table,
    "reworded": reworded.table,
    "selfjoin": selfjoin.table,
    "upkeep": upkeep.table,
    **dict.fromkeys(PEERS, peers.table),
}


def read(results: Path = RESULTS) -> dict[str, Figures]:
    """Return the figures of each benchmark, by the name of their file."""
    return report.figures(results, TABLES)


def write(results: Path = RESULTS, page: Path = PAGE) -> None:
    """Write the page and its plots."""
    from benchmarks import plots

    figures = read(results)
    page.write_text(text(figures), encoding="utf-8")
    plots.write(figures, page.parent / "plots")


def text(figures: dict[str, Figures]) -> str:
    """Return the page, of the figures alone: it is the same whatever the engine is today."""
    newest = max((some["about"] for some in figures.values()), key=lambda about: str(about["date"]))
    tables = {
        name: f"{_source(name, figures[name], newest)}\n\n{shown(figures[name])}" for name, shown in TABLES.items()
    }
    corpora = {name: figures[name]["corpus"] for name in PEERS}
    tables["peers"] = "\n".join(f"### {corpora[name]}\n\n{tables.pop(name)}" for name in PEERS)
    tables["short"] = "\n".join(f"### {corpora[name]}\n\n{_short(figures[name])}" for name in PEERS)
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(tables)


def _source(name: str, some: Figures, newest: Figures) -> str:
    """Return where the figures stand, and which of them are of an earlier engine than the newest of the page."""
    about = some["about"]
    told = f"From [`{name}.json`](../benchmarks/results/{name}.json)."
    if about["commit"] != newest["commit"] and report.changed(about.get("code"), newest.get("code", {})):
        told += " **Measured with an earlier engine.**"
    results = [one for one in some.get("results", ()) if "commit" in one]
    if others := [f"*{one['name']}*" for one in results if one["commit"] != about["commit"]]:
        told += f" At earlier commits: {', '.join(others)}."
    return fill(told, 120, break_on_hyphens=False)


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
