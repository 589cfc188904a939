"""Prepared articles to the pairs that are alike; and boilerplate, which many unlike articles of a background share.

Boilerplate is a licence, a footer or a notice. A story with twenty copies is none. So of the articles that have a hash,
those that are duplicates of each other count once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.alike.resultsets.prepared import PreparedArticle
from pmbf.base.arrays import among
from pmbf.base.errors import ParameterError
from pmbf.kernels import NO_HASHES, Likeness

MOST_ARTICLES = 5_000
"""Articles of one set. A list of search results has a hundred."""

FIRST, SECOND, N_SHARED, N_FIRST, N_SECOND = range(5)
"""The columns of pairs."""

JACCARD, CONTAINMENT = "jaccard", "containment"
_LOOKED_AT = 8
"""Articles with a hash that are compared with each other: so many times the unlike articles that boilerplate has."""


@dataclass(frozen=True, slots=True)
class Rule:
    """When two articles are duplicates.

    Args:
        threshold: Least similarity, above 0 and at most 1.
        measure: `jaccard`: the hashes that both have, by those that either has; `containment`: by those of the article
            with fewer, so that a teaser is a duplicate of its article.

    Raises:
        ParameterError: A value is outside its range.
    """

    threshold: float
    measure: str = JACCARD

    def __post_init__(self) -> None:
        if (
            isinstance(self.threshold, bool)
            or not isinstance(self.threshold, int | float)
            or not 0 < self.threshold <= 1
        ):
            raise ParameterError(f"threshold is {self.threshold!r}, expected a number above 0 and at most 1")
        if self.measure not in (JACCARD, CONTAINMENT):
            raise ParameterError(f"measure is {self.measure!r}, expected 'jaccard' or 'containment'")

    @property
    def likeness(self) -> Likeness:
        """The rule as the kernels take it: of a + b hashes, s shared ones are a Jaccard index of s / (a + b - s)."""
        if self.measure == CONTAINMENT:
            return Likeness(float(self.threshold), of_smaller=True)
        return Likeness(self.threshold / (1 + self.threshold))


def alike(
    prepared: Sequence[PreparedArticle], rule: Rule, without: NDArray[np.uint32] = NO_HASHES
) -> NDArray[np.int32]:
    """Return the pairs of articles that are duplicates, `(n, 5) int32`: see `kernels.pairs_alike`.

    Hashes of `without`, `(n,) uint32` ascending, do not count. Raises `ParameterError` if there are over
    `MOST_ARTICLES`.
    """
    if len(prepared) > MOST_ARTICLES:
        raise ParameterError(f"a set has {len(prepared)} articles, expected at most {MOST_ARTICLES}")
    return kernels.pairs_alike([one.packed for one in prepared], rule.likeness, without)


def similarities(pairs: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the Jaccard index of each pair: the hashes that both have, by those that either has.

    >>> similarities(np.array([[0, 1, 2, 2, 4]])).tolist()
    [0.5]
    """
    either = np.maximum(pairs[:, N_FIRST] + pairs[:, N_SECOND] - pairs[:, N_SHARED], 1)
    found: NDArray[np.float64] = pairs[:, N_SHARED] / either
    return found


def pair_of(prepared: Sequence[PreparedArticle], first: int, second: int) -> tuple[int, int, int, int, int]:
    """Return the pair of two articles, also if they are no duplicates, in the columns of `alike`."""
    both = [prepared[first], prepared[second]]
    limit = min(one.limit for one in both)
    known = [one.hashes[one.hashes <= limit] for one in both]
    return first, second, int(among(known[0], known[1]).sum()), len(known[0]), len(known[1])


def boilerplate(background: Sequence[PreparedArticle], more_than: int, rule: Rule) -> NDArray[np.uint32]:
    """Return the hashes that more than some unlike articles of a background have, `(n,) uint32`, ascending."""
    hashes = np.concatenate([one.hashes for one in background]) if background else np.zeros(0, np.uint32)
    order = np.argsort(hashes, kind="stable")
    owners = np.repeat(np.arange(len(background)), [len(one.hashes) for one in background])[order]
    ordered = hashes[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    stops = np.append(starts[1:], len(ordered))
    many = stops - starts > more_than
    found = [
        ordered[start]
        for start, stop in zip(starts[many].tolist(), stops[many].tolist(), strict=True)
        if _n_unlike(background, owners[start : min(stop, start + _LOOKED_AT * (more_than + 1))].tolist(), rule)
        > more_than
    ]
    return np.array(found, np.uint32)


def _n_unlike(background: Sequence[PreparedArticle], holders: Iterable[int], rule: Rule) -> int:
    """Return how many of some articles are shown if their duplicates are hidden."""
    held = [background[one] for one in holders]
    return len(set(kernels.shown_for(alike(held, rule), np.arange(len(held)), connected=False).tolist()))
