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
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pmbf.base.params import Params
from pmbf.fingerprint import QuerySample
from pmbf.kernels import Evident
from pmbf.screen.options import SENSITIVITIES
from pmbf.screen.rarity import evidence
from pmbf.screen.stores import AnyGeneration

SURE_HASHES = 3
"""Hashes of its own, in net evidence, that make a document sure."""

HASHES_A_DOUBT, LEAST_DOUBTS = 12, 4
"""A short query has fewer doubtful candidates: one for every 12 of its hashes, some 40 words, and at least 4. Chance
hits it less often."""

FIRST_HASHES = 128
"""Hashes of a query that are added up first. A copy of 128 hashes mostly gives more evidence than a sure candidate
needs; then the others need not be added up."""


def passed(
    generation: AnyGeneration, found: Evident, nats: NDArray[np.float64], n_hashes: Sequence[int], sensitivity: str
) -> NDArray[np.intp]:
    """Return which documents of many queries are candidates, ascending.

    If half of the evidence that a copy of the whole query gives is less than a document needs to be sure, then a
    document with as much is sure.

    Args:
        generation: The files of the collection.
        found: The documents of each query with at least the evidence that is looked at.
        nats: `(n,) float64`, the evidence of each document.
        n_hashes, sensitivity: Of each query how many hashes it has; one of `SENSITIVITIES`.
    """
    own = weight_of_own(generation.n_documents)
    sure = SURE_HASHES * own
    n_hits = np.minimum(found.n_hits, 1 + nats / own)
    net = nats - n_hits * np.log(generation.relative_sizes(found.documents))
    copied = np.where(found.copied < sure, found.copied, np.inf)
    is_sure = (net >= sure) | (nats >= np.repeat(copied, np.diff(found.bounds)))
    lacking = np.where(is_sure, np.inf, -net)
    kept = [np.flatnonzero(is_sure)]
    bounds = found.bounds.tolist()
    for n, start, stop in zip(n_hashes, bounds, bounds[1:], strict=False):
        n_doubtful = min(SENSITIVITIES[sensitivity], max(LEAST_DOUBTS, n // HASHES_A_DOUBT))
        best = start + np.argsort(lacking[start:stop], kind="stable")[:n_doubtful]
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
