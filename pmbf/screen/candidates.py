"""Candidates: the documents that share more with a query than chance and common phrases explain.

the text's sampled hashes in text order ─► postings: the documents that have each hash ─► the weight of each hash
     ─► evidence of each document ─► the bar ─► candidates, best first

The evidence of a document is the weight of its hits among 16 sampled hashes of the query, some 50 words. How much a
hash weighs, and which documents have enough, says `weighing.py`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.kernels import Evident, EvidentRules, Sample, Sampled
from pmbf.screen.by_rows import ByRows, generation_of_rows, require_method
from pmbf.screen.options import SENSITIVITIES, Options
from pmbf.screen.stores import AnyGeneration
from pmbf.screen.weighing import (
    COMMON_DOCUMENTS,
    FIRST_HASHES,
    INFORMATIVE_SHARE,
    SURE_HASHES,
    UNITS,
    common_from,
    half_of_a_copy,
    hit_rules,
    is_boilerplate,
    passed,
    share_of_a_copy,
    weight_of_own,
    weights,
    weights_below,
)
from pmbf.screen.widespread import MOST_SHARING, RUN_HASHES, CommonRuns, Holding, WeighedQuery
from pmbf.store.having import Having

Hashes = NDArray[np.uint32]
Weights = NDArray[np.int32]

_USUAL = Options()

_FEW_NAMED = (
    f"more than {COMMON_DOCUMENTS} documents have nearly all of the text; at most {MOST_SHARING} of those are named"
)

_MOST_HITS = 8_000_000
"""Hits of a query made of boilerplate that are looked at, at most: 64 MB. The commonest hashes are left out first."""


class Candidate(NamedTuple):
    """A document that shares more sampled hashes with the query than phrases explain.

    Args:
        document: Its id.
        n_hits: Distinct hashes of the query, common ones left out, that the document has.
        evidence: The weight of the hits in the best 50 words or so, in nats.
        window: The tokens of the query where these hits are, if the document is doubtful; None if it is sure.
    """

    document: int
    n_hits: int
    evidence: float
    window: tuple[int, int] | None = None


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


def candidates(generation: AnyGeneration, sample: Sample, options: Options | None = None) -> list[Candidate]:
    """Return the documents that share more sampled hashes with a query than chance and phrases explain, best first."""
    [found] = find(generation, [sample], options or _USUAL)
    return found.candidates


def find(
    generation: AnyGeneration, samples: Sequence[Sample], options: Options, *, looks: bool = False
) -> list[Shortlist]:
    """Return the candidates of each query: those of most queries take one native call for all.

    With `looks` there are more doubtful ones, which a second look chooses from (`looking.py`); and of a query that is
    boilerplate a few documents are named, not every one.
    """
    params, left_out = generation.params, generation.left_out
    if left_out is None or params.index == "rows" or options.method == "popcount":
        return find_each(generation, samples, options, looks=looks)
    rules = _rules(generation.n_documents, params.shingle_tokens, options.min_evidence)
    queries = [Sampled(one.hashes, one.token, share_of_a_copy(params.density, one)) for one in samples]
    found = generation.evident(queries, replace(rules, gone=left_out) if len(left_out) else rules)
    shortlists = _shortlists(generation, found, samples, options, looks)
    if hard := np.flatnonzero(found.is_hard).tolist():
        each = find_each(generation, [samples[number] for number in hard], options, looks=looks)
        for number, one in zip(hard, each, strict=True):
            shortlists[number] = one
    return shortlists


def find_each(
    generation: AnyGeneration, samples: Sequence[Sample], options: Options, *, looks: bool = False
) -> list[Shortlist]:
    """Return what `find` returns, query by query: the way of those that hold runs of common hashes."""
    require_method(generation, options)
    runs = CommonRuns(_sure(generation.n_documents), generation.params.shingle_tokens)
    weighed, shortlists = zip(*(_weighed(generation, sample, options, looks) for sample in samples), strict=True)
    found = []
    for one, shortlist, holding in zip(weighed, shortlists, runs.holding(generation, weighed), strict=True):
        named = _named(runs, holding, one.candidates, options) if holding else []
        generation.require_live(np.array([id_ for id_, _, _ in named], np.uint32))
        if looks and is_boilerplate(one.n_having >= common_from(generation.n_documents)):
            shortlist = replace(shortlist, warnings=(*shortlist.warnings, _FEW_NAMED))
        found.append(replace(shortlist, candidates=_joined(shortlist.candidates, named)))
    return found


def _joined(candidates: Sequence[Candidate], named: Sequence[tuple[int, int, float]]) -> list[Candidate]:
    """Return candidates and those that are named for their runs, which are sure."""
    ids, known = {id_ for id_, _, _ in named}, {one.document for one in candidates}
    some = [one._replace(window=None) if one.document in ids else one for one in candidates]
    return [*some, *(Candidate(*its) for its in named if its[0] not in known)]


def _named(
    runs: CommonRuns, holding: Holding, known: Collection[int], options: Options
) -> list[tuple[int, int, float]]:
    """Return the documents that are named for their runs, those left out that are candidates already.

    A higher `min_evidence` must not name more documents. So with one, which documents a run names does not depend on
    the candidates: a run of many documents names the same three, whether a candidate has the run or not.
    """
    if options.min_evidence is None:
        return runs.named(holding, known)
    return [one for one in runs.named(holding, ()) if one[0] not in known]


def _weighed(
    generation: AnyGeneration, sample: Sample, options: Options, looks: bool
) -> tuple[WeighedQuery, Shortlist]:
    """Return the query with the weights of its hashes, and the candidates by them."""
    of_rows = generation_of_rows(generation)
    rows = ByRows(of_rows, sample, options) if of_rows else None
    asked = rows.having if rows else partial(generation.documents_having, sample.hashes)
    having = _having(generation, asked, every=not looks)
    weighed = weights(having.n_having, generation.n_documents, every=not looks)
    found = _evident(generation, sample, having, weighed, options)
    [shortlist] = _shortlists(generation, found, [sample], options, looks)
    known = {candidate.document for candidate in shortlist.candidates if not candidate.window}
    query = WeighedQuery(sample, weighed, having.n_having, known)
    return query, replace(shortlist, warnings=rows.warnings) if rows else shortlist


def _evident(generation: AnyGeneration, sample: Sample, having: Having, weighed: Weights, options: Options) -> Evident:
    """Return the documents with evidence enough of one query, by the weights of its hashes."""
    params = generation.params
    rules = _rules(generation.n_documents, params.shingle_tokens, options.min_evidence)
    copied = half_of_a_copy(params, sample, weighed, rules.enough)
    found, places = kernels.evidence(having.bounds, having.places, weighed, sample.token, rules.hits)
    kept = np.flatnonzero(found / UNITS >= min(copied, rules.least))
    n_hits, n_common = np.diff(having.bounds)[kept], np.array([np.count_nonzero(weighed == 0)])
    bounds, is_hard = np.array([0, len(kept)]), np.zeros(1, np.bool_)
    return Evident(bounds, having.ids[kept], n_hits, found[kept], places[kept], np.array([copied]), n_common, is_hard)


def _sure(n_documents: int) -> float:
    """Return the evidence that makes a run of common hashes, whatever `min_evidence` is."""
    return SURE_HASHES * weight_of_own(n_documents)


@lru_cache(maxsize=64)
def _rules(n_documents: int, shingle_tokens: int, min_evidence: float | None) -> EvidentRules:
    """Return how hits are weighed among so many documents, if none is left out."""
    own, sure = weight_of_own(n_documents), _sure(n_documents)
    return EvidentRules(
        weights=weights_below(common_from(n_documents), n_documents),
        gone=np.empty(0, np.uint32),
        little=CommonRuns(sure, shingle_tokens).little,
        n_run=RUN_HASHES,
        most_common=1 - INFORMATIVE_SHARE,
        n_first=FIRST_HASHES,
        enough=min_evidence or sure,
        least=own - math.log(COMMON_DOCUMENTS) if min_evidence is None else min_evidence,
        hits=hit_rules(shingle_tokens),
    )


def _shortlists(
    generation: AnyGeneration, found: Evident, samples: Sequence[Sample], options: Options, looks: bool
) -> list[Shortlist]:
    """Return those documents of each query that are candidates, best first; with `looks` the doubtful have a window."""
    nats = found.evidence / UNITS
    kept, is_sure = np.arange(len(nats)), np.ones(len(nats), np.bool_)
    if options.min_evidence is None:
        doubts = [SENSITIVITIES[options.sensitivity].of(len(one.hashes)) for one in samples]
        n_doubtful = [one.n_looked_at if looks else one.n_unseen for one in doubts]
        kept, is_sure = passed(generation, found, nats, n_doubtful)
    owners = np.repeat(np.arange(len(samples)), np.diff(found.bounds))[kept]
    order = np.lexsort((found.documents[kept], -found.n_hits[kept], -nats[kept], owners))
    best, owners = kept[order], owners[order]
    generation.require_live(found.documents[best])
    windows: list[tuple[int, int] | None] = [None] * len(best)
    if looks:
        starts = np.cumsum([0, *(len(one.token) for one in samples)])[owners]
        tokens = np.concatenate([one.token for one in samples])[starts[:, None] + found.places[best]]
        some = zip(is_sure[best].tolist(), tokens.tolist(), strict=True)
        windows = [None if sure else (first, last + generation.params.shingle_tokens) for sure, (first, last) in some]
    figures = found.documents[best].tolist(), found.n_hits[best].tolist(), nats[best].tolist()
    every = [*map(Candidate, *figures, windows)]
    bounds = np.searchsorted(owners, np.arange(len(samples) + 1)).tolist()
    return [
        Shortlist(every[start:stop], n_common)
        for start, stop, n_common in zip(bounds, bounds[1:], found.n_common.tolist(), strict=False)
    ]


class _Asked(Protocol):
    """Returns which documents have the hashes of one query that at most `limit` documents have."""

    def __call__(self, *, limit: int) -> Having: ...


def _having(generation: AnyGeneration, asked: _Asked, *, every: bool) -> Having:
    """Return which documents have the hashes of a query that are not common.

    If nearly all are common, and `every` document that has them is wanted, then of all hashes.
    """
    limit = common_from(generation.n_documents) - 1
    having = asked(limit=limit)
    if not (every and is_boilerplate(having.n_having > limit)):
        return having
    ascending = np.sort(having.n_having)
    n_affordable = int(np.searchsorted(np.cumsum(ascending), _MOST_HITS, side="right"))
    if n_affordable == 0 or ascending[n_affordable - 1] <= limit:
        return having
    return asked(limit=int(ascending[n_affordable - 1]))
