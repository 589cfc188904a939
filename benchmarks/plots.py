"""Plots of the figures as SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.verdicts import OURS, WHOLE
from measure.plotting import COLOURS, label_points, plot, written_out

Figures = dict[str, Any]


def write(figures: dict[str, Figures], folder: Path) -> None:
    """Write all plots into a folder."""
    for name, draw, some in (
        ("growth-time", _times, figures["growth"]),
        ("growth-size", _sizes, figures["growth"]),
        ("peers", _peers, figures["peers-small"]),
    ):
        with plot(folder / f"{name}.svg") as axes:
            draw(axes, some)


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
    """Draw real documents with full marks and synthetic documents with hollow marks, each kind joined."""
    for kind, face in (("real", colour), ("synthetic", "none")):
        some = [one for one in growth["results"] if one["kind"] == kind and one.get(key)]
        if some:
            numbers, values = [one["n_documents"] for one in some], [one[key] * scale for one in some]
            shown = label if kind == "real" else None
            axes.plot(numbers, values, style, marker="o", color=colour, markerfacecolor=face, label=shown)


def _log_axes(axes: Any, label: str) -> None:
    axes.set(xscale="log", yscale="log", xlabel="documents (hollow: synthetic)", ylabel=label)
    written_out(axes.xaxis, axes.yaxis)


def _peers(axes: Any, peers: Figures) -> None:
    points = []
    for one in peers["results"]:
        if "failed" in one:
            continue
        cells = one["found"]["cells"]
        found = (cells["1 % verbatim"]["named"] + cells["1 % edited"]["named"]) / 2
        points.append((one["name"], one["query_p50_s"] * 1e3, found))
    axes.set(xscale="log", xlabel="a query, median, ms of a processor", ylabel="1 % passages named, share")
    axes.set_ylim(-0.1, 1.12)
    axes.margins(x=0.35)
    for name, x, y in points:
        axes.plot(x, y, "o", color=COLOURS[0] if name in (OURS, WHOLE) else COLOURS[1])
    written_out(axes.xaxis)
    label_points(axes, points)
