"""Candidates: the documents that share more with a query than chance and common phrases explain.

the text's sampled hashes in text order ─► hits per row, and the weight of each hash ─► rows with evidence
     ─► the parts of documents that live in those rows ─► exact shared hashes ─► documents with evidence, best first

The evidence of a row or a document is the weight of its hits among 16 sampled hashes of the query, some 50 words, less
the price of the hashes that are missed between them: see `rarity.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pmbf.fingerprint import QuerySample
from pmbf.screen.options import Options
from pmbf.screen.rarity import Stretch, Weighing, evidence, missed, needed, reweighed, stretches
from pmbf.screen.widespread import Runs
from pmbf.store.generation import Generation

Hashes = NDArray[np.uint32]
Rows = Iterator[tuple[int, NDArray[np.int64]]]

_FIRST_HASHES = 128
"""Hashes of a query that are added up first. A copy of 128 hashes mostly gives more evidence than a candidate needs;
then the others need not be added up."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that shares more sampled hashes with the query than phrases explain.

    Args:
        document: Its id.
        n_hits: Distinct hashes of the query, common ones left out, that are in the document's parts that were looked
            into.
        evidence: The weight of the hits in the best 50 words or so, less the price of the misses between them, in nats.
    """

    document: int
    n_hits: int
    evidence: float


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The candidates of a query.

    Args:
        candidates: Best first.
        n_common: Hashes of the query that are common and therefore say nothing.
    """

    candidates: list[Candidate]
    n_common: int


def candidates(generation: Generation, sample: QuerySample, options: Options | None = None) -> list[Candidate]:
    """Return the documents that share more sampled hashes with a query than chance and phrases explain, best first.

    Raises:
        CorruptError: A file of the collection that the answer needs is damaged.
    """
    return find(generation, sample, options or Options()).candidates


def find(generation: Generation, sample: QuerySample, options: Options) -> Shortlist:
    """Return the candidates of a query, and how many of its hashes are common.

    Raises:
        CorruptError: A file of the collection that the answer needs is damaged.
    """
    weights, parts, widespread = [np.empty(0, np.int32)], [np.empty((0, 3), np.uint32)], []
    runs = Runs(_enough(generation, options), _weighing(generation, options))
    for stretch, rows_found in _looked_up(generation, sample, options):
        weights.append(stretch.weights)
        parts += [generation.rows.parts(number, rows) for number, rows in rows_found if len(rows)]
        widespread += runs.parts(generation, stretch)
    found, weighed = _with_evidence(generation, sample, np.concatenate(parts), np.concatenate(weights), options)
    named = {candidate.document for candidate in found}
    shared = runs.documents(generation, sample, weighed, np.concatenate([*parts, *widespread]), named)
    return Shortlist(found + [Candidate(*one) for one in shared], len(weighed) - int(np.count_nonzero(weighed)))


def rows_looked_into(generation: Generation, sample: QuerySample, options: Options) -> Rows:
    """Yield each tile's number, and its rows whose documents are compared with a query hash by hash.

    Args:
        files: The collection.
        sample: The query.
        options: With the method `hashes`, rows whose documents together have the evidence that one document needs; with
            `popcount`, rows with more bits in common than chance explains.
    """
    for _, found in _looked_up(generation, sample, options):
        yield from found


def _looked_up(generation: Generation, sample: QuerySample, options: Options) -> Iterator[tuple[Stretch, Rows]]:
    """Yield each stretch of a query with its rows. The first stretch decides how much evidence the rows need."""
    least = 0.0
    for stretch in stretches(generation, sample):
        least = least or _least(generation, sample, stretch.weights, stretch.tokens, options)
        yield stretch, _rows(generation, stretch, least, options)


def _rows(generation: Generation, stretch: Stretch, least: float, options: Options) -> Rows:
    if options.method != "hashes":
        hashes = stretch.hashes[np.flatnonzero(stretch.weights)]
        yield from generation.matrix().rows_with_common_bits(hashes, false_rows=options.false_rows)
        return
    yield from stretch.rows(least, _weighing(generation, options))


def _weighing(generation: Generation, options: Options) -> Weighing:
    """Return how hits are weighed. If the caller sets the least evidence, then misses cost nothing."""
    return _kept_weighing(
        generation.params.shingle_tokens, missed(generation.n_documents) if options.min_evidence is None else 0.0
    )


_kept_weighing = lru_cache(maxsize=8)(Weighing)


def _enough(generation: Generation, options: Options) -> float:
    return (
        needed(generation.n_documents, generation.params.density)
        if options.min_evidence is None
        else options.min_evidence
    )


def _least(
    generation: Generation, sample: QuerySample, weights: NDArray[np.int32], tokens: Hashes, options: Options
) -> float:
    """Return the evidence that a candidate needs: at most half of what a copy of the whole query gives.

    A short query has more sampled hashes than the same words in a document.
    """
    least = _enough(generation, options)
    share = min(1.0, generation.params.density * sample.n_chars / len(sample)) / 2
    for n in (min(_FIRST_HASHES, len(weights)), len(weights)):
        bounds, every = _all_places(n)
        offered = float(evidence(bounds, every, weights[:n], tokens[:n], _weighing(generation, options))[0])
        if offered * share >= least:
            break
    return min(least, offered * share)


@lru_cache(maxsize=256)
def _all_places(n: int) -> tuple[NDArray[np.int64], Hashes]:
    """Return the list of all places of a query, in the form that `evidence` takes."""
    return np.array([0, n]), np.arange(n, dtype=np.uint32)


def _with_evidence(
    generation: Generation, sample: QuerySample, parts: Hashes, weights: NDArray[np.int32], options: Options
) -> tuple[list[Candidate], NDArray[np.int32]]:
    """Return the documents whose parts share enough with the query, best first, and the new weights of the hashes."""
    if not len(parts):
        return [], weights
    shared = generation.shared_hashes(parts, sample.hashes, weights)
    weights = reweighed(weights, shared.n_having, generation.n_documents)
    found = evidence(shared.bounds, shared.places, weights, sample.token, _weighing(generation, options))
    kept = np.flatnonzero(found >= _least(generation, sample, weights, sample.token, options))
    n_hits = shared.bounds[kept + 1] - shared.bounds[kept]
    ranked = sorted(zip((-found[kept]).tolist(), (-n_hits).tolist(), shared.ids[kept].tolist(), strict=True))
    return [Candidate(id_, -n, -nats) for nats, n, id_ in ranked if n], weights
