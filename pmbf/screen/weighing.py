"""How much a hash in common says, and which documents have evidence enough to be compared with a query.

A hash that n of N documents have weighs ln(N / n) nats: its probability in an unrelated document is n / N. So a hash
that few documents have says much, a common one says nothing. The postings tell how many have it, so no list of common
shingles is kept, and none grows old.

A text that is reworded throughout shares one or two rare hashes with its source, no more than it shares with other
documents by chance. The larger the collection, the more documents have such a hash, but the source stays among the
best of them. So no fixed number of nats is asked for. The *bar* is:

    sure       documents with three hashes of their own near each other: all are candidates
    doubtful   the others: the best are candidates, as many as the sensitivity says

Chance hits a document as often as the document is large. So the best are those with the most *net evidence*: the
evidence, less ln(size / average size) for each hit that the evidence is made of.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.params import Params
from pmbf.kernels import EVIDENCE_UNITS, Evident, HitRules, Sample
from pmbf.screen.stores import AnyGeneration

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

SURE_HASHES = 3
"""Hashes of its own, in net evidence, that make a document sure."""

MOST_TIMES = 64.0
"""A document counts as 64 average ones at most: else a copy of a part of a text of 50 MB among 500 others would be no
evidence. Of so long a text only the stretches near the hits are compared."""

FIRST_HASHES = 128
"""Hashes of a query that are added up first. A copy of 128 hashes mostly gives more evidence than a sure candidate
needs; then the others need not be added up."""


def common_from(n_documents: int) -> int:
    """Return the number of documents that must have a hash, at least, to make it common.

    >>> common_from(14), common_from(80_000)
    (51, 283)
    """
    return max(COMMON_DOCUMENTS, math.isqrt(n_documents)) + 1


def weights(n_having: NDArray[np.int64], n_documents: int, *, every: bool = True) -> NDArray[np.int32]:
    """Return the weight of each hash, in 1/`UNITS` nat, `(q,) int32`: ln(N / n), or 0 if the hash is common.

    If nearly all hashes are common, then the query itself is boilerplate. If `every` document that has it is wanted,
    then common hashes weigh at least one nat.

    Args:
        n_having: `(q,) int64`, how many documents have each hash.
        n_documents: Documents of the collection, N.

    >>> (weights(np.array([1, 30, 4000]), 80_000) / UNITS).round(2).tolist()
    [11.29, 7.89, 0.0]
    """
    of_all, common = _weights(n_having, n_documents), n_having >= common_from(n_documents)
    return np.where(common, np.maximum(of_all, UNITS) if every and is_boilerplate(common) else np.int32(0), of_all)


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
    return kernels.evidence(bounds, places, weights, tokens, hit_rules(shingle_tokens))[0] / UNITS


def hit_rules(shingle_tokens: int) -> HitRules:
    """Return how hits near each other count together."""
    return HitRules(shingle_tokens, EVIDENCE_HASHES)


def passed(
    generation: AnyGeneration, found: Evident, nats: NDArray[np.float64], n_doubtful: Sequence[int]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return which documents of many queries are candidates, ascending, and which of all documents are sure.

    If half of the evidence that a copy of the whole query gives is less than a document needs to be sure, then a
    document with as much is sure.

    Args:
        generation: The files of the collection.
        found: The documents of each query with at least the evidence that is looked at.
        nats: `(n,) float64`, the evidence of each document.
        n_doubtful: Of each query how many documents that are not sure are candidates, at most.
    """
    own = weight_of_own(generation.n_documents)
    sure = SURE_HASHES * own
    n_hits = np.minimum(found.n_hits, 1 + nats / own)
    net = nats - n_hits * np.log(np.minimum(MOST_TIMES, generation.relative_sizes(found.documents)))
    copied = np.where(found.copied < sure, found.copied, np.inf)
    is_sure = (net >= sure) | (nats >= np.repeat(copied, np.diff(found.bounds)))
    lacking = np.where(is_sure, np.inf, -net)
    kept = [np.flatnonzero(is_sure)]
    bounds = found.bounds.tolist()
    for n, start, stop in zip(n_doubtful, bounds, bounds[1:], strict=False):
        best = start + _least(lacking[start:stop], n)
        kept.append(best[lacking[best] < np.inf])
    return np.sort(np.concatenate(kept)), is_sure


def _least(values: NDArray[np.float64], n: int) -> NDArray[np.intp]:
    """Return the places of the n least values, the first ones of equal values.

    >>> _least(np.array([3.0, 1.0, 2.0, 1.0, 1.0]), 2).tolist()
    [1, 3]
    """
    if n < len(values):
        some = np.flatnonzero(values <= np.partition(values, n - 1)[n - 1])
        return some[np.argsort(values[some], kind="stable")[:n]]
    return np.arange(len(values))


def half_of_a_copy(params: Params, sample: Sample, weighed: NDArray[np.int32], enough: float) -> float:
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


def share_of_a_copy(density: float, sample: Sample) -> float:
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
