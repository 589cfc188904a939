"""Candidates: the documents that share more with a query than chance and common phrases explain.

the text's sampled hashes in text order ─► postings: the documents that have each hash ─► the weight of each hash
     ─► evidence of each document ─► the bar ─► candidates, best first

The evidence of a document is the weight of its hits among 16 sampled hashes of the query, some 50 words: see
`rarity.py`. Which documents have enough of it says `bar.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pmbf.arrays import distinct
from pmbf.fingerprint import QuerySample
from pmbf.params import Params
from pmbf.screen.bar import SURE_HASHES, Bar, weight_of_own
from pmbf.screen.options import Options
from pmbf.screen.rarity import common_from, evidence, is_boilerplate, weights
from pmbf.screen.rows import InCommon
from pmbf.screen.stores import AnyGeneration
from pmbf.screen.widespread import Runs
from pmbf.store.having import Having

Hashes = NDArray[np.uint32]
Weights = NDArray[np.int32]

_MOST_HITS = 8_000_000
"""Hits of a query made of boilerplate that are looked at, at most: 64 MB. The commonest hashes are left out first."""

_FIRST_HASHES = 128
"""Hashes of a query that are added up first. A copy of 128 hashes mostly gives more evidence than a sure candidate
needs; then the others need not be added up."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that shares more sampled hashes with the query than phrases explain.

    Args:
        document: Its id.
        n_hits: Distinct hashes of the query, common ones left out, that the document has.
        evidence: The weight of the hits in the best 50 words or so, in nats.
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


def candidates(generation: AnyGeneration, sample: QuerySample, options: Options | None = None) -> list[Candidate]:
    """Return the documents that share more sampled hashes with a query than chance and phrases explain, best first.

    Raises:
        CorruptError: A file of the collection that the answer needs is damaged.
    """
    return find(generation, sample, options or Options()).candidates


def find(generation: AnyGeneration, sample: QuerySample, options: Options) -> Shortlist:
    """Return the candidates of a query, and how many of its hashes are common.

    Raises:
        CorruptError: A file of the collection that the answer needs is damaged.
    """
    among: Hashes | None = None
    if options.method == "popcount":
        among = generation.documents_of_rows(InCommon(distinct(sample.hashes), options.false_rows))
    having = _having(generation, sample, among)
    weighed = weights(having.n_having, generation.n_documents)
    bar = _bar(generation, sample, weighed, options)
    found = _with_evidence(generation, sample, having, weighed, bar, options)
    runs = Runs(options.min_evidence or bar.sure, generation.params.shingle_tokens)
    shared = runs.documents(generation, sample, weighed, {candidate.document for candidate in found})
    found += [Candidate(*one) for one in shared]
    generation.require_live([candidate.document for candidate in found])
    return Shortlist(found, len(weighed) - int(np.count_nonzero(weighed)))


def _having(generation: AnyGeneration, sample: QuerySample, among: Hashes | None) -> Having:
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


def _bar(generation: AnyGeneration, sample: QuerySample, weighed: Weights, options: Options) -> Bar:
    n_documents = generation.n_documents
    enough = options.min_evidence or SURE_HASHES * weight_of_own(n_documents)
    copied = _half_of_a_copy(generation.params, sample, weighed, enough)
    return Bar.of(options.sensitivity, n_documents=n_documents, n_hashes=len(sample), copied=copied)


def _half_of_a_copy(params: Params, sample: QuerySample, weighed: Weights, enough: float) -> float:
    """Return half of the evidence that a copy of the whole query gives, or some of it if that is `enough`.

    A short query has more sampled hashes than the same words in a document.
    """
    half, share = 0.0, min(1.0, params.density * sample.n_chars / max(1, len(sample))) / 2
    for n in (min(_FIRST_HASHES, len(weighed)), len(weighed)):
        bounds, every = _all_places(n)
        half = share * float(evidence(bounds, every, weighed[:n], sample.token[:n], params.shingle_tokens)[0])
        if half >= enough:
            break
    return half


@lru_cache(maxsize=256)
def _all_places(n: int) -> tuple[NDArray[np.int64], Hashes]:
    """Return the list of all places of a query, in the form that `evidence` takes."""
    return np.array([0, n]), np.arange(n, dtype=np.uint32)


def _with_evidence(
    generation: AnyGeneration, sample: QuerySample, having: Having, weighed: Weights, bar: Bar, options: Options
) -> list[Candidate]:
    """Return the documents that share enough with the query, best first."""
    if not len(having.ids):
        return []
    nats = evidence(having.bounds, having.places, weighed, sample.token, generation.params.shingle_tokens)
    if options.min_evidence is None:
        kept = bar.passed(generation, having, nats)
    else:
        kept = np.flatnonzero(nats >= min(options.min_evidence, bar.copied))
    n_hits = having.bounds[kept + 1] - having.bounds[kept]
    ranked = sorted(zip((-nats[kept]).tolist(), (-n_hits).tolist(), having.ids[kept].tolist(), strict=True))
    return [Candidate(id_, -n, -found) for found, n, id_ in ranked]
