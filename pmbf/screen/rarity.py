"""Rarity: how much a hash in common says. A hash that few documents have says much, a common one says nothing.

A hash that n of N documents have weighs ln(N / n) nats: its probability in an unrelated document is n / N. The postings
tell how many have it, so no list of common shingles is kept, and none grows old.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.kernels import EVIDENCE_UNITS, HitRules

UNITS = EVIDENCE_UNITS
"""Weights are whole numbers of 1/1024 nat."""

EVIDENCE_HASHES = 16
"""Window of a query, in sampled hashes, in which hits count together: some 50 words."""

COMMON_DOCUMENTS = 50
"""A hash is common if more than 50 documents have it, and more than the root of all: templates, licences, phrases.
Fifty drafts of one text are still sources. If 2 % of all must have it, then fewer sources of PAN13's reworded passages
are found among 76,446 documents, and three times as many postings are read."""

INFORMATIVE_SHARE = 0.2
"""If less than this share of the hashes is not common, then the query itself is boilerplate, and common hashes
count."""


def common_from(n_documents: int) -> int:
    """Return the number of documents that must have a hash, at least, to make it common.

    >>> common_from(14), common_from(80_000)
    (51, 283)
    """
    return max(COMMON_DOCUMENTS, math.isqrt(n_documents)) + 1


def weights(n_having: NDArray[np.int64], n_documents: int) -> NDArray[np.int32]:
    """Return the weight of each hash, in 1/`UNITS` nat, `(q,) int32`: ln(N / n), or 0 if the hash is common.

    If nearly all hashes are common, then the query itself is boilerplate, and common hashes weigh at least one nat.

    Args:
        n_having: `(q,) int64`, how many documents have each hash.
        n_documents: Documents of the collection, N.

    >>> (weights(np.array([1, 30, 4000]), 80_000) / UNITS).round(2).tolist()
    [11.29, 7.89, 0.0]
    """
    of_all, common = _weights(n_having, n_documents), n_having >= common_from(n_documents)
    return np.where(common, np.maximum(of_all, UNITS) if is_boilerplate(common) else np.int32(0), of_all)


def weights_below(n_common: int, n_documents: int) -> NDArray[np.int32]:
    """Return the weight of a hash that n documents have, `(n_common,) int32`, for each n below `n_common`."""
    return _weights(np.arange(n_common), n_documents)


def is_boilerplate(common: NDArray[np.bool_]) -> bool:
    """Return whether nearly all hashes of a query are common."""
    return bool(np.count_nonzero(common) > (1 - INFORMATIVE_SHARE) * len(common))


def _weights(n_having: NDArray[Any], n_documents: int) -> NDArray[np.int32]:
    nats = np.log((n_documents + 1) / np.maximum(n_having, 1))
    return np.asarray(np.maximum(1, UNITS * nats), np.int32)


def evidence(
    bounds: NDArray[np.int64],
    places: NDArray[np.uint32],
    weights: NDArray[np.int32],
    tokens: NDArray[np.uint32],
    shingle_tokens: int,
) -> NDArray[np.float64]:
    """Return the evidence of each list of places, in nats; see `kernels.evidence`."""
    return kernels.evidence(bounds, places, weights, tokens, hit_rules(shingle_tokens)) / UNITS


def hit_rules(shingle_tokens: int) -> HitRules:
    """Return how hits near each other count together."""
    return HitRules(shingle_tokens, EVIDENCE_HASHES)
