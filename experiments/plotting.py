"""A plot of some figures, as SVG or PNG; matplotlib is imported where one is drawn."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pmbf.errors import ParameterError, UnsupportedError

ENDINGS = (".svg", ".png")


def check_plot(path: Path) -> Any:
    """Return what draws a plot.

    Raises:
        ParameterError: The file's name ends otherwise than in one of `ENDINGS`.
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
    """Yield the axes of a plot, and write it; raises what `check_plot` raises."""
    pyplot = check_plot(path)
    # Text stays text, and the same figures give the same file.
    with pyplot.rc_context({"svg.fonttype": "none", "svg.hashsalt": "pmbf"}):
        figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
        yield axes
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
        pyplot.close(figure)
