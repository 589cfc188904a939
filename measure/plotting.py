"""A plot of figures as SVG or PNG, legible on white and on black. matplotlib is imported only when a plot is drawn."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pmbf.base.errors import ParameterError, UnsupportedError

ENDINGS = (".svg", ".png")
GREY = "#808080"
COLOURS = ("#2f86d6", "#e07b1f", "#1f9e6e", "#b05fd0")
STYLE = {
    # Text stays text, and the same figures give the same file.
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
    "axes.axisbelow": True,
    "grid.color": GREY,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
}
_PLACES = ((7, -3, "left"), (-7, -3, "right"), (0, 7, "center"), (0, -14, "center"), (7, -14, "left"), (-7, 7, "right"))
"""Where a label may stand beside its point: offset in points, and the side of the label at it. The first free place is
taken."""


def check_plot(path: Path) -> Any:
    """Return the library that draws a plot.

    Raises:
        ParameterError: The file's name does not end in one of `ENDINGS`.
        UnsupportedError: matplotlib is not installed.
    """
    if path.suffix not in ENDINGS:
        raise ParameterError(f"{path}: a plot's name ends in {' or '.join(ENDINGS)}")
    try:
        return importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise UnsupportedError("a plot needs matplotlib: pip install 'pmbf[bench]'") from None


@contextmanager
def plot(path: Path) -> Iterator[Any]:
    """Yield the axes of a plot, then write the plot with a legend beside it. Raises the errors of `check_plot`."""
    pyplot = check_plot(path)
    with pyplot.rc_context(STYLE):
        figure, axes = pyplot.subplots(figsize=(7, 3.8), layout="constrained")
        yield axes
        if any(one.get_legend_handles_labels()[0] for one in figure.axes):
            figure.legend(loc="outside right upper")
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, transparent=True, metadata={"Date": None} if path.suffix == ".svg" else None)
        pyplot.close(figure)


def written_out(*some: Any) -> None:
    """Write the numbers of logarithmic axes out."""
    for axis in some:
        axis.set_major_formatter(lambda value, _: f"{value:,g}" if value < 1e6 else f"{value / 1e6:g} million")


def label_points(axes: Any, points: Iterable[tuple[str, float, float]]) -> None:
    """Write each point's name beside it, where it covers no point and no other name. Set limits and scales before.

    Args:
        axes: Axes with the points drawn.
        points: Name, x and y of each.

    Raises:
        ParameterError: A name has no free place.
    """
    axes.figure.canvas.draw()
    named = list(points)
    dots = [axes.transData.transform((x, y)) for _, x, y in named]
    taken: list[Any] = []
    for (name, x, y), own in zip(named, dots, strict=True):
        for dx, dy, side in _PLACES:
            label = axes.annotate(name, (x, y), xytext=(dx, dy), textcoords="offset points", fontsize=8, ha=side)
            box = label.get_window_extent()
            free = not any(box.overlaps(other) for other in taken)
            free = free and not any(box.contains(*dot) for dot in dots if dot is not own)
            if free and axes.bbox.x0 <= box.x0 and box.x1 <= axes.bbox.x1:
                taken.append(box)
                break
            label.remove()
        else:
            raise ParameterError(f"{name}: its label covers another wherever it stands; draw a larger plot")
