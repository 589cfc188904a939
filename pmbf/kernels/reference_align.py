"""Align two texts: the NumPy reference of `native/align_*.c`. The rules are docs/alignment.md.

Every score is a whole number in 1/1024 nat; divisions round down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import N_BUCKETS, Pair
from pmbf.kernels.reference_clusters import Box, clusters, joined
from pmbf.kernels.reference_words import LINE, PARAGRAPH, SENTENCE, SENTENCE_AND_LINE

Places = NDArray[np.int64]

_QUERY_BORDERS = (SENTENCE, SENTENCE_AND_LINE, PARAGRAPH)
_SOURCE_BORDERS = (*_QUERY_BORDERS, LINE)
_MOST = 1 << 20


def align(pair: Pair) -> NDArray[np.int64]:
    """Return the alignments of two texts, `(n, 6) int64`: start and stop in the query, in the source, score, kind.

    Places are those of words, half-open; the kind is 0 for a passage, 1 for a summary of the whole source, which comes
    last. Scores are in 1/1024 nat.
    """
    texts, rules = _Texts(pair), pair.rules
    refined = [_refined(texts, box) for box in clusters(rules, *_points(texts))]
    boxes = joined([box for box in refined if box is not None and box.score >= rules.least_box])
    boxes = _with_summary(texts, [box for box in boxes if box.score >= rules.least_score])
    return np.array(boxes, np.int64).reshape(-1, 6)


@dataclass(frozen=True, eq=False)
class _Texts:
    """A pair with what is counted once."""

    pair: Pair

    @cached_property
    def counts(self) -> tuple[Places, Places]:
        """How often each class stands in either text."""
        n = len(self.pair.rarities)
        query, source = (np.bincount(classes, minlength=n).astype(np.int64) for classes in self.pair.classes)
        return query, source

    @cached_property
    def places(self) -> list[Places]:
        """Where each class stands in the source, in ascending order."""
        order = np.argsort(self.pair.classes[1], kind="stable").astype(np.int64)
        return np.split(order, np.cumsum(self.counts[1])[:-1]) if len(self.counts[1]) else []


class _Window(NamedTuple):
    """Scores of the words from `low` on, of one text."""

    side: int
    low: int
    scores: Places

    @property
    def high(self) -> int:
        return self.low + len(self.scores)


def _points(texts: _Texts) -> tuple[Places, Places]:
    """Return where equal words stand in query and source that have enough others near them."""
    rules, classes = texts.pair.rules, texts.pair.classes[0].tolist()
    worths = _worths(texts)
    found: list[tuple[int, int]] = []
    for word, c in enumerate(classes):
        if not worths[c]:
            continue
        places = texts.places[c]
        sums = np.full(len(places), 2 * worths[c], np.int64)
        for at in range(max(0, word - rules.radius), min(len(classes), word + rules.radius + 1)):
            other = classes[at]
            if worths[other] and other != c:
                sums += worths[other] * _around(texts.places[other], places, rules.radius, 2)
                if abs(at - word) <= rules.near:
                    sums += worths[other] * _around(texts.places[other], places, rules.near, 1)
        found += [(word, place) for place in places[sums >= 2 * rules.density].tolist()]
    points = np.array(found, np.int64).reshape(-1, 2)
    return points[:, 0], points[:, 1]


def _around(others: Places, places: Places, radius: int, weight: int) -> Places:
    near = np.searchsorted(others, places + radius, side="right") - np.searchsorted(others, places - radius)
    return weight * near.astype(np.int64)


def _worths(texts: _Texts) -> list[int]:
    """Return what a point of each class is worth, 0 where it makes none or too many."""
    products = texts.counts[0] * texts.counts[1]
    worths = []
    for product, rarity in zip(products.tolist(), texts.pair.rarities.tolist(), strict=True):
        makes = 0 < product <= texts.pair.rules.most_points
        worths.append(rarity * (math.isqrt((1 << 48) // product) >> 12) >> 12 if makes else 0)
    return worths


def _refined(texts: _Texts, box: Box) -> Box | None:
    """Return a box with its edges where its sums are greatest, None when nothing is left of it."""
    edges, sums = [list(box[:2]), list(box[2:4])], [0, 0]
    for _ in range(texts.pair.rules.rounds):
        before = [list(side) for side in edges]
        for side in (0, 1):
            start, stop, sums[side] = _refined_side(texts, side, edges)
            if start >= stop:
                return None
            edges[side] = [start, stop]
        if edges == before:
            break
    (start, stop), (source_start, source_stop) = edges
    return Box(start, stop, source_start, source_stop, min(sums))


def _refined_side(texts: _Texts, side: int, edges: list[list[int]]) -> tuple[int, int, int]:
    rules = texts.pair.rules
    low = max(0, edges[side][0] - rules.margin)
    high = min(len(texts.pair.classes[side]), edges[side][1] + rules.margin)
    window = _Window(side, low, _scores(texts, side, low, high, *edges[1 - side]))
    start, stop, total = _greatest_sum(window)
    if total <= 0:
        return 0, 0, 0
    borders = _SOURCE_BORDERS if side else _QUERY_BORDERS
    start, change = _snapped(texts, window, start, stop, -1, borders)
    stop, change_after = _snapped(texts, window, stop, start, 1, borders)
    return start, stop, total + change + change_after


def _scores(texts: _Texts, side: int, low: int, high: int, start: int, stop: int) -> Places:
    """Return the scores of the words `[low, high)` of one text, given the other's part `[start, stop)`."""
    pair, n = texts.pair, len(texts.pair.rarities)
    ours, theirs = pair.classes[side][low:high], pair.classes[1 - side]
    here = np.bincount(ours, minlength=n).astype(np.int64)[ours]
    there = np.bincount(theirs[start:stop], minlength=n).astype(np.int64)[ours]
    outside = np.minimum(texts.counts[1 - side][ours] - there, _MOST)
    expected = outside * 65536 + pair.priors[ours]
    lines = _buckets(expected, stop - start, len(theirs) - (stop - start) + pair.rules.prior_words)
    match, miss = (table[lines].astype(np.int64) for table in pair.tables[:2])
    crowded = (2 * there * match + (here - there) * miss) // np.maximum(2 * here, 1)
    scores: Places = np.where(there == 0, miss, np.where(here <= there, match, crowded))
    return scores


def _buckets(expected: Places, n_words: int, n_others: int) -> NDArray[np.intp]:
    """Return the line of the tables for words of which `expected` / 65536 stand in `n_others` words."""
    chances = 24 * expected.astype(np.uint64) * np.uint64(min(n_words, _MOST)) // np.uint64(n_others)
    chances = np.minimum(chances, np.uint64(1 << 40)).astype(np.int64)
    shifts = np.maximum(np.frexp(chances.astype(np.float64))[1] - 6, 0)
    lines: NDArray[np.intp] = np.minimum(32 * shifts + (chances >> shifts), N_BUCKETS - 1).astype(np.intp)
    return lines


def _greatest_sum(window: _Window) -> tuple[int, int, int]:
    """Return the part with the greatest sum, the first of several, and that sum; nothing where none is above 0."""
    best, total, start, stop, first = 0, 0, window.low, window.low, window.low
    for place, score in enumerate(window.scores.tolist(), window.low):
        if total <= 0:
            total, first = 0, place
        total += score
        if total > best:
            best, start, stop = total, first, place + 1
    return start, stop, best


def _snapped(
    texts: _Texts, window: _Window, edge: int, other: int, step: int, wanted: tuple[int, ...]
) -> tuple[int, int]:
    """Return the border an edge moves to and what that changes the sum by; `step` points outwards."""
    rules, borders, scores = texts.pair.rules, texts.pair.borders[window.side], window.scores
    best: tuple[int, int, int] | None = None
    change, place = 0, edge
    while window.low <= place <= window.high:
        if place != edge:
            change += int(scores[(place if step < 0 else place - 1) - window.low])
        if borders[place] in wanted:
            bonus = rules.outward_bonus + (rules.line_bonus if borders[place] >= SENTENCE_AND_LINE else 0)
            value = change - rules.step_price * abs(place - edge) + bonus
            if best is None or value > best[0]:
                best = value, place, change
        place += step
    change = 0
    for distance in range(1, rules.inward + 1):
        place = edge - step * distance
        if (place >= other) if step < 0 else (place <= other):
            break
        change -= int(scores[(place - 1 if step < 0 else place) - window.low])
        if borders[place] in wanted:
            value = change - rules.step_price * distance
            value += rules.line_bonus if borders[place] >= SENTENCE_AND_LINE else 0
            if best is None or value > best[0]:
                best = value, place, change
    return best[1:] if best is not None and best[0] >= rules.least_snap else (edge, 0)


def _with_summary(texts: _Texts, boxes: list[Box]) -> list[Box]:
    """Return the boxes with a summary of the whole source in the place of those it overlaps, if there is one."""
    n_source = len(texts.pair.classes[1])
    if n_source < texts.pair.rules.summary_source:
        return boxes
    start, stop, score = _best_part(texts)
    if not _is_summary(texts, start, stop, score, boxes):
        return boxes
    return [box for box in boxes if box.query >= stop or box.query_stop <= start] + [
        Box(start, stop, 0, n_source, score, 1)
    ]


def _best_part(texts: _Texts) -> tuple[int, int, int]:
    """Return the part of the query that the whole source explains best, from border to border, with its score."""
    pair = texts.pair
    query, n_source = pair.classes[0], len(pair.classes[1])
    lines = _buckets(pair.priors[query].astype(np.int64), n_source, pair.rules.prior_words)
    scores = np.where(texts.counts[1][query] > 0, pair.tables[2][lines], pair.tables[3][lines]).astype(np.int64)
    window = _Window(0, 0, scores)
    start, stop, score = _greatest_sum(window)
    if score <= 0:
        return 0, 0, 0
    start, change = _snapped(texts, window, start, stop, -1, _SOURCE_BORDERS)
    stop, change_after = _snapped(texts, window, stop, start, 1, _SOURCE_BORDERS)
    return start, stop, score + change + change_after


def _is_summary(texts: _Texts, start: int, stop: int, score: int, boxes: list[Box]) -> bool:
    pair, rules = texts.pair, texts.pair.rules
    if score < rules.summary_score or stop - start > min(rules.summary_words, len(pair.classes[1])):
        return False
    lines = all(pair.borders[0][edge] >= SENTENCE_AND_LINE for edge in (start, stop))
    rarities = pair.rarities[pair.classes[0]].astype(np.int64)
    shared = np.where(texts.counts[1][pair.classes[0]] > 0, rarities, 0)
    mass = int(shared[start:stop].sum())
    if 100 * mass < rules.summary_share * int(rarities[start:stop].sum()):
        return False
    one = max(
        (int(shared[max(box.query, start) : max(0, min(box.query_stop, stop))].sum()) for box in boxes), default=0
    )
    if 100 * one > (rules.summary_one_lines if lines else rules.summary_one) * mass:
        return False
    return _densest(texts, start, stop) <= 10 * (rules.summary_dense_lines if lines else rules.summary_dense)


def _densest(texts: _Texts, start: int, stop: int) -> int:
    """Return the most of a part's shared words, each once and by rarity, in one window of the source, per thousand."""
    query, source = texts.pair.classes
    wanted = np.unique(query[start:stop])
    wanted = wanted[texts.counts[1][wanted] > 0]
    rarities = texts.pair.rarities.astype(np.int64)
    width = texts.pair.rules.summary_window * (stop - start) // 100
    entering = np.zeros(len(source) + 1, np.int64)
    for c in wanted.tolist():
        # A window that ends with word t holds this one if its last place is t - width + 1 or later.
        places = texts.places[c]
        leaves = np.minimum(places + width, np.append(places[1:], len(source) + width))
        np.add.at(entering, places, rarities[c])
        np.add.at(entering, np.minimum(leaves, len(source)), -rarities[c])
    everything = int(rarities[wanted].sum())
    return 1000 * int(np.cumsum(entering).max(initial=0)) // everything if everything else 1000
