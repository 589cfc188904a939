"""Precision and recall of pairs; the threshold is chosen on one half and shown on the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from experiments.resultsets.methods import Scores

Pairs = set[tuple[int, int]]
THRESHOLDS = tuple(round(0.1 + 0.05 * step, 2) for step in range(17))


@dataclass(frozen=True, slots=True)
class Score:
    """What a way finds at one threshold."""

    threshold: float
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.precision * self.recall / ((self.precision + self.recall) or 1)


def scored(found: Iterable[tuple[Scores, Pairs]], threshold: float) -> Score:
    """Return the score of several sets together.

    >>> scored([({(0, 1): 0.9, (0, 2): 0.5}, {(0, 1), (1, 2)})], 0.4)
    Score(threshold=0.4, precision=0.5, recall=0.5)
    """
    n_right = n_found = n_copies = 0
    for scores, copies in found:
        told = {pair for pair, score in scores.items() if score >= threshold}
        n_right, n_found, n_copies = n_right + len(told & copies), n_found + len(told), n_copies + len(copies)
    return Score(threshold, n_right / n_found if n_found else 1.0, n_right / n_copies if n_copies else 1.0)


def best(found: Sequence[tuple[Scores, Pairs]]) -> Score:
    """Return the score at the threshold of the best F1."""
    return max((scored(found, threshold) for threshold in THRESHOLDS), key=lambda score: score.f1)


def recall_by_kind(found: Iterable[tuple[Scores, Mapping[tuple[int, int], str]]], threshold: float) -> dict[str, float]:
    """Return the share of the pairs of each kind that is found.

    >>> recall_by_kind([({(0, 1): 0.9}, {(0, 1): "cut", (0, 2): "cut"})], 0.4)
    {'cut': 0.5}
    """
    told: dict[str, list[bool]] = {}
    for scores, kinds in found:
        for pair, kind in kinds.items():
            told.setdefault(kind, []).append(scores.get(pair, 0.0) >= threshold)
    return {kind: sum(one) / len(one) for kind, one in told.items()}
