"""A pair of texts as alignment sees it; clusters of its points, and the union of boxes that overlap: the reference of
`native/align/clusters.c`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import Rules, score_tables

Places = NDArray[np.int64]

MOST_JOINS = 8


@dataclass(frozen=True, eq=False)
class Pair:
    """Two texts whose words are numbered together, the query first. Equal words have one number, their class.

    Args:
        classes: `(n,) int32` for each text, the class of each word, below `n_classes`.
        borders: `(n + 1,) uint8` for each text, as in `Words`.
        rarities: `(n_classes,) int32`, the evidence of a common word of each class, in 1/1024 nat, at least 0.
        priors: `(n_classes,) int32`, how many of 500 words are expected in each class, in 1/65536, at least 0.
        rules: The numbers of an alignment.
        tables: As `score_tables` returns them.
    """

    classes: tuple[NDArray[np.int32], NDArray[np.int32]]
    borders: tuple[NDArray[np.uint8], NDArray[np.uint8]]
    rarities: NDArray[np.int32]
    priors: NDArray[np.int32]
    rules: Rules = field(default_factory=Rules)
    tables: NDArray[np.int32] = field(default_factory=score_tables)


class Box(NamedTuple):
    """A range of words of each text, `[start, stop)`, with a score and a kind."""

    query: int
    query_stop: int
    source: int
    source_stop: int
    score: int = 0
    kind: int = 0


def clusters(rules: Rules, query: Places, source: Places) -> list[Box]:
    """Return a box around each group of two points or more without a wide gap in either text, in order.

    Args:
        rules: The number `gap` says how wide a gap is.
        query: `(n,) int64`, the places of the points in the query.
        source: `(n,) int64`, their places in the source.
    """
    found = []
    waiting = [(np.arange(len(query)), 0, 0, 0)] if len(query) else []
    while waiting:
        part, side, depth, whole = waiting.pop()
        places = (source if side else query)[part]
        part = part[np.argsort(places, kind="stable")]
        gaps = np.flatnonzero(np.diff(np.sort(places)) > rules.gap) + 1
        pieces = np.split(part, gaps)
        for piece in pieces:
            calm = whole + 1 if len(pieces) == 1 else 0
            if calm < 2 and depth + 1 <= rules.gap_rounds:
                waiting.append((piece, 1 - side, depth + 1, calm))
            elif len(piece) > 1:
                here, there = query[piece], source[piece]
                found.append(Box(int(here.min()), int(here.max()) + 1, int(there.min()), int(there.max()) + 1))
    return sorted(found)


def joined(boxes: list[Box]) -> list[Box]:
    """Return the boxes, sorted. Boxes that overlap in both texts become one, with the best score of them."""
    boxes = sorted(boxes)
    for _ in range(MOST_JOINS):
        left: list[Box | None] = list(boxes)
        for at, box in enumerate(left):
            for other_at in range(at + 1, len(left)):
                other = left[other_at]
                if box is None or (other is not None and other.query >= box.query_stop):
                    break
                if other is not None and box.source < other.source_stop and other.source < box.source_stop:
                    box = left[at] = _united(box, other)
                    left[other_at] = None
        kept = sorted(box for box in left if box is not None)
        if kept == boxes:
            break
        boxes = kept
    return boxes


def _united(one: Box, other: Box) -> Box:
    return Box(
        min(one.query, other.query),
        max(one.query_stop, other.query_stop),
        min(one.source, other.source),
        max(one.source_stop, other.source_stop),
        max(one.score, other.score),
        one.kind,
    )
