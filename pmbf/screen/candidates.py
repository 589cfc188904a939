"""Candidates: the documents that share more with a query than chance and common phrases explain.

the text's sampled hashes in text order ─► postings: the documents that have each hash ─► the weight of each hash
     ─► documents with evidence, best first

The evidence of a document is the weight of its hits among 16 sampled hashes of the query, some 50 words, less the price
of the hashes that are missed between them: see `rarity.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pmbf.arrays import distinct
from pmbf.fingerprint import QuerySample
from pmbf.screen.options import Options
from pmbf.screen.rarity import Weighing, common_from, evidence, is_boilerplate, missed, needed, weights
from pmbf.screen.widespread import Runs
from pmbf.store.generation import Generation
from pmbf.store.having import Having

Hashes = NDArray[np.uint32]
Weights = NDArray[np.int32]

_MOST_HITS = 8_000_000
"""Hits of a query made of boilerplate that are looked at, at most: 64 MB. The commonest hashes are left out first."""

_FIRST_HASHES = 128
"""Hashes of a query that are added up first. A copy of 128 hashes mostly gives more evidence than a candidate needs;
then the others need not be added up."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that shares more sampled hashes with the query than phrases explain.

    Args:
        document: Its id.
        n_hits: Distinct hashes of the query, common ones left out, that the document has.
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
    among = None if options.method == "hashes" else _in_rows(generation, sample, options)
    having = _having(generation, sample, among)
    weighed = weights(having.n_having, generation.n_documents)
    found = _with_evidence(generation, sample, having, weighed, options)
    runs = Runs(_enough(generation, options), _weighing(generation, options))
    shared = runs.documents(generation, sample, weighed, {candidate.document for candidate in found})
    found += [Candidate(*one) for one in shared]
    generation.require_live([candidate.document for candidate in found])
    return Shortlist(found, len(weighed) - int(np.count_nonzero(weighed)))


def _having(generation: Generation, sample: QuerySample, among: Hashes | None) -> Having:
    """Return which documents have the hashes of a query that are not common; if nearly all are, then all hashes."""
    limit = common_from(generation.n_documents) - 1
    having = generation.documents_having(sample.hashes, limit=limit, among=among)
    if not is_boilerplate(having.n_having > limit):
        return having
    ascending = np.sort(having.n_having)
    n_affordable = int(np.searchsorted(np.cumsum(ascending), _MOST_HITS, side="right"))
    if n_affordable == 0 or ascending[n_affordable - 1] <= limit:
        return having
    return generation.documents_having(sample.hashes, limit=int(ascending[n_affordable - 1]), among=among)


def _in_rows(generation: Generation, sample: QuerySample, options: Options) -> Hashes:
    """Return the documents of the rows that have more bits in common with a query than chance explains, ascending."""
    rows = generation.matrix().rows_with_common_bits(distinct(sample.hashes), false_rows=options.false_rows)
    found = [generation.rows.documents(number, some) for number, some in rows]
    return distinct(np.concatenate([np.empty(0, np.uint32), *found]))


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
    generation: Generation, sample: QuerySample, having: Having, weighed: Weights, options: Options
) -> list[Candidate]:
    """Return the documents that share enough with the query, best first."""
    if not len(having.ids):
        return []
    found = evidence(having.bounds, having.places, weighed, sample.token, _weighing(generation, options))
    kept = np.flatnonzero(found >= _least(generation, sample, weighed, sample.token, options))
    n_hits = having.bounds[kept + 1] - having.bounds[kept]
    ranked = sorted(zip((-found[kept]).tolist(), (-n_hits).tolist(), having.ids[kept].tolist(), strict=True))
    return [Candidate(id_, -n, -nats) for nats, n, id_ in ranked if n]
