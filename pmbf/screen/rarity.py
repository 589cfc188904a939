"""How much a hash in common says: what few rows hold says much, what is all over the collection says nothing.

A hash that one document in N has weighs ln N, in nats: so improbable is it in another. How many have it is read off
the filter itself: no list of common shingles is kept, and none grows old.

Of a copy most hashes are hit, of talk on the same topic one here and one there: where many documents are compared, what
is missed between two hits takes something off.
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
from pmbf.params import Params
from pmbf.store.generation import StoreFiles

UNITS = 1024
"""Weights are whole numbers, so many to a nat: both twins of the kernels add up the same."""

EVIDENCE_HASHES = 16
"""Window of a query, in sampled hashes, some 50 words, within which hits count together."""

COMMON_ROWS, COMMON_DOCUMENTS, COMMON_SHARE = 16, 50, 0.02
"""A hash is common when more than so many rows, or documents, have it, and more than this share of all of them:
templates, licences, phrases. Fifty drafts of one text are still sources."""

INFORMATIVE_SHARE = 0.2
"""With a smaller share of hashes that are not common, boilerplate is what is asked for."""

FEW_DOCUMENTS = 3500
"""Among so many documents a hash that no other document has makes its document a candidate: they are soon compared."""

CROWDING, MOST_CROWDING = 14.5, 26.0
"""Nats more that are needed where there are e times as many documents, and at most. Chance alone would ask for one, but
texts of one topic share phrases, and the more there are, the more of them are compared for nothing."""

DENSENESS = 5.0
"""Nats more that are needed where e times as many hashes are sampled as usual: there are so many more to hit."""

MOST_MISSED = 1.5
"""Nats at most that a hash takes off which is missed between hits: one where there are e times as many documents, none
among few. Of a copy with one word in ten changed a quarter is missed, of talk on the same topic nearly all."""

_LONE_HIT = 0.5
"""Nats by which a hash that one document has may fall short, so that rounding does not matter."""

_MOST_HITS_BYTES = 64 << 20
"""What looking up a stretch of a query may take: longer queries are looked up stretch by stretch."""


@dataclass(frozen=True)
class Weighing:
    """How hits are weighed together.

    Args:
        shingle_tokens: Tokens of a shingle.
        missed: What a hash takes off that is missed between them, in nats.
    """

    shingle_tokens: int
    missed: float

    @cached_property
    def units(self) -> dict[str, int]:
        """The same as the kernels take it."""
        missed = round(self.missed * UNITS)
        return {"shingle_tokens": self.shingle_tokens, "window": EVIDENCE_HASHES, "missed": missed}


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """A stretch of a query, looked up.

    Args:
        hashes: `(q,) uint32`.
        looked_up: Their hits.
        weights: `(q,) int32`, of each hash in `UNITS` of a nat; 0 when it is common.
        tokens: `(q,) uint32`, where the shingles begin.
    """

    hashes: NDArray[np.uint32]
    looked_up: LookUp
    weights: NDArray[np.int32]
    tokens: NDArray[np.uint32]

    def weighed(self, weights: NDArray[np.int32]) -> Stretch:
        """Return the same stretch with other weights."""
        return Stretch(self.hashes, self.looked_up, weights, self.tokens)

    def rows(self, least: float, by: Weighing) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield each tile's number and its rows that, all their documents together, have so much evidence, in nats."""
        least = max(1, math.ceil(least * UNITS))
        rows = kernels.rows_with_evidence(self.looked_up.hits, self.weights, self.tokens, **by.units, least=least)
        return self.looked_up.by_tile(rows)


def stretches(files: StoreFiles, sample: QuerySample) -> Iterator[Stretch]:
    """Yield the stretches of a query, looked up and weighed, in text order; only one of them is held in memory."""
    matrix = files.matrix()
    line_bytes = 8 * sum(-(-tile.n_rows // 64) for tile in matrix.tiles.values())
    size = max(EVIDENCE_HASHES, _MOST_HITS_BYTES // max(1, line_bytes))
    for start in range(0, len(sample) if matrix.n_rows else 0, size):
        hashes = sample.hashes[start : start + size]
        looked_up = matrix.look_up(hashes)
        yield Stretch(hashes, looked_up, weights(looked_up, files.n_documents), sample.token[start : start + size])


def weights(looked_up: LookUp, n_documents: int) -> NDArray[np.int32]:
    """Return what a hit of each hash says, in `UNITS` of a nat, `(q,) int32`: ln(N / n), 0 when it is common.

    A row holds some two dozen documents, so few rows are few documents. How many hold a hash is how many it hits, less
    those it hits by chance.

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
    """Return what a hash weighs by the number of rows it hits: with 0 where it is common, and without."""
    n_holding = np.maximum(np.arange(n_rows + 1) - n_false, 0.0)
    of_all = _weights(n_holding, n_documents)
    return np.where(n_holding > max(COMMON_ROWS, COMMON_SHARE * n_rows), np.int32(0), of_all), of_all


def reweighed(found: NDArray[np.int32], n_having: NDArray[np.int64], n_documents: int) -> NDArray[np.int32]:
    """Return weights that know how many documents, of those looked at, have each hash: a row may hold many of them."""
    most_having = int(n_having.max(initial=0))
    weighed = np.minimum(found, _by_documents(n_documents, most_having.bit_length())[n_having])
    limit = max(COMMON_DOCUMENTS, COMMON_SHARE * n_documents)
    if most_having <= limit:
        return weighed
    common = n_having > limit
    return found if _most(common) else np.where(common, np.int32(0), weighed)


@lru_cache(maxsize=32)
def _by_documents(n_documents: int, n_bits: int) -> NDArray[np.int32]:
    """Return what a hash weighs by the number of documents that have it, of numbers of so many bits."""
    return _weights(np.arange(1 << n_bits), n_documents)


def _weights(n_having: NDArray[Any], n_documents: int) -> NDArray[np.int32]:
    nats = np.log((n_documents + 1) / np.maximum(n_having, 1))
    return np.asarray(np.maximum(1, UNITS * nats), np.int32)


def _most(common: NDArray[np.bool_]) -> bool:
    """Return whether boilerplate is what is asked for."""
    return bool(np.count_nonzero(common) > (1 - INFORMATIVE_SHARE) * len(common))


def needed(n_documents: int, density: float = Params().density) -> float:
    """Return the evidence, in nats, that makes a document of so many a candidate.

    Args:
        n_documents: In the collection.
        density: Share of the shingles that are sampled.

    >>> [round(needed(n), 1) for n in (10, 3500, 7000, 80_000)]
    [1.9, 7.7, 18.4, 36.8]
    """
    dense = DENSENESS * max(0.0, math.log(density / Params().density))
    return math.log(n_documents + 1) - _LONE_HIT + min(CROWDING * _crowd(n_documents), MOST_CROWDING) + dense


def missed(n_documents: int) -> float:
    """Return what a hash takes off the evidence that is missed between hits, in nats, among so many documents.

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
    return kernels.evidence(bounds, places, weights, tokens, **by.units) / UNITS
