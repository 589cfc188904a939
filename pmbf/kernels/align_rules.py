"""What both twins of the alignment kernels are told: the numbers of `docs/alignment.md`, and tables of scores.

Scores are whole numbers in 1/1024 of a nat (`NAT`), so that the twins agree to the bit.
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
"""Priors say how many of `PRIOR_WORDS` words of any text are expected to be a certain one, in 1/65536."""

N_SLIPS = 7
"""First letters of a word of which one is left out."""

N_BUCKETS = 32 * 18
_CHANCE_UNIT = 1 << 20


@dataclass(frozen=True)
class Rules:
    """The numbers of an alignment; scores in 1/1024 nat, distances in words, shares in per cent.

    Args:
        most_points: Places of a word in the query times places in the source, above which it makes no points.
        radius: How far on both sides a point looks for others.
        near: Those within this distance count half as much again.
        density: Least density of a point that is kept.
        gap: Widest gap between two points of one cluster, on either side.
        gap_rounds: Times a cluster is split at most.
        margin: How far an edge may move outwards in a round of refinement.
        inward: How far an edge may move inwards to a border.
        rounds: Of refinement, at most.
        prior_words: Words added to those of a text when a rate is taken: they weigh the priors against what is seen.
        outward_bonus: For an edge that moves outwards to a border, or stays on one.
        line_bonus: For a border with a line's end.
        step_price: Of each word an edge moves.
        least_snap: Least value of a border an edge moves to.
        least_box: Least score of a box that may join others.
        least_score: Least score of an alignment.
        stretch: How far the next border may be when both texts' ends are moved together.
        stretches: Times that is done at most.
        stretch_gain: Least that each brings.
        summary_source: Fewest words of a source that has summaries.
        summary_words: Most words of a summary.
        summary_score: Its least score, every word counted.
        summary_evidence: Its least score, each word counted once, and as one of the query's topic.
        summary_boxes: Least share of its words that stand in the source, by rarity, that boxes explain, all together.
        summary_one: Most of them that one box may explain.
        summary_one_lines: The same where it begins and ends with a line.
        summary_window: Words of the source's window in which most of them stand, per cent of the summary's own.
        summary_dense: Most of them, each once, in such a window.
        summary_dense_lines: The same where it begins and ends with a line.
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
    summary_boxes: int = 15
    summary_one: int = 50
    summary_one_lines: int = 90
    summary_window: int = 150
    summary_dense: int = 85
    summary_dense_lines: int = 90

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """All of them in order, for the native twin."""
        return np.array([getattr(self, one.name) for one in fields(self)], np.int64)


@dataclass(frozen=True)
class Odds:
    """How likely words are: what the tables of scores are made of.

    Args:
        copied: Chance that a word of a copied part stands in the other's.
        summarised: Chance that a word of a summary stands in the source.
        most: A match never says more, in nats.
        least: A miss never says more against, in nats.
        least_summary: The same for summaries.
        crowding: How much likelier than by its rate a word is expected, since words come in flocks.
        surest: Most chance by which a word is expected anyway.
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
    """Return `(4, N_BUCKETS) int32`: match, miss, match in a summary, miss in a summary, by how much is expected.

    Bucket b below 64 is for b / 2^20 times 1.5 expected words, and then each 32 buckets are for twice as many.
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
        keys: `(n_types,) uint64`, distinct, ascending: one for all forms of a word.
        types: `(n,) int32`, each word's place among the keys.
        slips: `(n_types, 7) uint64`, the word of each type with one of its first letters left out in turn; 0 for none.
            Words with a slip in common differ by one slip of the pen.
        borders: `(n + 1,) uint8`, what stands before each word and at the end: 0 nothing, 1 the end of a sentence,
            2 that and of a line, 3 of a paragraph or the text, 4 of a line.
    """

    keys: NDArray[np.uint64]
    types: NDArray[np.int32]
    slips: NDArray[np.uint64]
    borders: NDArray[np.uint8]

    tables: dict[str, NDArray[np.int32]] = field(default_factory=dict, repr=False)

    @cached_property
    def n_slots(self) -> int:
        """Places of a table that all slips fit into, a power of two."""
        return 1 << max(4, (2 * int(np.count_nonzero(self.slips))).bit_length())


@dataclass(frozen=True, eq=False)
class Runs:
    """What names the runs of a text's tokens: that of `[start, stop)` is (sums[stop] - sums[start]) · back[start].

    Args:
        sums: `(n + 1,) uint64`.
        back: `(n,) uint64`.
    """

    sums: NDArray[np.uint64]
    back: NDArray[np.uint64]

    def names(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return one number per run; equal runs have equal numbers, others hardly ever."""
        return (self.sums[stops] - self.sums[starts]) * self.back[starts]


@dataclass(frozen=True, eq=False)
class Grams:
    """The runs a text offers as seeds, one from each token on, grouped by name.

    Args:
        runs: Of the text.
        stops: Token after the last of each gram, gram i beginning at token i, `(n,) int64`.
        names: Distinct names, ascending, `(n_names,) uint64`.
        order: Grams by name, then by position, `(n,) int64`.
        bounds: Name k has the grams `order[bounds[k]:bounds[k + 1]]`, `(n_names + 1,) int64`.
    """

    runs: Runs
    stops: NDArray[np.int64]
    names: NDArray[np.uint64]
    order: NDArray[np.int64]
    bounds: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pair:
    """Two texts in one numbering of words, the query first.

    Args:
        classes: `(n,) int32` each, numbers below `n_classes`.
        borders: `(n + 1,) uint8` each, as in `Words`.
        rarities: `(n_classes,) int32`, how much a word in common says, in 1/1024 nat, at least 0.
        priors: `(n_classes,) int32`, how many of 500 words are expected to be this one, in 1/65536, at least 0.
    """

    classes: tuple[NDArray[np.int32], NDArray[np.int32]]
    borders: tuple[NDArray[np.uint8], NDArray[np.uint8]]
    rarities: NDArray[np.int32]
    priors: NDArray[np.int32]
    rules: Rules = field(default_factory=Rules)
    tables: NDArray[np.int32] = field(default_factory=score_tables)
