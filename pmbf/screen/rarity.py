"""Rarity: how much a hash in common says. A hash that few documents have says much, a common one says nothing.

A hash that n of N documents have weighs ln(N / n) nats: its probability in an unrelated document is n / N. The postings
tell how many have it, so no list of common shingles is kept, and none grows old.

Of a copy most hashes are hit; of a text on the same topic few are, here and there. So in collections of thousands, each
hash that is missed between two hits takes something off the evidence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.kernels import HitRules
from pmbf.params import Params

UNITS = 1024
"""Weights are whole numbers of 1/1024 nat, so that both twins of the kernels add up to the same."""

EVIDENCE_HASHES = 16
"""Window of a query, in sampled hashes, in which hits count together: some 50 words."""

COMMON_DOCUMENTS, COMMON_SHARE = 50, 0.02
"""A hash is common if more than 50 documents have it, and more than 2 % of all: templates, licences, phrases. Fifty
drafts of one text are still sources."""

INFORMATIVE_SHARE = 0.2
"""If less than this share of the hashes is not common, then the query itself is boilerplate, and common hashes
count."""

FEW_DOCUMENTS = 3500
"""Up to 3,500 documents, a hash that no other document has makes its document a candidate: comparing them takes
little."""

CROWDING, MOST_CROWDING = 14.5, 26.0
"""Nats added to the bar per factor e of documents above `FEW_DOCUMENTS`, and at most. Chance alone asks for 1 nat. But
texts of one topic share phrases, and more texts mean more fruitless comparisons."""

DENSENESS = 5.0
"""Nats added to the bar per factor e of sampling density: denser samples give more chance hits."""

MOST_MISSED = 1.5
"""Most nats that a missed hash between hits takes off. The price is 0 up to `FEW_DOCUMENTS`, and rises by 1 nat per
factor e of documents. Of a copy with one word in ten changed a quarter of the hashes is missed; of a text on the same
topic nearly all."""

_LONE_HIT = 0.5
"""Nats by which the only hash in common may fall short of the bar, so that rounding does not matter."""


@dataclass(frozen=True)
class Weighing:
    """How hits are weighed together.

    Args:
        shingle_tokens: Tokens of a shingle.
        missed: Nats that a missed hash between hits takes off.
    """

    shingle_tokens: int
    missed: float

    @cached_property
    def units(self) -> HitRules:
        """The same numbers as the kernels take them."""
        return HitRules(self.shingle_tokens, EVIDENCE_HASHES, round(self.missed * UNITS))


def common_from(n_documents: int) -> int:
    """Return the number of documents that must have a hash, at least, to make it common.

    >>> common_from(14), common_from(80_000)
    (51, 1601)
    """
    return int(max(COMMON_DOCUMENTS, COMMON_SHARE * n_documents)) + 1


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


def is_boilerplate(common: NDArray[np.bool_]) -> bool:
    """Return whether nearly all hashes of a query are common."""
    return bool(np.count_nonzero(common) > (1 - INFORMATIVE_SHARE) * len(common))


def _weights(n_having: NDArray[Any], n_documents: int) -> NDArray[np.int32]:
    nats = np.log((n_documents + 1) / np.maximum(n_having, 1))
    return np.asarray(np.maximum(1, UNITS * nats), np.int32)


def needed(n_documents: int, density: float = Params().density) -> float:
    """Return the evidence, in nats, that makes a document a candidate in a collection of `n_documents`.

    Args:
        n_documents: Documents of the collection.
        density: Sampled hashes per character.

    >>> [round(needed(n), 1) for n in (10, 3500, 7000, 80_000)]
    [1.9, 7.7, 18.4, 36.8]
    """
    dense = DENSENESS * max(0.0, math.log(density / Params().density))
    return math.log(n_documents + 1) - _LONE_HIT + min(CROWDING * _crowd(n_documents), MOST_CROWDING) + dense


def missed(n_documents: int) -> float:
    """Return the nats that a missed hash between hits takes off, in a collection of `n_documents`.

    >>> [round(missed(n), 2) for n in (10, 3500, 7000, 80_000)]
    [0.0, 0.0, 0.69, 1.5]
    """
    return min(_crowd(n_documents), MOST_MISSED)


def _crowd(n_documents: int) -> float:
    return math.log(max(n_documents, FEW_DOCUMENTS) / FEW_DOCUMENTS)


def evidence(
    bounds: NDArray[np.int64],
    places: NDArray[np.uint32],
    weights: NDArray[np.int32],
    tokens: NDArray[np.uint32],
    by: Weighing,
) -> NDArray[np.float64]:
    """Return the evidence of each list of places, in nats; see `kernels.evidence`."""
    return kernels.evidence(bounds, places, weights, tokens, by.units) / UNITS
