"""Rarity: how much a hash in common says. A hash that few rows hold says much, a common one says nothing.

A hash that n of N documents have weighs ln(N / n) nats: its probability in an unrelated document is n / N. The filter
itself tells how many have it, so no list of common shingles is kept, and none grows old.

Of a copy most hashes are hit; of a text on the same topic few are, here and there. So in collections of thousands, each
hash that is missed between two hits takes something off the evidence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.filter import LookUp
from pmbf.fingerprint import QuerySample
from pmbf.kernels import HitRules
from pmbf.params import Params
from pmbf.store.generation import Generation

UNITS = 1024
"""Weights are whole numbers of 1/1024 nat, so that both twins of the kernels add up to the same."""

EVIDENCE_HASHES = 16
"""Window of a query, in sampled hashes, in which hits count together: some 50 words."""

COMMON_ROWS, COMMON_DOCUMENTS, COMMON_SHARE = 16, 50, 0.02
"""A hash is common if more than 16 rows, or 50 documents, have it, and more than 2 % of all rows or documents:
templates, licences, phrases. Fifty drafts of one text are still sources."""

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

_MOST_HITS_BYTES = 64 << 20
"""Most bytes of hits held at once. A longer query is looked up stretch by stretch."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """A stretch of a query, looked up.

    Args:
        hashes: `(q,) uint32`.
        looked_up: Their hits.
        weights: `(q,) int32`, the weight of each hash in 1/`UNITS` nat; 0 if the hash is common.
        tokens: `(q,) uint32`, the first token of each shingle.
    """

    hashes: NDArray[np.uint32]
    looked_up: LookUp
    weights: NDArray[np.int32]
    tokens: NDArray[np.uint32]

    def weighed(self, weights: NDArray[np.int32]) -> Stretch:
        """Return the same stretch with other weights."""
        return Stretch(self.hashes, self.looked_up, weights, self.tokens)

    def rows(self, least: float, by: Weighing) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield each tile's number and its rows that have, all their documents together, `least` nats of evidence."""
        least = max(1, math.ceil(least * UNITS))
        rows = kernels.rows_with_evidence(self.looked_up.hits, self.weights, self.tokens, by.units, least=least)
        return self.looked_up.by_tile(rows)


def stretches(generation: Generation, sample: QuerySample) -> Iterator[Stretch]:
    """Yield the stretches of a query, looked up and weighed, in text order. Only one is held in memory."""
    matrix = generation.matrix()
    line_bytes = 8 * sum(-(-tile.n_rows // 64) for tile in matrix.tiles.values())
    size = max(EVIDENCE_HASHES, _MOST_HITS_BYTES // max(1, line_bytes))
    for start in range(0, len(sample) if matrix.n_rows else 0, size):
        hashes = sample.hashes[start : start + size]
        looked_up = matrix.look_up(hashes)
        yield Stretch(hashes, looked_up, weights(looked_up, generation.n_documents), sample.token[start : start + size])


def weights(looked_up: LookUp, n_documents: int) -> NDArray[np.int32]:
    """Return the weight of each hash, in 1/`UNITS` nat, `(q,) int32`: ln(N / n), or 0 if the hash is common.

    A row holds some two dozen documents, so few rows are few documents. The number of rows that hold a hash is the
    number of rows it hits, less the number it hits by chance.

    >>> from pmbf.filter import PseudoMatrixBloomFilter, Tile
    >>> tile = Tile.new(194, n_hashes=3, fpr=0.01)
    >>> tile.insert(tile.add_row(), np.array([5], np.uint32))
    >>> looked_up = PseudoMatrixBloomFilter({0: tile}).look_up(np.array([5], np.uint32))
    >>> (weights(looked_up, 19) / UNITS).round(2).tolist()
    [3.0]
    """
    matrix = looked_up.matrix
    informative, of_all = _by_rows_hit(matrix.n_rows, matrix.n_false, n_documents)
    found = informative[looked_up.n_hit]
    return of_all[looked_up.n_hit] if _most(found == 0) else found


@lru_cache(maxsize=8)
def _by_rows_hit(n_rows: int, n_false: float, n_documents: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the weight of a hash by the number of rows it hits: with 0 for common hashes, and without."""
    n_holding = np.maximum(np.arange(n_rows + 1) - n_false, 0.0)
    of_all = _weights(n_holding, n_documents)
    return np.where(n_holding > max(COMMON_ROWS, COMMON_SHARE * n_rows), np.int32(0), of_all), of_all


def reweighed(found: NDArray[np.int32], n_having: NDArray[np.int64], n_documents: int) -> NDArray[np.int32]:
    """Return the weights by the number of documents, among those looked into, that have each hash.

    A row may hold many documents with the same hash, so counting rows alone weighs too much.
    """
    most_having = int(n_having.max(initial=0))
    weighed = np.minimum(found, _by_documents(n_documents, most_having.bit_length())[n_having])
    limit = max(COMMON_DOCUMENTS, COMMON_SHARE * n_documents)
    if most_having <= limit:
        return weighed
    common = n_having > limit
    return found if _most(common) else np.where(common, np.int32(0), weighed)


@lru_cache(maxsize=32)
def _by_documents(n_documents: int, n_bits: int) -> NDArray[np.int32]:
    """Return the weight of a hash by the number of documents that have it, for numbers of up to `n_bits` bits."""
    return _weights(np.arange(1 << n_bits), n_documents)


def _weights(n_having: NDArray[Any], n_documents: int) -> NDArray[np.int32]:
    nats = np.log((n_documents + 1) / np.maximum(n_having, 1))
    return np.asarray(np.maximum(1, UNITS * nats), np.int32)


def _most(common: NDArray[np.bool_]) -> bool:
    """Return whether the query is boilerplate: nearly all of its hashes are common."""
    return bool(np.count_nonzero(common) > (1 - INFORMATIVE_SHARE) * len(common))


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
