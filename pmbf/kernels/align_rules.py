"""The arguments of both twins of the alignment kernels: the numbers of `docs/alignment.md`, tables of scores, texts.

Scores are whole numbers in 1/1024 nat (`NAT`), so that the twins agree to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["NAT", "PRIOR_UNIT", "PRIOR_WORDS", "Rules", "score_tables"]

NAT = 1024
PRIOR_WORDS = 500
PRIOR_UNIT = 65536
"""The prior of a word: how often it is expected among 500 words of any text, in 1/65536."""

N_SLIPS = 7
"""A slip of a word is its first 7 letters with one of them left out."""

N_BUCKETS = 32 * 18
_CHANCE_UNIT = 1 << 20


@dataclass(frozen=True)
class Rules:
    """The numbers of an alignment: scores in 1/1024 nat, distances in words, shares in per cent.

    Args:
        most_points: A word makes no points if its places in the query times its places in the source are more.
        radius: How far a point looks for other points, in both texts.
        near: Other points within this distance count half as much again.
        density: Least density of a point that is kept.
        gap: Widest gap between two points of one cluster, in either text.
        gap_rounds: Most times that a cluster is split.
        margin: How far an edge may move outwards in a round of refinement.
        inward: How far an edge may move inwards to a border.
        rounds: Most rounds of refinement.
        prior_words: Words added to those of a text when a rate is computed: the weight of the priors against the text.
        outward_bonus: Added for an edge that moves outwards to a border, or stays on one.
        line_bonus: Added for a border that is the end of a line.
        step_price: Taken off for each word that an edge moves.
        least_snap: Least value of a border that an edge moves to.
        least_box: Least score of a box that may be joined with others.
        least_score: Least score of an alignment.
        stretch: Greatest distance of the next border when ends of a box are moved in both texts.
        stretches: Most times that ends are moved so.
        stretch_gain: Least gain of each such move.
        summary_source: Fewest words of a source that can have a summary.
        summary_words: Most words of a summary.
        summary_score: Least score of a summary, each word counted every time.
        summary_evidence: Least score of a summary, each word counted once, and as a word of the query's topic.
        summary_times: Least such score for each time that the source is as long as the summary; 0 for none.
        summary_boxes: Least share of a summary's shared words that all boxes explain together. Shared words stand in
            the source too; here and below they count by rarity.
        summary_one: Greatest share of the shared words that one box may explain.
        summary_one_lines: The same for a summary that begins and ends with a line.
        summary_window: Words of a window of the source, per cent of the words of the summary.
        summary_dense: Greatest share of the shared words, each counted once, in such a window.
        summary_dense_lines: The same for a summary that begins and ends with a line.
    """

    most_points: int = 300
    radius: int = 12
    near: int = 3
    density: int = 3 * NAT
    gap: int = 36
    gap_rounds: int = 16
    margin: int = 10
    inward: int = 30
    rounds: int = 3
    prior_words: int = 700
    outward_bonus: int = NAT
    line_bonus: int = NAT
    step_price: int = 10
    least_snap: int = -4 * NAT
    least_box: int = 7 * NAT
    least_score: int = 14 * NAT
    stretch: int = 40
    stretches: int = 4
    stretch_gain: int = NAT // 2
    summary_source: int = 400
    summary_words: int = 250
    summary_score: int = 40 * NAT
    summary_evidence: int = 22 * NAT
    summary_times: int = 0
    summary_boxes: int = 15
    summary_one: int = 50
    summary_one_lines: int = 90
    summary_window: int = 150
    summary_dense: int = 85
    summary_dense_lines: int = 90

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """All numbers in order, for the native twin."""
        return np.array([getattr(self, one.name) for one in fields(self)], np.int64)


@dataclass(frozen=True)
class Odds:
    """How likely words are: the numbers behind the tables of scores.

    Args:
        copied: Chance that a word of a copied part stands in the other text's part.
        summarised: Chance that a word of a summary stands in the source.
        most: Greatest score of a match, in nats.
        least: Least score of a miss, in nats.
        least_summary: Least score of a miss in a summary, in nats.
        crowding: Factor on the expected number of a word, since words come in clusters.
        surest: Greatest chance with which a word is expected without copying.
    """

    copied: float = 0.85
    summarised: float = 0.9
    most: float = 2.5
    least: float = -0.87
    least_summary: float = -2.0
    crowding: float = 1.5
    surest: float = 0.6


@cache
def score_tables(odds: Odds = Odds()) -> NDArray[np.int32]:
    """Return scores by expected number, `(4, N_BUCKETS) int32`: match, miss, match in a summary, miss in a summary.

    Bucket b below 64 stands for 1.5 b / 2^20 expected words. After that the step doubles with every 32 buckets.
    """
    buckets = np.arange(N_BUCKETS)
    shifts = np.maximum(buckets // 32 - 1, 0)
    chances = ((buckets - 32 * shifts) * 2.0**shifts + (2.0**shifts) / 2 * (shifts > 0)) / _CHANCE_UNIT
    by_chance = np.clip(1 - np.exp(-chances * odds.crowding / 1.5), 1e-5, odds.surest)
    lines = [
        np.minimum(odds.most, np.log(odds.copied / by_chance)),
        np.maximum(odds.least, np.log((1 - odds.copied) / (1 - by_chance))),
        np.minimum(odds.most, np.log(odds.summarised / by_chance)),
        np.maximum(odds.least_summary, np.log((1 - odds.summarised) / (1 - by_chance))),
    ]
    return np.ascontiguousarray(np.round(np.array(lines) * NAT).astype(np.int32))
