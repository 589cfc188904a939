"""A plot of some figures, as SVG or PNG; matplotlib is imported where one is drawn."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def plot(path: Path) -> Iterator[Any]:
    """Yield the axes of a plot, and write it.

    Raises:
        SystemExit: matplotlib is not installed.
    """
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise SystemExit("a plot needs matplotlib: pip install 'pmbf[bench]'") from None
    # Text stays text, and the same figures give the same file.
    with pyplot.rc_context({"svg.fonttype": "none", "svg.hashsalt": "pmbf"}):
        figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
        yield axes
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
        pyplot.close(figure)
