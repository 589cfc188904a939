"""Charts as SVG, without script and without `style=`: their colours are CSS classes of `base.css`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pmbf.pages.markup import escaped

WIDTH, HEIGHT, BASE = 240, 72, 58
"""Of a histogram, in units of its own: its width, its height, and where the bars stand."""


class HistogramBar(NamedTuple):
    """A bar of a histogram: what it counts, how many, and what is said of it."""

    label: str
    n: int
    title: str


def histogram(bars: Sequence[HistogramBar], caption: str) -> str:
    """Return a histogram with the labels of its bars below them.

    Args:
        bars: From left to right.
        caption: What a screen reader says of the whole.
    """
    most, width = max((bar.n for bar in bars), default=0) or 1, WIDTH / max(1, len(bars))
    drawn = []
    for i, bar in enumerate(bars):
        height = round((BASE - 12) * bar.n / most, 1)
        x, middle = round(i * width + 1, 1), round((i + 0.5) * width, 1)
        drawn.append(
            f'<g><title>{escaped(bar.title)}</title><rect class="bar" x="{x}" y="{round(BASE - height, 1)}" '
            f'width="{round(width - 2, 1)}" height="{height}"/>'
            + (f'<text x="{middle}" y="{round(BASE - height - 3, 1)}">{bar.n:,}</text>' if bar.n else "")
            + f'<text class="axis" x="{middle}" y="{HEIGHT - 2}">{escaped(bar.label)}</text></g>'
        )
    spoken = ", ".join(bar.title for bar in bars if bar.n)
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escaped(f"{caption}: {spoken}")}">'
        f'<line class="ground" x1="0" x2="{WIDTH}" y1="{BASE}" y2="{BASE}"/>{"".join(drawn)}</svg>'
    )


def shares_histogram(shares: Sequence[float], caption: str) -> str:
    """Return a histogram of shares from 0 to 1, in ten bars."""
    counts = [0] * 10
    for share in shares:
        counts[min(9, int(share * 10))] += 1
    titles = [f"{10 * i} to {10 * i + 10} %: {n} text{'' if n == 1 else 's'}" for i, n in enumerate(counts)]
    return histogram(
        [HistogramBar(f"{10 * i}", n, title) for i, (n, title) in enumerate(zip(counts, titles, strict=True))], caption
    )
