"""The charts of an overview: histogram, matrix, timeline, graph, as SVG without `style=`; a script moves the line.

Each mark that a pair stands for has `data-pair`, its number; each mark of a text has `data-text`. What shows a name has
`data-as`, the name to show if names are hidden.

The nodes of a graph are drawn component by component, in rows, the largest first. The layout of a component is that of
Fruchterman & Reingold 1991: edges pull, all nodes push, and the steps get smaller. The start is seeded, so that equal
graphs are drawn alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from pmbf.comparison.pages.names import HUES, NAME_CHARS, ShownNames
from pmbf.comparison.results import Comparison, Pair
from pmbf.pages.markup import escaped, percent

BINS = 20
"""Bars of the histogram: 5 % each."""
MOST_NODES = 300
"""Texts of a graph; if more are in a pair, then each cluster is a node."""
MOST_LABELLED = 30
"""Texts of a component whose names are drawn; the names of more would overlap."""
CELL = 14
MOST_CELLS = 150
"""Texts of a matrix that is drawn here; a larger one is drawn by a script."""

Edge = tuple[int, int, float]
"""Two nodes and a weight, above 0 to 1."""

ROUNDS = 160
_SEED = 1994
SPACING, MARGIN = 62.0, 34.0
"""Between neighbours, and around a component, in units of the drawing."""


def histogram(comparison: Comparison) -> str:
    """Return how many texts have which highest share, with the line."""
    width, base, top = 560, 132, 16
    counts = [0] * BINS
    for share in comparison.highest().values():
        counts[min(BINS - 1, int(share * BINS))] += 1
    most, step = max(counts) or 1, width / BINS
    drawn = []
    for i, n in enumerate(counts):
        height, x = (base - top) * (n / most) ** 0.5, i * step
        told = f"{5 * i} to {5 * i + 5} %: {n:,} {'text' if n == 1 else 'texts'}"
        drawn.append(
            f'<g data-from="{5 * i}"><title>{told}</title><rect class="bar" x="{x + 1:.1f}" y="{base - height:.1f}" '
            f'width="{step - 2:.1f}" height="{height:.1f}" rx="1.5"/>'
            + (f'<text class="count" x="{x + step / 2:.1f}" y="{base - height - 4:.1f}">{n:,}</text>' if n else "")
            + "</g>"
        )
    ticks = "".join(
        f'<text class="axis" x="{width * share // 100}" y="{base + 14}">{share} %</text>' for share in range(0, 101, 25)
    )
    line = width * comparison.settings.threshold
    return (
        f'<svg class="chart histogram" viewBox="-14 0 {width + 28} {base + 20}" role="img" '
        f'aria-label="How many texts have which highest share in a pair">'
        f'<line class="ground" x1="0" x2="{width}" y1="{base}" y2="{base}"/>{"".join(drawn)}{ticks}'
        f'<line class="cut" data-width="{width}" x1="{line:.0f}" x2="{line:.0f}" y1="6" y2="{base}"/></svg>'
    )


# ---------------------------------------------------------------------- graph


def graph(comparison: Comparison, names: ShownNames) -> str:
    """Return the texts that are in a pair, joined by the pairs; of many texts, the clusters."""
    if len(names.in_pairs) > MOST_NODES:
        return _cluster_graph(comparison, names)
    edges: list[Edge] = [(names.number[pair.a], names.number[pair.b], pair.share) for pair in comparison.pairs]
    drawing = laid_out(edges, 620)
    place = drawing.places
    lines = []
    for i, pair in enumerate(comparison.pairs):
        (x1, y1), (x2, y2) = place[names.number[pair.a]], place[names.number[pair.b]]
        lines.append(
            f'<line data-pair="{i}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke-width="{1 + 5 * pair.share:.1f}">'
            f"{_pair_title(pair, names)}</line>"
        )
    labelled = names.labelled(MOST_LABELLED)
    dots = "".join(
        _dot(comparison, names, name, *place[names.number[name]], name in labelled) for name in names.in_pairs
    )
    return (
        f'<svg class="chart graph" viewBox="0 0 {drawing.width:.0f} {max(80, drawing.height):.0f}" role="img" '
        f'aria-label="Who shares text with whom; the table of pairs has the same">'
        f'<g class="edges">{"".join(lines)}</g>{dots}</svg>'
    )


def _dot(comparison: Comparison, names: ShownNames, name: str, x: float, y: float, labelled: bool) -> str:
    text = f'<text x="{x + 9}" y="{y + 3.5}"{names.shown_as(name)}>{names.short(name)}</text>' if labelled else ""
    return (
        f'<g data-text="{names.number[name]}" class="node {names.hue(name)}"><title{names.shown_as(name)}>'
        f'{escaped(name)}</title><circle cx="{x}" cy="{y}" r="6"/>{text}</g>'
    )


def _cluster_graph(comparison: Comparison, names: ShownNames) -> str:
    """Return each cluster as a circle whose area is the number of its groups."""
    x = y = row = 0.0
    width, drawn = 620.0, []
    for i, cluster in enumerate(comparison.clusters):
        r = 7 + 5 * len(cluster.groups) ** 0.5
        if x and x + 2 * r + 60 > width:
            x, y, row = 0.0, y + row, 0.0
        size = f"{len(cluster.groups):,} groups, {cluster.n_pairs:,} pairs"
        told = f"cluster {i + 1}: {size}, up to {percent(cluster.share)}"
        drawn.append(
            f'<g class="node k{i % HUES}"><title>{told}</title><circle cx="{x + r + 4:.1f}" cy="{y + r + 8:.1f}" '
            f'r="{r:.1f}"/><text x="{x + 2 * r + 9:.1f}" y="{y + r + 12:.1f}">{len(cluster.groups):,}</text></g>'
        )
        x, row = x + 2 * r + 48, max(row, 2 * r + 16)
    return (
        f'<svg class="chart graph" viewBox="0 0 {width:.0f} {max(60, y + row):.0f}" role="img" '
        f'aria-label="Each cluster by the number of its groups">{"".join(drawn)}</svg>'
    )


# ---------------------------------------------------------------------- matrix


def matrix(comparison: Comparison, names: ShownNames) -> str:
    """Return the share of each text in each pair, ordered by cluster; a large matrix is left to the script."""
    ordered = names.by_cluster
    if len(ordered) > MOST_CELLS:
        return f'<canvas class="matrix scripted" id="matrix" width="{len(ordered)}" height="{len(ordered)}"></canvas>'
    at = {name: i for i, name in enumerate(ordered)}
    left = 8 + 6.2 * min(NAME_CHARS, max((len(names.short_plain[name]) for name in ordered), default=0))
    size = CELL * len(ordered)
    cells = []
    for i, pair in enumerate(comparison.pairs):
        title = _pair_title(pair, names)
        for row, column, share in ((pair.a, pair.b, pair.share_a), (pair.b, pair.a, pair.share_b)):
            cells.append(
                f'<rect data-pair="{i}" x="{left + CELL * at[column]:.0f}" y="{CELL * at[row]}" width="{CELL - 1}" '
                f'height="{CELL - 1}" fill-opacity="{0.12 + 0.88 * share:.2f}">{title}</rect>'
            )
    own = "".join(
        f'<rect class="own" x="{left + CELL * i:.0f}" y="{CELL * i}" width="{CELL - 1}" height="{CELL - 1}"/>'
        for i in range(len(ordered))
    )
    labels = "".join(
        f'<text x="{left - 6:.0f}" y="{CELL * i + 10}"{names.shown_as(name)}>{names.short(name)}</text>'
        for i, name in enumerate(ordered)
    )
    return (
        f'<svg class="chart matrix" viewBox="0 0 {left + size:.0f} {size}" '
        f'width="{1.6 * (left + size):.0f}" role="img" '
        f'aria-label="The share of the text of each row that is in the text of each column">'
        f'<rect class="field" x="{left:.0f}" y="0" width="{size}" height="{size}"/>{own}{"".join(cells)}{labels}</svg>'
    )


def _pair_title(pair: Pair, names: ShownNames) -> str:
    def told(a: str, b: str) -> str:
        return f"{a} and {b}: {percent(pair.share_a)} and {percent(pair.share_b)}, {pair.certainty}"

    hidden = told(names.alias(pair.a), names.alias(pair.b))
    return f'<title data-as="{hidden}">{escaped(told(pair.a, pair.b))}</title>'


# ---------------------------------------------------------------------- timeline


def timeline(comparison: Comparison, names: ShownNames) -> str:
    """Return when the texts of each cluster were handed in, or nothing if no two dates of a cluster are known."""
    rows = list(_dated(comparison))
    if not rows:
        return ""
    times = [when for _, dated in rows for when, _ in dated]
    first, last = min(times), max(times)
    spread, left, width = max((last - first).total_seconds(), 1.0), 70, 520
    drawn = []
    for row, (number, dated) in enumerate(rows):
        y = 18 + 26 * row
        drawn.append(f'<text class="lead" x="0" y="{y + 4}">cluster {number + 1}</text>')
        drawn.append(f'<line class="ground" x1="{left}" x2="{left + width}" y1="{y}" y2="{y}"/>')
        for when, name in dated:
            x = left + width * (when - first).total_seconds() / spread
            told = f"{when:%Y-%m-%d %H:%M}"
            drawn.append(
                f'<g class="node k{number % HUES}"><title data-as="{names.alias(name)}: {told}">{escaped(name)}: {told}'
                f'</title><circle cx="{x:.1f}" cy="{y}" r="5.5"/></g>'
            )
    foot = 18 + 26 * len(rows)
    ends = f'<text class="axis" x="{left}" y="{foot}">{first:%Y-%m-%d %H:%M}</text>'
    ends += f'<text class="axis end" x="{left + width}" y="{foot}">{last:%Y-%m-%d %H:%M}</text>'
    return (
        f'<svg class="chart timeline" viewBox="0 0 {left + width + 12} {foot + 8}" role="img" '
        f'aria-label="When the texts of each cluster were handed in">{"".join(drawn)}{ends}</svg>'
    )


def _dated(comparison: Comparison) -> Iterator[tuple[int, Sequence[tuple[datetime, str]]]]:
    members = comparison.by_name
    for number, cluster in enumerate(comparison.clusters):
        dates = [(members[name].date, name) for name in cluster.members]
        dated = sorted((datetime.fromisoformat(date).replace(tzinfo=None), name) for date, name in dates if date)
        if len(dated) > 1:
            yield number, dated


# ---------------------------------------------------------------------- where the nodes of a graph are


@dataclass(frozen=True, slots=True)
class Drawing:
    """The size of a drawing, and `(x, y)` of each node that has an edge."""

    width: float
    height: float
    places: dict[int, tuple[float, float]]


def laid_out(edges: Sequence[Edge], width: float) -> Drawing:
    """Return the places of all nodes that have an edge, in a drawing of a width, or wider if a component is.

    >>> drawing = laid_out([(0, 1, 0.5), (2, 3, 0.9)], 400)
    >>> sorted(drawing.places), drawing.width
    ([0, 1, 2, 3], 400)
    """
    boxes = [_component(nodes, [edge for edge in edges if edge[0] in nodes]) for nodes in _components(edges)]
    x = y = row = 0.0
    places: dict[int, tuple[float, float]] = {}
    widest = max([width, *(box.width for box in boxes)])
    for box in sorted(boxes, key=lambda one: (-one.height, -one.width, min(one.places))):
        if x and x + box.width > widest:
            x, y, row = 0.0, y + row, 0.0
        places |= {node: (round(x + left, 1), round(y + top, 1)) for node, (left, top) in box.places.items()}
        x, row = x + box.width, max(row, box.height)
    return Drawing(widest, round(y + row, 1), places)


def _components(edges: Sequence[Edge]) -> list[frozenset[int]]:
    found: dict[int, set[int]] = {}
    for one, other, _ in edges:
        joined = found.get(one, {one}) | found.get(other, {other})
        found |= dict.fromkeys(joined, joined)
    return sorted({frozenset(nodes) for nodes in found.values()}, key=lambda nodes: (-len(nodes), min(nodes)))


def _component(nodes: frozenset[int], edges: Sequence[Edge]) -> Drawing:
    ordered = sorted(nodes)
    spots = np.array([[0.0, 0.0], [SPACING, 0.0]]) if len(ordered) == 2 else _pulled(ordered, edges)
    spots -= spots.min(axis=0)
    wide, high = (spots.max(axis=0) + 2 * MARGIN).tolist()
    label = 2 * MARGIN  # names stand to the right of their nodes
    places = {node: (x + MARGIN, y + MARGIN) for node, (x, y) in zip(ordered, spots.tolist(), strict=True)}
    return Drawing(wide + label, high, places)


def _pulled(ordered: Sequence[int], edges: Sequence[Edge]) -> NDArray[np.float64]:
    n = len(ordered)
    at = {node: i for i, node in enumerate(ordered)}
    pull = np.zeros((n, n))
    for one, other, weight in edges:
        pull[at[one], at[other]] = pull[at[other], at[one]] = 0.4 + 0.6 * weight
    angle = 2 * math.pi * np.arange(n) / n
    spots = np.column_stack([np.cos(angle), np.sin(angle)]) * SPACING * math.sqrt(n) / 2
    spots += np.random.default_rng(_SEED).normal(scale=1.0, size=spots.shape)
    for step in range(ROUNDS):
        apart = spots[:, None] - spots[None, :]
        distance = np.sqrt((apart**2).sum(axis=2)) + 1e-6
        force = SPACING**2 / distance**2 - pull * distance / SPACING
        np.fill_diagonal(force, 0.0)
        moved = (apart * force[:, :, None]).sum(axis=1)
        length = np.sqrt((moved**2).sum(axis=1, keepdims=True)) + 1e-9
        warmth = SPACING * (1 - step / ROUNDS) * 0.5
        spots += moved / length * np.minimum(length, warmth)
    return spots
