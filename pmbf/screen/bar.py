"""The bar: which documents have evidence enough to be compared with a query.

A text that is reworded throughout shares one or two rare hashes with its source, no more than it shares with other
documents by chance. The larger the collection, the more documents have such a hash, but the source stays among the
best of them. So no fixed number of nats is asked for:

    sure       documents with three hashes of their own near each other: all are candidates
    doubtful   the others: the best are candidates, as many as the sensitivity says

Chance hits a document as often as the document is large. So the best are those with the most *net evidence*: the
evidence, less ln(size / average size) for each hit that the evidence is made of.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pmbf.base.params import Params
from pmbf.fingerprint import QuerySample
from pmbf.kernels import Evident
from pmbf.screen.options import SENSITIVITIES
from pmbf.screen.rarity import COMMON_DOCUMENTS, evidence
from pmbf.screen.stores import AnyGeneration
from pmbf.store.having import Having

SURE_HASHES = 3
"""Hashes of its own, in net evidence, that make a document sure."""

HASHES_A_DOUBT, LEAST_DOUBTS = 12, 4
"""A short query has fewer doubtful candidates: one for every 12 of its hashes, some 40 words, and at least 4. Chance
hits it less often."""

FIRST_HASHES = 128
"""Hashes of a query that are added up first. A copy of 128 hashes mostly gives more evidence than a sure candidate
needs; then the others need not be added up."""

Evidence = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bar:
    """What is asked of a document.

    Args:
        own: The weight of a hash that one document alone has, in nats.
        copied: Half of the evidence that a copy of the whole query gives. If that is less than a document needs to be
            sure, then a document with as much is sure.
        n_doubtful: Most doubtful candidates.
    """

    own: float
    copied: float
    n_doubtful: int

    @staticmethod
    def of(sensitivity: str, *, n_documents: int, n_hashes: int, copied: float) -> Bar:
        """Return the bar for a query of `n_hashes` in a collection of `n_documents`.

        >>> Bar.of("normal", n_documents=10**6, n_hashes=1200, copied=90.0).n_doubtful
        24
        >>> Bar.of("normal", n_documents=10**6, n_hashes=120, copied=90.0).n_doubtful
        10
        """
        n_doubtful = min(SENSITIVITIES[sensitivity], max(LEAST_DOUBTS, n_hashes // HASHES_A_DOUBT))
        return Bar(weight_of_own(n_documents), copied, n_doubtful)

    @property
    def sure(self) -> float:
        """Net evidence from which a document is a candidate whatever others have."""
        return SURE_HASHES * self.own

    @property
    def least(self) -> float:
        """Evidence that is looked at: that of one hash that `COMMON_DOCUMENTS` documents have."""
        return min(self.copied, self.own - math.log(COMMON_DOCUMENTS))

    def passed(self, generation: AnyGeneration, having: Having, evidence: Evidence) -> NDArray[np.intp]:
        """Return which documents of `having` are candidates, ascending.

        Args:
            generation: The files of the collection.
            having: Which hashes of the query each document has.
            evidence: `(n,) float64`, that of each document, in nats.
        """
        some = np.flatnonzero(evidence >= self.least)
        sizes = generation.relative_sizes(having.ids[some])
        n_hits = np.minimum(np.diff(having.bounds)[some], 1 + evidence[some] / self.own)
        net = evidence[some] - n_hits * np.log(sizes)
        is_sure = net >= self.sure
        if self.copied < self.sure:  # the query is short
            is_sure |= evidence[some] >= self.copied
        doubtful = np.flatnonzero(~is_sure)
        best = doubtful[np.argsort(-net[doubtful], kind="stable")[: self.n_doubtful]]
        kept: NDArray[np.intp] = some[np.sort(np.concatenate([np.flatnonzero(is_sure), best]))]
        return kept


def passed_of_all(
    generation: AnyGeneration, found: Evident, bars: Sequence[Bar], evidence: Evidence
) -> NDArray[np.intp]:
    """Return which documents of many queries are candidates, ascending; see `Bar.passed`.

    Args:
        generation: The files of the collection.
        found: The documents of each query with at least the evidence that is looked at.
        bars: The bar of each query; all have the same weight of a hash of its own.
        evidence: `(n,) float64`, that of each document, in nats.
    """
    owners = np.repeat(np.arange(len(bars)), np.diff(found.bounds))
    own, sure = (bars[0].own, bars[0].sure) if bars else (1.0, 0.0)
    n_hits = np.minimum(found.n_hits, 1 + evidence / own)
    net = evidence - n_hits * np.log(generation.relative_sizes(found.documents))
    copied = np.array([one.copied if one.copied < sure else math.inf for one in bars])
    is_sure = (net >= sure) | (evidence >= copied[owners])
    lacking = np.where(is_sure, np.inf, -net)
    kept = [np.flatnonzero(is_sure)]
    for bar, start, stop in zip(bars, found.bounds[:-1].tolist(), found.bounds[1:].tolist(), strict=True):
        best = start + np.argsort(lacking[start:stop], kind="stable")[: bar.n_doubtful]
        kept.append(best[lacking[best] < np.inf])
    return np.sort(np.concatenate(kept))


def half_of_a_copy(params: Params, sample: QuerySample, weighed: NDArray[np.int32], enough: float) -> float:
    """Return half of the evidence that a copy of the whole query gives, or some of it if that is `enough`.

    A short query has more sampled hashes than the same words in a document.
    """
    half, share = 0.0, share_of_a_copy(params.density, sample)
    for n in (min(FIRST_HASHES, len(weighed)), len(weighed)):
        bounds, every = _all_places(n)
        half = share * float(evidence(bounds, every, weighed[:n], sample.token[:n], params.shingle_tokens)[0])
        if half >= enough:
            break
    return half


def share_of_a_copy(density: float, sample: QuerySample) -> float:
    """Return the part of the evidence of a whole query that is half of what a document with its text gives."""
    return min(1.0, density * sample.n_chars / max(1, len(sample.hashes))) / 2


@lru_cache(maxsize=256)
def _all_places(n: int) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return the list of all places of a query, in the form that `evidence` takes."""
    return np.array([0, n]), np.arange(n, dtype=np.uint32)


def weight_of_own(n_documents: int) -> float:
    """Return the weight of a hash that one of `n_documents` has, in nats.

    >>> round(weight_of_own(80_000), 1)
    11.3
    """
    return math.log(max(1, n_documents) + 1)
