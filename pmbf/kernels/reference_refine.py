"""Finding the edges of a box: the reference of `native/align/refine.c` and `align/stretch.c`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import N_BUCKETS
from pmbf.kernels.reference_clusters import Box, Pair
from pmbf.kernels.reference_words import LINE, PARAGRAPH, PLAIN, SENTENCE, SENTENCE_AND_LINE

Places = NDArray[np.int64]
Edges = list[list[int]]
"""Start and stop of the query's part, then start and stop of the source's part."""

QUERY_BORDERS = (SENTENCE, SENTENCE_AND_LINE, PARAGRAPH)
SOURCE_BORDERS = (*QUERY_BORDERS, LINE)
MOST_TIMES = 1 << 20
_START, _STOP, _STAY = range(3)


@dataclass(frozen=True, eq=False)
class Texts:
    """A pair, with counts that are made once."""

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


class Window(NamedTuple):
    """Scores of the words of one text from `low` on."""

    side: int
    low: int
    scores: Places

    @property
    def high(self) -> int:
        return self.low + len(self.scores)


def refined(texts: Texts, box: Box) -> Box | None:
    """Return a box with its edges moved to where its sums are greatest; None if nothing is left of the box."""
    edges, scored = [list(box[:2]), list(box[2:4])], [0, 0]
    for _ in range(texts.pair.rules.rounds):
        before = [list(side) for side in edges]
        for side in (0, 1):
            start, stop, scored[side] = _refined_side(texts, side, edges)
            if start >= stop:
                return None
            edges[side] = [start, stop]
        if edges == before:
            break
    (start, stop), (source_start, source_stop) = edges
    return Box(start, stop, source_start, source_stop, min(scored))


def _refined_side(texts: Texts, side: int, edges: list[list[int]]) -> tuple[int, int, int]:
    rules = texts.pair.rules
    low = max(0, edges[side][0] - rules.margin)
    high = min(len(texts.pair.classes[side]), edges[side][1] + rules.margin)
    window = Window(side, low, window_scores(texts, side, low, high, *edges[1 - side]))
    start, stop, total = greatest_sum(window)
    if total <= 0:
        return 0, 0, 0
    borders = SOURCE_BORDERS if side else QUERY_BORDERS
    start, change = snapped(texts, window, start, stop, -1, borders)
    stop, change_after = snapped(texts, window, stop, start, 1, borders)
    return start, stop, total + change + change_after


def window_scores(texts: Texts, side: int, low: int, high: int, start: int, stop: int) -> Places:
    """Return the scores of the words `[low, high)` of one text, given the part `[start, stop)` of the other."""
    pair, n = texts.pair, len(texts.pair.rarities)
    ours, theirs = pair.classes[side][low:high], pair.classes[1 - side]
    here = np.bincount(ours, minlength=n).astype(np.int64)[ours]
    there = np.bincount(theirs[start:stop], minlength=n).astype(np.int64)[ours]
    outside = np.minimum(texts.counts[1 - side][ours] - there, MOST_TIMES)
    expected = outside * 65536 + pair.priors[ours]
    lines = buckets(expected, stop - start, len(theirs) - (stop - start) + pair.rules.prior_words)
    match, miss = (table[lines].astype(np.int64) for table in pair.tables[:2])
    crowded = (2 * there * match + (here - there) * miss) // np.maximum(2 * here, 1)
    scores: Places = np.where(there == 0, miss, np.where(here <= there, match, crowded))
    return scores


def buckets(expected: Places, n_words: int, n_others: int) -> NDArray[np.intp]:
    """Return the bucket of the tables for each word in a part of `n_words`, given `expected` / 65536 in `n_others`."""
    chances = 24 * expected.astype(np.uint64) * np.uint64(min(n_words, MOST_TIMES)) // np.uint64(n_others)
    chances = np.minimum(chances, np.uint64(1 << 40)).astype(np.int64)
    shifts = np.maximum(np.frexp(chances.astype(np.float64))[1] - 6, 0)
    lines: NDArray[np.intp] = np.minimum(32 * shifts + (chances >> shifts), N_BUCKETS - 1).astype(np.intp)
    return lines


def greatest_sum(window: Window) -> tuple[int, int, int]:
    """Return start, stop and sum of the part with the greatest sum, the first of several. No sum above 0: empty."""
    best, total, start, stop, first = 0, 0, window.low, window.low, window.low
    for place, score in enumerate(window.scores.tolist(), window.low):
        if total <= 0:
            total, first = 0, place
        total += score
        if total > best:
            best, start, stop = total, first, place + 1
    return start, stop, best


def snapped(texts: Texts, window: Window, edge: int, other: int, step: int, wanted: tuple[int, ...]) -> tuple[int, int]:
    """Return the border that an edge moves to, and the change of the sum. `step` is 1 or -1, and points outwards."""
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


def stretched(texts: Texts, box: Box) -> Box:
    """Return a box with its ends moved to next borders while the sum of both texts grows.

    In each round one end moves, or one end in each text.
    """
    rules = texts.pair.rules
    edges: Edges = [[box.query, box.query_stop], [box.source, box.source_stop]]
    scored = sums(texts, edges)
    for _ in range(rules.stretches):
        best, most, best_scored = edges, sum(scored) + rules.stretch_gain, scored
        for source_end, query_end, outwards in product(range(3), range(3), (False, True)):
            if query_end == source_end == _STAY:
                continue
            moved = _moved(texts, edges, (query_end, source_end), outwards)
            if moved is not None and sum(found := sums(texts, moved)) > most:
                best, most, best_scored = moved, sum(found), found
        if best == edges:
            break
        edges, scored = best, best_scored
    (start, stop), (source_start, source_stop) = edges
    return Box(start, stop, source_start, source_stop, min(scored))


def sums(texts: Texts, edges: Edges) -> tuple[int, int]:
    """Return the sum of the scores of each text's part, given the part of the other."""
    query, source = (int(window_scores(texts, side, *edges[side], *edges[1 - side]).sum()) for side in (0, 1))
    return query, source


def topic_sum(texts: Texts, side: int, edges: Edges, *, summary: bool = False) -> int:
    """Return the score of the words of one text's part, given the part of the other. Each word counts once.

    A word is expected as often as in the rest of both texts, which have its topic.
    """
    pair, n = texts.pair, len(texts.pair.rarities)
    counts = [np.bincount(pair.classes[at][start:stop], minlength=n) for at, (start, stop) in enumerate(edges)]
    n_ours, n_theirs = (stop - start for start, stop in (edges[side], edges[1 - side]))
    n_others = sum(map(len, pair.classes)) - n_ours - n_theirs + pair.rules.prior_words
    words = np.flatnonzero(counts[side])
    outside = (texts.counts[0] + texts.counts[1] - counts[0] - counts[1])[words]
    lines = buckets(np.minimum(outside, MOST_TIMES) * 65536 + pair.priors[words], n_theirs, n_others)
    match, miss = pair.tables[2:] if summary else pair.tables[:2]
    return int(np.where(counts[1 - side][words] > 0, match[lines], miss[lines]).sum(dtype=np.int64))


def _moved(texts: Texts, edges: Edges, ends: tuple[int, int], outwards: bool) -> Edges | None:
    """Return the edges with an end of each part moved to the next border, or not moved; None without such a border."""
    moved = [list(part) for part in edges]
    for side, end in enumerate(ends):
        if end == _STAY:
            continue
        place = _next_border(texts, side, moved[side][end], 1 if (end == _STOP) == outwards else -1)
        if place is None:
            return None
        moved[side][end] = place
        if moved[side][0] >= moved[side][1]:
            return None
    return moved


def _next_border(texts: Texts, side: int, edge: int, step: int) -> int | None:
    borders = texts.pair.borders[side]
    for distance in range(1, texts.pair.rules.stretch + 1):
        place = edge + step * distance
        if not 0 <= place < len(borders):
            return None
        if borders[place] != PLAIN and (borders[place] != LINE or side == 1):
            return place
    return None
