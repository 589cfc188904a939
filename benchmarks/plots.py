"""Plots of the figures as SVG: quiet, and legible on white and on black."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from benchmarks.verdicts import OURS, WHOLE

Figures = dict[str, Any]
GREY = "#808080"
COLOURS = ("#2f86d6", "#e07b1f", "#1f9e6e", "#b05fd0")
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "pmbf",
    "font.size": 10,
    "text.color": GREY,
    "axes.edgecolor": GREY,
    "axes.labelcolor": GREY,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": GREY,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
}


def write(figures: dict[str, Figures], folder: Path) -> None:
    """Write all plots into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    pyplot = importlib.import_module("matplotlib.pyplot")
    with pyplot.rc_context(STYLE):
        for name, draw, some in (
            ("growth-time", _times, figures["growth"]),
            ("growth-size", _sizes, figures["growth"]),
            ("peers", _peers, figures["peers-small"]),
        ):
            figure, axes = pyplot.subplots(figsize=(7, 3.8), layout="constrained")
            draw(axes, some)
            figure.savefig(folder / f"{name}.svg", transparent=True, metadata={"Date": None})
            pyplot.close(figure)


def _times(axes: Any, growth: Figures) -> None:
    for colour, what, label in (
        (COLOURS[0], "candidates", "candidates"),
        (COLOURS[1], "screen", "whole screen"),
    ):
        _lines(axes, growth, f"{what}_p50_s", 1e3, colour, f"{label}, median")
        _lines(axes, growth, f"{what}_p99_s", 1e3, colour, f"{label}, p99", "--")
    _lines(axes, growth, "cli_screen_cpu_s", 1e3, COLOURS[2], "pmbf screen, the process")
    _lines(axes, growth, "open_s", 1e3, COLOURS[3], "opening")
    _log_axes(axes, "time, ms")


def _sizes(axes: Any, growth: Figures) -> None:
    _lines(axes, growth, "disk_index_bytes", 1e-6, COLOURS[0], "disk: tiles, fingerprints, catalog")
    _lines(axes, growth, "disk_text_bytes", 1e-6, COLOURS[1], "disk: texts")
    _lines(axes, growth, "load_peak_bytes", 1e-6, COLOURS[2], "memory, loading (peak)")
    _lines(axes, growth, "candidates_held_bytes", 1e-6, COLOURS[3], "memory, asking")
    _log_axes(axes, "MB")


def _lines(axes: Any, growth: Figures, key: str, scale: float, colour: str, label: str, style: str = "-") -> None:
    """Draw real documents with full marks, synthetic ones with hollow marks, each kind joined."""
    for kind, face in (("real", colour), ("synthetic", "none")):
        some = [one for one in growth["results"] if one["kind"] == kind and one.get(key)]
        if some:
            numbers, values = [one["n_documents"] for one in some], [one[key] * scale for one in some]
            shown = label if kind == "real" else None
            axes.plot(numbers, values, style, marker="o", color=colour, markerfacecolor=face, label=shown)


def _log_axes(axes: Any, label: str) -> None:
    axes.set(xscale="log", yscale="log", xlabel="documents (hollow: synthetic)", ylabel=label)
    _plain(axes.xaxis, axes.yaxis)
    axes.figure.legend(loc="outside right upper", fontsize=8)


def _peers(axes: Any, peers: Figures) -> None:
    for one in peers["results"]:
        if "failed" in one:
            continue
        cells = one["found"]["cells"]
        found = (cells["1 % verbatim"]["named"] + cells["1 % edited"]["named"]) / 2
        ours = one["name"] in (OURS, WHOLE)
        at = one["query_p50_s"] * 1e3, found
        axes.plot(*at, "o", color=COLOURS[0] if ours else COLOURS[1])
        axes.annotate(one["name"], at, xytext=(6, -3), textcoords="offset points", fontsize=8)
    axes.set(xscale="log", xlabel="a query, median, ms of a processor", ylabel="1 % passages named, share")
    axes.set_ylim(-0.05, 1.08)
    axes.margins(x=0.25)
    _plain(axes.xaxis)


def _plain(*some: Any) -> None:
    """Write the numbers of logarithmic axes out."""
    for axis in some:
        axis.set_major_formatter(lambda value, _: f"{value:,g}" if value < 1e6 else f"{value / 1e6:g} million")
