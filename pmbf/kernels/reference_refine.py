"""Two texts whose words are numbered together, the scores of their words, and the edges of what they share.

The reference of `native/align/refine.c` and `stretch.c`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import NamedTuple

from pmbf.kernels.align_rules import N_BUCKETS, Rules, score_tables
from pmbf.kernels.reference_words import LINE, PARAGRAPH, PLAIN, SENTENCE, SENTENCE_AND_LINE

Edges = list[list[int]]
"""Start and stop of the query's part, then start and stop of the source's part."""

QUERY_BORDERS = (SENTENCE, SENTENCE_AND_LINE, PARAGRAPH)
SOURCE_BORDERS = (*QUERY_BORDERS, LINE)
MOST_TIMES = 1 << 20
MATCH, MISS, SUMMARY_MATCH, SUMMARY_MISS = score_tables().tolist()
_START, _STOP, _STAY = range(3)


@dataclass(frozen=True, eq=False)
class NumberedPair:
    """Two texts whose words are numbered together, the query first. Equal words have one number, their class.

    Args:
        classes: Of each text, the class of each word.
        borders: Of each text, as in `KeyedWords`.
        rarities: Of each class, the evidence of a common word, in 1/1024 nat, at least 0.
        priors: Of each class, how many of 500 words are expected in it, in 1/65536, at least 0.
        rules: The numbers of an alignment.
    """

    classes: tuple[list[int], list[int]]
    borders: tuple[list[int], list[int]]
    rarities: list[int]
    priors: list[int]
    rules: Rules = field(default_factory=Rules)

    @cached_property
    def counts(self) -> tuple[Counter[int], Counter[int]]:
        """How often each class stands in either text."""
        query, source = map(Counter, self.classes)
        return query, source

    @cached_property
    def places(self) -> dict[int, list[int]]:
        """Where each class stands in the source, in ascending order."""
        places: dict[int, list[int]] = {}
        for place, word in enumerate(self.classes[1]):
            places.setdefault(word, []).append(place)
        return places


class Box(NamedTuple):
    """A range of words of each text, `[start, stop)`, with a score and a kind."""

    query: int
    query_stop: int
    source: int
    source_stop: int
    score: int = 0
    kind: int = 0


class Window(NamedTuple):
    """Scores of the words of one text from `low` on."""

    side: int
    low: int
    scores: list[int]

    @property
    def high(self) -> int:
        return self.low + len(self.scores)


def refined(pair: NumberedPair, box: Box) -> Box | None:
    """Return a box with its edges moved to where its sums are greatest; None if nothing is left of the box."""
    edges, scored = [list(box[:2]), list(box[2:4])], [0, 0]
    for _ in range(pair.rules.rounds):
        before = [list(side) for side in edges]
        for side in (0, 1):
            start, stop, scored[side] = _refined_side(pair, side, edges)
            if start >= stop:
                return None
            edges[side] = [start, stop]
        if edges == before:
            break
    return _box(edges, min(scored))


def _box(edges: Edges, score: int) -> Box:
    (query, query_stop), (source, source_stop) = edges
    return Box(query, query_stop, source, source_stop, score)


def _refined_side(pair: NumberedPair, side: int, edges: Edges) -> tuple[int, int, int]:
    low = max(0, edges[side][0] - pair.rules.margin)
    high = min(len(pair.classes[side]), edges[side][1] + pair.rules.margin)
    window = Window(side, low, word_scores(pair, side, [low, high], edges[1 - side]))
    return snapped_sum(pair, window, SOURCE_BORDERS if side else QUERY_BORDERS)


def snapped_sum(pair: NumberedPair, window: Window, wanted: tuple[int, ...]) -> tuple[int, int, int]:
    """Return start, stop and sum of the part with the greatest sum, moved to borders. No sum above 0: zeros."""
    start, stop, total = greatest_sum(window)
    if total <= 0:
        return 0, 0, 0
    start, change = snapped(pair, window, start, stop, -1, wanted)
    stop, change_after = snapped(pair, window, stop, start, 1, wanted)
    return start, stop, total + change + change_after


def word_scores(pair: NumberedPair, side: int, part: list[int], other: list[int]) -> list[int]:
    """Return the scores of the words of a part of one text, given a part of the other text."""
    ours, theirs = pair.classes[side][slice(*part)], pair.classes[1 - side]
    here, there = Counter(ours), Counter(theirs[slice(*other)])
    n_words, scores = other[1] - other[0], {}
    for word, n in here.items():
        n_there = there[word]
        expected = min(pair.counts[1 - side][word] - n_there, MOST_TIMES) * 65536 + pair.priors[word]
        at = bucket(expected, n_words, len(theirs) - n_words + pair.rules.prior_words)
        if not n_there:
            scores[word] = MISS[at]
        elif n <= n_there:
            scores[word] = MATCH[at]
        else:  # as many of them match as the other part has
            scores[word] = (2 * n_there * MATCH[at] + (n - n_there) * MISS[at]) // (2 * n)
    return [scores[word] for word in ours]


def bucket(expected: int, n_words: int, n_others: int) -> int:
    """Return the bucket of the tables for a word in a part of `n_words`, given `expected` / 65536 in `n_others`."""
    chance = min(24 * expected * min(n_words, MOST_TIMES) // n_others, 1 << 40)
    shift = max(0, chance.bit_length() - 6)
    return min(32 * shift + (chance >> shift), N_BUCKETS - 1)


def greatest_sum(window: Window) -> tuple[int, int, int]:
    """Return start, stop and sum of the part with the greatest sum, the first of several. No sum above 0: empty."""
    best, total, start, stop, first = 0, 0, window.low, window.low, window.low
    for place, score in enumerate(window.scores, window.low):
        if total <= 0:
            total, first = 0, place
        total += score
        if total > best:
            best, start, stop = total, first, place + 1
    return start, stop, best


def snapped(
    pair: NumberedPair, window: Window, edge: int, other: int, step: int, wanted: tuple[int, ...]
) -> tuple[int, int]:
    """Return the border that an edge moves to, and the change of the sum. `step` is 1 or -1, and points outwards."""
    rules, borders, scores = pair.rules, pair.borders[window.side], window.scores
    found: list[tuple[int, int, int]] = []  # the value of each border, its place, and the change of the sum
    change, place = 0, edge
    while window.low <= place <= window.high:
        if place != edge:
            change += scores[(place if step < 0 else place - 1) - window.low]
        if borders[place] in wanted:
            bonus = rules.outward_bonus + (rules.line_bonus if borders[place] >= SENTENCE_AND_LINE else 0)
            found.append((change - rules.step_price * abs(place - edge) + bonus, place, change))
        place += step
    change = 0
    for distance in range(1, rules.inward + 1):
        place = edge - step * distance
        if (place >= other) if step < 0 else (place <= other):
            break
        change -= scores[(place - 1 if step < 0 else place) - window.low]
        if borders[place] in wanted:
            bonus = rules.line_bonus if borders[place] >= SENTENCE_AND_LINE else 0
            found.append((change - rules.step_price * distance + bonus, place, change))
    value, place, change = max(found, key=lambda one: one[0], default=(rules.least_snap, edge, 0))
    return (place, change) if value >= rules.least_snap else (edge, 0)


def stretched(pair: NumberedPair, box: Box) -> Box:
    """Return a box with its ends moved to next borders while the sum of both texts grows: one in each text a round."""
    edges: Edges = [[box.query, box.query_stop], [box.source, box.source_stop]]
    scored = sums(pair, edges)
    for _ in range(pair.rules.stretches):
        best, most, best_scored = edges, sum(scored) + pair.rules.stretch_gain, scored
        for source_end, query_end, outwards in product(range(3), range(3), (False, True)):
            if query_end == source_end == _STAY:
                continue
            moved = _moved(pair, edges, (query_end, source_end), outwards)
            if moved is not None and sum(found := sums(pair, moved)) > most:
                best, most, best_scored = moved, sum(found), found
        if best == edges:
            break
        edges, scored = best, best_scored
    return _box(edges, min(scored))


def sums(pair: NumberedPair, edges: Edges) -> tuple[int, int]:
    """Return the sum of the scores of each text's part, given the part of the other."""
    query, source = (sum(word_scores(pair, side, edges[side], edges[1 - side])) for side in (0, 1))
    return query, source


def topic_sum(pair: NumberedPair, side: int, edges: Edges, *, summary: bool = False) -> int:
    """Return the score of the words of one text's part, given the part of the other. Each word counts once.

    A word is expected as often as in the rest of both texts, which have its topic.
    """
    inside = [Counter(words[slice(*part)]) for words, part in zip(pair.classes, edges, strict=True)]
    sizes = [stop - start for start, stop in edges]
    n_others = sum(map(len, pair.classes)) - sum(sizes) + pair.rules.prior_words
    match, miss = (SUMMARY_MATCH, SUMMARY_MISS) if summary else (MATCH, MISS)
    total = 0
    for word in inside[side]:
        outside = sum(whole[word] - part[word] for whole, part in zip(pair.counts, inside, strict=True))
        at = bucket(min(outside, MOST_TIMES) * 65536 + pair.priors[word], sizes[1 - side], n_others)
        total += match[at] if inside[1 - side][word] else miss[at]
    return total


def _moved(pair: NumberedPair, edges: Edges, ends: tuple[int, int], outwards: bool) -> Edges | None:
    """Return the edges with an end of each part moved to the next border, or not moved; None without such a border."""
    moved = [list(part) for part in edges]
    for side, end in enumerate(ends):
        if end == _STAY:
            continue
        place = _next_border(pair, side, moved[side][end], 1 if (end == _STOP) == outwards else -1)
        if place is None:
            return None
        moved[side][end] = place
        if moved[side][0] >= moved[side][1]:
            return None
    return moved


def _next_border(pair: NumberedPair, side: int, edge: int, step: int) -> int | None:
    borders = pair.borders[side]
    for place in range(edge + step, edge + step * (pair.rules.stretch + 1), step):
        if not 0 <= place < len(borders):
            return None
        if borders[place] != PLAIN and (borders[place] != LINE or side == 1):
            return place
    return None
