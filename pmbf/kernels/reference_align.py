"""Align two texts: the NumPy reference of `native/align/*.c`. The rules are docs/alignment.md.

Every score is a whole number in 1/1024 nat; divisions round down.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.reference_clusters import Box, Pair, clusters, joined
from pmbf.kernels.reference_refine import (
    SOURCE_BORDERS,
    Places,
    Texts,
    Window,
    buckets,
    greatest_sum,
    refined,
    snapped,
    stretched,
    sums,
    topic_sum,
)
from pmbf.kernels.reference_words import SENTENCE_AND_LINE


def align(pair: Pair) -> NDArray[np.int64]:
    """Return the alignments of two texts, `(n, 6) int64`: start and stop in the query, in the source, score, kind.

    Starts and stops count words; the word at a stop does not belong to the alignment. The kind is 0 for a passage, 1
    for a summary of the whole source, which comes last. Scores are in 1/1024 nat.
    """
    texts, rules = Texts(pair), pair.rules
    found = [refined(texts, box) for box in clusters(rules, *_points(texts))]
    kept = [stretched(texts, box) for box in found if box is not None and box.score >= rules.least_box]
    boxes = joined(kept)
    boxes = _with_summary(texts, boxes)
    return np.array(boxes, np.int64).reshape(-1, 6)


def part_scores(pair: Pair, parts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the evidence of the words of some parts of two texts, `(n, 2) int64`, in 1/1024 nat.

    The first number is the score that an alignment of the same part has: the smaller sum of the two texts. The second
    is the same, but each word counts once, and is expected as often as in the rest of both texts.

    Args:
        pair: The texts.
        parts: `(n, 4) int64`, start and stop in the query, start and stop in the source, in words.
    """
    texts = Texts(pair)
    scores = []
    for *here, start, stop in parts.tolist():
        edges = [here, [start, stop]]
        scores.append((min(sums(texts, edges)), min(topic_sum(texts, side, edges) for side in (0, 1))))
    return np.array(scores, np.int64).reshape(-1, 2)


def _points(texts: Texts) -> tuple[Places, Places]:
    """Return the points: places in query and source of equal words that have enough other equal words near them."""
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


def _worths(texts: Texts) -> list[int]:
    """Return the worth of a point of each class; 0 for a class that makes no points or too many.

    The sum of all points within the radius fits 32 bits.
    """
    most = (2**31 - 1) // (2 * texts.pair.rules.radius + 1) ** 2
    products = texts.counts[0] * texts.counts[1]
    worths = []
    for product, rarity in zip(products.tolist(), texts.pair.rarities.tolist(), strict=True):
        makes = 0 < product <= texts.pair.rules.most_points
        worths.append(min(most, rarity * (math.isqrt((1 << 48) // product) >> 12) >> 12) if makes else 0)
    return worths


def _with_summary(texts: Texts, boxes: list[Box]) -> list[Box]:
    """Return the boxes with at least the least score. A summary of the whole source replaces the boxes it overlaps."""
    rules, n_source = texts.pair.rules, len(texts.pair.classes[1])
    good = [box for box in boxes if box.score >= rules.least_score]
    explained = boxes or rules.summary_boxes <= 0
    if not explained or n_source < rules.summary_source:
        return good
    start, stop, score = _best_part(texts)
    if not _is_summary(texts, start, stop, score, boxes):
        return good
    evidence = topic_sum(texts, 0, [[start, stop], [0, n_source]], summary=True)
    if evidence < rules.summary_evidence or evidence * (stop - start) < rules.summary_times * n_source:
        return good
    beside = [box for box in good if box.query >= stop or box.query_stop <= start]
    return [*beside, Box(start, stop, 0, n_source, evidence, 1)]


def _best_part(texts: Texts) -> tuple[int, int, int]:
    """Return start, stop and score of the part of the query that the whole source explains best, between borders."""
    pair = texts.pair
    query, n_source = pair.classes[0], len(pair.classes[1])
    lines = buckets(pair.priors[query].astype(np.int64), n_source, pair.rules.prior_words)
    scores = np.where(texts.counts[1][query] > 0, pair.tables[2][lines], pair.tables[3][lines]).astype(np.int64)
    window = Window(0, 0, scores)
    start, stop, score = greatest_sum(window)
    if score <= 0:
        return 0, 0, 0
    start, change = snapped(texts, window, start, stop, -1, SOURCE_BORDERS)
    stop, change_after = snapped(texts, window, stop, start, 1, SOURCE_BORDERS)
    return start, stop, score + change + change_after


def _is_summary(texts: Texts, start: int, stop: int, score: int, boxes: list[Box]) -> bool:
    pair, rules = texts.pair, texts.pair.rules
    if score < rules.summary_score or stop - start > min(rules.summary_words, len(pair.classes[1])):
        return False
    lines = all(pair.borders[0][edge] >= SENTENCE_AND_LINE for edge in (start, stop))
    rarities = pair.rarities[pair.classes[0]].astype(np.int64)
    shared = np.where(texts.counts[1][pair.classes[0]] > 0, rarities, 0)
    mass = int(shared[start:stop].sum())
    told = np.zeros(len(shared), np.bool_)
    one = 0
    for box in boxes:
        told[box.query : box.query_stop] = True
        if box.score >= rules.least_score:
            one = max(one, int(shared[max(box.query, start) : max(0, min(box.query_stop, stop))].sum()))
    if 100 * int(shared[start:stop][told[start:stop]].sum()) < rules.summary_boxes * mass:
        return False
    if 100 * one > (rules.summary_one_lines if lines else rules.summary_one) * mass:
        return False
    return _densest(texts, start, stop) <= 10 * (rules.summary_dense_lines if lines else rules.summary_dense)


def _densest(texts: Texts, start: int, stop: int) -> int:
    """Return the largest share of a part's shared words in one window of the source, per thousand.

    Each word counts once, by its rarity.
    """
    query, source = texts.pair.classes
    wanted = np.unique(query[start:stop])
    wanted = wanted[texts.counts[1][wanted] > 0]
    rarities = texts.pair.rarities.astype(np.int64)
    width = texts.pair.rules.summary_window * (stop - start) // 100
    entering = np.zeros(len(source) + 1, np.int64)
    for c in wanted.tolist():
        # A window that ends with word t holds class c if the last place of c up to t is t - width + 1 or later.
        places = texts.places[c]
        leaves = np.minimum(places + width, np.append(places[1:], len(source) + width))
        np.add.at(entering, places, rarities[c])
        np.add.at(entering, np.minimum(leaves, len(source)), -rarities[c])
    everything = int(rarities[wanted].sum())
    return 1000 * int(np.cumsum(entering).max(initial=0)) // everything if everything else 1000
