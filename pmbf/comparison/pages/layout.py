"""Where the nodes of a graph are drawn: each component by itself, then all components in rows, the largest first.

The layout is that of Fruchterman & Reingold 1991: edges pull, all nodes push, and the steps get smaller. The start is
seeded, so that equal graphs are drawn alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Edge = tuple[int, int, float]
"""Two nodes and a weight, above 0 to 1."""

ROUNDS = 160
_SEED = 1994
SPACING, MARGIN = 62.0, 34.0
"""Between neighbours, and around a component, in units of the drawing."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """Places of nodes.

    Args:
        width, height: Of the drawing.
        places: `(x, y)` of each node that has an edge.
    """

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
