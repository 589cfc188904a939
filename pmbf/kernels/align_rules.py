"""The arguments of both twins of the alignment kernels: the numbers of `docs/alignment.md`, tables of scores, texts.

Scores are whole numbers in 1/1024 nat (`NAT`), so that the twins agree to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["NAT", "PRIOR_UNIT", "PRIOR_WORDS", "Grams", "Pair", "Rules", "Runs", "Words", "score_tables"]

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


@dataclass(frozen=True, eq=False)
class Words:
    """The words of a text as alignment sees them.

    Args:
        keys: `(n_types,) uint64`, distinct, ascending. All forms of a word have the same key; a key is a type.
        types: `(n,) int32`, the place of each word's key among the keys.
        slips: `(n_types, 7) uint64`, for each type the slips with the first, second … letter left out; 0 for none. Two
            words with a common slip differ by one slip of the pen.
        borders: `(n + 1,) uint8`, what stands before each word and at the end of the text: 0 nothing, 1 the end of a
            sentence, 2 the end of a sentence and a line, 3 the end of a paragraph or the text, 4 the end of a line.
    """

    keys: NDArray[np.uint64]
    types: NDArray[np.int32]
    slips: NDArray[np.uint64]
    borders: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Runs:
    """Names for the runs of a text's tokens. The name of `[start, stop)` is (sums[stop] - sums[start]) · back[start].

    Args:
        sums: `(n + 1,) uint64`, prefix sums of the token hashes times powers of a base.
        back: `(n,) uint64`, powers of the inverse of the base.
    """

    sums: NDArray[np.uint64]
    back: NDArray[np.uint64]

    def names(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the name of each run, `(n,) uint64`. Equal runs have equal names; different runs hardly ever do."""
        return (self.sums[stops] - self.sums[starts]) * self.back[starts]


@dataclass(frozen=True, eq=False)
class Grams:
    """The runs of a text that may be seeds, one from each token on, grouped by name.

    Args:
        runs: Names of the text's runs.
        stops: `(n,) int64`, the token after the last token of each gram. Gram i begins at token i.
        names: `(n_names,) uint64`, distinct names, ascending.
        order: `(n,) int64`, grams by name, then by position.
        bounds: `(n_names + 1,) int64`; name k has the grams `order[bounds[k]:bounds[k + 1]]`.
    """

    runs: Runs
    stops: NDArray[np.int64]
    names: NDArray[np.uint64]
    order: NDArray[np.int64]
    bounds: NDArray[np.int64]


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
