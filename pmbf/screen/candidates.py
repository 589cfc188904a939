"""Candidates: the documents that share more with a query than chance and common phrases explain.

the text's sampled hashes in text order ─► postings: the documents that have each hash ─► the weight of each hash
     ─► evidence of each document ─► the bar ─► candidates, best first

The evidence of a document is the weight of its hits among 16 sampled hashes of the query, some 50 words: see
`rarity.py`. Which documents have enough of it says `bar.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress, pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from pmbf.base.params import Params
from pmbf.fingerprint import QuerySample
from pmbf.kernels import Evident, EvidentRules, Sampled
from pmbf.screen.bar import (
    FIRST_HASHES,
    SURE_HASHES,
    Bar,
    half_of_a_copy,
    passed_of_all,
    share_of_a_copy,
    weight_of_own,
)
from pmbf.screen.by_rows import ByRows, generation_of_rows, require_method
from pmbf.screen.options import Options
from pmbf.screen.rarity import (
    COMMON_DOCUMENTS,
    INFORMATIVE_SHARE,
    UNITS,
    common_from,
    evidence,
    hit_rules,
    is_boilerplate,
    weights,
    weights_below,
)
from pmbf.screen.stores import AnyGeneration
from pmbf.screen.widespread import RUN_HASHES, Holding, Runs
from pmbf.store.having import Having

Hashes = NDArray[np.uint32]
Weights = NDArray[np.int32]

_MOST_HITS = 8_000_000
"""Hits of a query made of boilerplate that are looked at, at most: 64 MB. The commonest hashes are left out first."""


class Candidate(NamedTuple):
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
        warnings: What the filter could not do, in a collection of the kind `rows`.
    """

    candidates: list[Candidate]
    n_common: int
    warnings: tuple[str, ...] = ()


def candidates(generation: AnyGeneration, sample: QuerySample, options: Options | None = None) -> list[Candidate]:
    """Return the documents that share more sampled hashes with a query than chance and phrases explain, best first.

    Raises:
        CorruptError: A file of the collection that the answer needs is damaged.
    """
    [found] = find(generation, [sample], options or Options())
    return found.candidates


def find(generation: AnyGeneration, samples: Sequence[QuerySample], options: Options) -> list[Shortlist]:
    """Return the candidates of each query: those of most queries take one native call for all.

    Raises:
        CorruptError: A file of the collection that the answer needs is damaged.
        ParameterError: The options have the method `popcount`, and the collection has postings.
    """
    require_method(generation, options)
    if generation_of_rows(generation) or (left_out := generation.left_out) is None:
        return find_each(generation, samples, options)
    params, n_documents = generation.params, generation.n_documents
    queries = [Sampled(one.hashes, one.token, share_of_a_copy(params.density, one)) for one in samples]
    found = generation.evident(queries, _rules(params, n_documents, left_out, options))
    nats = found.evidence / UNITS
    kept = np.arange(len(nats))
    if options.min_evidence is None:
        bars = [
            Bar.of(options.sensitivity, n_documents=n_documents, n_hashes=len(one.hashes), copied=copied)
            for one, copied in zip(samples, found.copied.tolist(), strict=True)
        ]
        kept = passed_of_all(generation, found, bars, nats)
    candidates = _ranked_of_all(found, kept, nats)
    generation.require_live([one.document for some in candidates for one in some])
    is_hard = found.is_hard.tolist()
    hard = iter(find_each(generation, list(compress(samples, is_hard)), options) if any(is_hard) else ())
    return [
        next(hard) if one else Shortlist(some, n_common)
        for some, n_common, one in zip(candidates, found.n_common.tolist(), is_hard, strict=True)
    ]


def find_each(generation: AnyGeneration, samples: Sequence[QuerySample], options: Options) -> list[Shortlist]:
    """Return what `find` returns, query by query: the way of those that hold runs of common hashes."""
    some = [_weighed(generation, sample, options) for sample in samples]
    runs = Runs(_sure(generation.n_documents), generation.params.shingle_tokens)
    of_runs = runs.holding(generation, [(sample, one.weights) for sample, one in zip(samples, some, strict=True)])
    found = []
    for one, holding in zip(some, of_runs, strict=True):
        known = {candidate.document for candidate in one.candidates}
        named = _named(runs, holding, known, options) if holding else []
        candidates = [*one.candidates, *(Candidate(*its) for its in named)]
        generation.require_live([candidate.document for candidate in candidates])
        n_common = len(one.weights) - int(np.count_nonzero(one.weights))
        found.append(Shortlist(candidates, n_common, one.warnings))
    return found


def _named(runs: Runs, holding: Holding, known: set[int], options: Options) -> list[tuple[int, int, float]]:
    """Return the documents that are named for their runs, those left out that are candidates already.

    A higher `min_evidence` must not name more documents. So with one, which documents a run names does not depend on
    the candidates: a run of many documents names the same three, whether a candidate has the run or not.
    """
    if options.min_evidence is None:
        return runs.named(holding, known)
    return [one for one in runs.named(holding, ()) if one[0] not in known]


class _Weighed(NamedTuple):
    """The weights of a query's hashes, the candidates by them, and what the filter could not do."""

    weights: Weights
    candidates: list[Candidate]
    warnings: tuple[str, ...] = ()


def _weighed(generation: AnyGeneration, sample: QuerySample, options: Options) -> _Weighed:
    of_rows = generation_of_rows(generation)
    rows = ByRows(of_rows, sample, options) if of_rows else None
    having = _having(generation, rows.having if rows else partial(generation.documents_having, sample.hashes))
    weighed = weights(having.n_having, generation.n_documents)
    bar = _bar(generation, sample, weighed, options)
    found = _with_evidence(generation, sample, having, weighed, bar, options)
    return _Weighed(weighed, found, rows.warnings if rows else ())


def _sure(n_documents: int) -> float:
    """Return the evidence that makes a run of common hashes, whatever `min_evidence` is."""
    return SURE_HASHES * weight_of_own(n_documents)


def _rules(params: Params, n_documents: int, left_out: Hashes, options: Options) -> EvidentRules:
    own, sure = weight_of_own(n_documents), _sure(n_documents)
    return EvidentRules(
        weights=weights_below(common_from(n_documents), n_documents),
        gone=left_out,
        little=Runs(sure, params.shingle_tokens).little,
        n_run=RUN_HASHES,
        most_common=1 - INFORMATIVE_SHARE,
        n_first=FIRST_HASHES,
        enough=options.min_evidence or sure,
        least=own - math.log(COMMON_DOCUMENTS) if options.min_evidence is None else options.min_evidence,
        hits=hit_rules(params.shingle_tokens),
    )


def _ranked_of_all(found: Evident, kept: NDArray[np.intp], nats: NDArray[np.float64]) -> list[list[Candidate]]:
    """Return those documents of each query that are kept, best first."""
    owners = np.repeat(np.arange(len(found.copied)), np.diff(found.bounds))[kept]
    order = np.lexsort((found.documents[kept], -found.n_hits[kept], -nats[kept], owners))
    best = kept[order]
    columns = found.documents[best].tolist(), found.n_hits[best].tolist(), nats[best].tolist()
    every = [*map(Candidate, *columns)]
    bounds = np.searchsorted(owners[order], np.arange(len(found.copied) + 1)).tolist()
    return [every[start:stop] for start, stop in pairwise(bounds)]


class _Asked(Protocol):
    """Returns which documents have the hashes of one query that at most `limit` documents have."""

    def __call__(self, *, limit: int) -> Having: ...


def _having(generation: AnyGeneration, asked: _Asked) -> Having:
    """Return which documents have the hashes of a query that are not common; if nearly all are, then all hashes."""
    limit = common_from(generation.n_documents) - 1
    having = asked(limit=limit)
    if not is_boilerplate(having.n_having > limit):
        return having
    ascending = np.sort(having.n_having)
    n_affordable = int(np.searchsorted(np.cumsum(ascending), _MOST_HITS, side="right"))
    if n_affordable == 0 or ascending[n_affordable - 1] <= limit:
        return having
    return asked(limit=int(ascending[n_affordable - 1]))


def _bar(generation: AnyGeneration, sample: QuerySample, weighed: Weights, options: Options) -> Bar:
    enough = options.min_evidence or _sure(generation.n_documents)
    copied = half_of_a_copy(generation.params, sample, weighed, enough)
    return Bar.of(options.sensitivity, n_documents=generation.n_documents, n_hashes=len(sample), copied=copied)


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
