"""Align two texts: the reference of `native/align/{points,clusters,summary}.c`. The rules are docs/alignment.md.

Every score is a whole number in 1/1024 nat; divisions round down.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter

from pmbf.kernels import reference_refine as refine
from pmbf.kernels.reference_refine import Box, NumberedPair, Window
from pmbf.kernels.reference_words import SENTENCE_AND_LINE

MOST_JOINS = 8

Points = list[tuple[int, int]]
"""Places of equal words: in the query, and in the source."""


def align(pair: NumberedPair) -> list[Box]:
    """Return the alignments of two texts. Kind 0 is a passage; 1 is a summary of the whole source, which comes last."""
    found = [refine.refined(pair, box) for box in clusters(_points(pair), pair.rules.gap, pair.rules.gap_rounds)]
    kept = [box for box in found if box is not None and box.score >= pair.rules.least_box]
    return _with_summary(pair, joined([refine.stretched(pair, box) for box in kept]))


def part_scores(pair: NumberedPair, here: list[int], there: list[int]) -> tuple[int, int]:
    """Return the evidence of the words of a part of the query and a part of the source, in 1/1024 nat.

    The first number is the score that an alignment of the same parts has: the smaller sum of the two texts. The second
    is the same, but each word counts once, and is expected as often as in the rest of both texts.
    """
    edges = [here, there]
    return min(refine.sums(pair, edges)), min(refine.topic_sum(pair, side, edges) for side in (0, 1))


def _points(pair: NumberedPair) -> Points:
    """Return the points: places of equal words that have enough other equal words near them."""
    rules, query, worths = pair.rules, pair.classes[0], _worths(pair)
    found = []
    for at, word in enumerate(query):
        if word not in worths:
            continue
        around = range(max(0, at - rules.radius), min(len(query), at + rules.radius + 1))
        others = [(other, query[other]) for other in around if query[other] in worths and query[other] != word]
        for place in pair.places[word]:
            density = 2 * worths[word]
            for other, its_word in others:
                density += 2 * worths[its_word] * _n_near(pair.places[its_word], place, rules.radius)
                if abs(other - at) <= rules.near:
                    density += worths[its_word] * _n_near(pair.places[its_word], place, rules.near)
            if density >= 2 * rules.density:
                found.append((at, place))
    return found


def _n_near(places: list[int], place: int, radius: int) -> int:
    return bisect_right(places, place + radius) - bisect_left(places, place - radius)


def _worths(pair: NumberedPair) -> dict[int, int]:
    """Return the worth of a point of each class, without classes that make no points or too many.

    The sum of all points within the radius fits 32 bits.
    """
    most = (2**31 - 1) // (2 * pair.rules.radius + 1) ** 2
    worths = {}
    for word, n in pair.counts[0].items():
        product = n * pair.counts[1][word]
        if 0 < product <= pair.rules.most_points:
            worths[word] = min(most, pair.rarities[word] * (math.isqrt((1 << 48) // product) >> 12) >> 12)
    return {word: worth for word, worth in worths.items() if worth}


def clusters(points: Points, gap: int, gap_rounds: int) -> list[Box]:
    """Return a box around each group of two points or more without a gap wider than `gap` in either text, in order.

    Groups are split in the query and in the source by turns, until neither splits them, `gap_rounds` times at most.
    """
    found = []
    waiting = [(points, 0, 0, 0)] if points else []
    while waiting:
        part, side, depth, whole = waiting.pop()
        pieces = _split(part, side, gap)
        for piece in pieces:
            calm = whole + 1 if len(pieces) == 1 else 0
            if calm < 2 and depth + 1 <= gap_rounds:
                waiting.append((piece, 1 - side, depth + 1, calm))
            elif len(piece) > 1:
                here, there = zip(*piece, strict=True)
                found.append(Box(min(here), max(here) + 1, min(there), max(there) + 1))
    return sorted(found)


def _split(points: Points, side: int, gap: int) -> list[Points]:
    """Return points in order of their places in one text, cut at wide gaps."""
    pieces: list[Points] = []
    for point in sorted(points, key=lambda point: point[side]):
        if pieces and point[side] - pieces[-1][-1][side] <= gap:
            pieces[-1].append(point)
        else:
            pieces.append([point])
    return pieces


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


def _with_summary(pair: NumberedPair, boxes: list[Box]) -> list[Box]:
    """Return the boxes with at least the least score. A summary of the whole source replaces the boxes it overlaps."""
    rules, n_source = pair.rules, len(pair.classes[1])
    good = [box for box in boxes if box.score >= rules.least_score]
    explained = boxes or rules.summary_boxes <= 0
    if not explained or n_source < rules.summary_source:
        return good
    start, stop, score = _best_part(pair)
    if not _is_summary(pair, start, stop, score, boxes):
        return good
    evidence = refine.topic_sum(pair, 0, [[start, stop], [0, n_source]], summary=True)
    if evidence < rules.summary_evidence or evidence * (stop - start) < rules.summary_times * n_source:
        return good
    beside = [box for box in good if box.query >= stop or box.query_stop <= start]
    return [*beside, Box(start, stop, 0, n_source, evidence, 1)]


def _best_part(pair: NumberedPair) -> tuple[int, int, int]:
    """Return start, stop and score of the part of the query that the whole source explains best, between borders."""
    scores = []
    for word in pair.classes[0]:
        at = refine.bucket(pair.priors[word], len(pair.classes[1]), pair.rules.prior_words)
        scores.append(refine.SUMMARY_MATCH[at] if pair.counts[1][word] else refine.SUMMARY_MISS[at])
    return refine.snapped_sum(pair, Window(0, 0, scores), refine.SOURCE_BORDERS)


def _is_summary(pair: NumberedPair, start: int, stop: int, score: int, boxes: list[Box]) -> bool:
    rules = pair.rules
    if score < rules.summary_score or stop - start > min(rules.summary_words, len(pair.classes[1])):
        return False
    lines = all(pair.borders[0][edge] >= SENTENCE_AND_LINE for edge in (start, stop))
    shared = [pair.rarities[word] if pair.counts[1][word] else 0 for word in pair.classes[0]]
    mass = sum(shared[start:stop])
    explained, one = set[int](), 0
    for box in boxes:
        inside = range(max(box.query, start), min(box.query_stop, stop))
        explained |= set(inside)
        if box.score >= rules.least_score:
            one = max(one, sum(shared[at] for at in inside))
    if 100 * sum(shared[at] for at in explained) < rules.summary_boxes * mass:
        return False
    if 100 * one > (rules.summary_one_lines if lines else rules.summary_one) * mass:
        return False
    return _densest(pair, start, stop) <= 10 * (rules.summary_dense_lines if lines else rules.summary_dense)


def _densest(pair: NumberedPair, start: int, stop: int) -> int:
    """Return the largest share of a part's shared words in one window of the source, per thousand.

    Each word counts once, by its rarity.
    """
    source, width = pair.classes[1], pair.rules.summary_window * (stop - start) // 100
    wanted = {word for word in pair.classes[0][start:stop] if pair.counts[1][word]}
    everything = sum(pair.rarities[word] for word in wanted)
    held, mass, most = Counter[int](), 0, 0
    for at, word in enumerate(source):
        if word in wanted:
            mass += 0 if held[word] else pair.rarities[word]
            held[word] += 1
        if at >= width and (left := source[at - width]) in wanted:
            held[left] -= 1
            mass -= 0 if held[left] else pair.rarities[left]
        most = max(most, mass)
    return 1000 * most // everything if everything else 1000
