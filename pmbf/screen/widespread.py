"""Text that very many documents share, so that its hashes weigh nothing: a clause of all contracts, a manual's notice.

Rare hashes name their documents. Of common hashes, a single phrase says nothing, but some twenty words in a row do. So
the documents that hold a *run* of common hashes of the query are candidates too. If at most 50 documents share the run,
then all are named; if more do, then three are, and only if no other candidate has the run. The question "does this text
stand in the collection?" is answered by one of a thousand documents.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base import arrays
from pmbf.kernels import Sample
from pmbf.screen import by_rows
from pmbf.screen.by_rows import generation_of_rows
from pmbf.screen.stores import AnyGeneration
from pmbf.screen.weighing import COMMON_DOCUMENTS, EVIDENCE_HASHES, UNITS, evidence
from pmbf.store.having import FirstPlaces, Having, Keys

RUN_HASHES = 7
"""Hashes of little weight in a row that make a run: 7, some 20 words. Of 300 texts of 4,000 words without such a
passage, 9 have a run among 80,000 documents, by phrases alone; none among 11,600."""

RUN_SHINGLES = 5
"""Hits of a document that share no word, within 50 words of a run, that make the document a candidate."""

MOST_SHARING = 3
"""At most this many documents are named for a run that over 50 documents share."""

Hashes = NDArray[np.uint32]
Weights = NDArray[np.int32]


class Holding(NamedTuple):
    """The documents that hold a run of a query.

    Args:
        having: Which hashes of the query's runs each of them has; of each hash, only these documents are counted.
        weights: `(q,) int32`, by which only the hashes of runs count.
        tokens: `(q,) uint32`, where the shingle of each hash begins.
    """

    having: Having
    weights: Weights
    tokens: Hashes


@dataclass(frozen=True, slots=True)
class CommonRuns:
    """How runs of hashes that weigh little are found: `least` nats make a document a candidate for sure."""

    least: float
    shingle_tokens: int

    @property
    def little(self) -> int:
        """A hash of less weight weighs little, in 1/`UNITS` nat.

        `RUN_SHINGLES` hashes of less weight that share no word make no sure candidate. Or it is less than a nat: then
        more than a third of the documents have the hash.
        """
        return math.ceil(max(self.least * UNITS / RUN_SHINGLES, UNITS))

    @property
    def level(self) -> int:
        """The weight of each hash of a run, in 1/`UNITS` nat: `RUN_SHINGLES` of them make a sure candidate."""
        return max(1, math.ceil(self.least * UNITS / RUN_SHINGLES))

    def levelled(self, weights: Weights) -> Weights | None:
        """Return weights by which only the hashes of runs count, all alike; None if the query has no run."""
        little = weights < self.little
        two = little[1:] & little[:-1]
        four = two[2:] & two[:-2]
        if not (four[3:] & four[:-3]).any():  # seven in a row
            return None
        edges = arrays.edges(little)
        levelled = np.zeros_like(weights)
        for start, stop in edges[edges[:, 1] - edges[:, 0] >= RUN_HASHES].tolist():
            levelled[start:stop] = self.level
        return levelled

    def holding(self, generation: AnyGeneration, queries: Sequence[tuple[Sample, Weights]]) -> list[Holding | None]:
        """Return which documents hold a run of each query, by its sample and weights; None for one without a run."""
        levelled = [self.levelled(weights) for _, weights in queries]
        some = [(sample, one) for (sample, _), one in zip(queries, levelled, strict=True) if one is not None]
        firsts = [FirstPlaces.of(sample.hashes[one > 0]) for sample, one in some]
        n_least = math.ceil(self.least * UNITS / self.level)
        rows = generation_of_rows(generation)
        ask = partial(by_rows.near, rows) if rows else generation.near
        near = ask([one.hashes for one in firsts], least=n_least, window=EVIDENCE_HASHES) if some else []
        found = (self._holding(*one) for one in zip(some, firsts, near, strict=True))
        return [None if one is None else next(found) for one in levelled]

    def _holding(self, query: tuple[Sample, Weights], firsts: FirstPlaces, keys: Keys) -> Holding:
        (sample, levelled), near = query, firsts.having(keys, np.zeros(len(firsts.hashes), np.int64), 0)
        places = np.flatnonzero(levelled)[near.places].astype(np.uint32)
        near = Having(near.ids, near.bounds, places, np.zeros(len(levelled), np.int64))
        enough = self._evidence(near, levelled, sample.token) >= self.least
        return Holding(near.of_some(enough), levelled, sample.token)

    def named(self, holding: Holding, candidates: Collection[int]) -> list[tuple[int, int, float]]:
        """Return the documents that are named for their runs: id, hits and evidence of the runs, best first.

        If few documents share a run, then all are named. If more than `COMMON_DOCUMENTS` do, then `MOST_SHARING` are,
        and only if no candidate holds the run. The documents that hold a run are counted hash by hash. No candidate is
        named again.
        """
        having, levelled, tokens = holding
        is_candidate = arrays.among(having.ids, np.sort(np.fromiter(candidates, np.uint32, len(candidates))))
        by_few = np.where(having.n_having <= COMMON_DOCUMENTS, levelled, np.int32(0))
        by_many = levelled - by_few
        by_many[having.places[is_candidate[having.owners]]] = 0
        others = having.of_some(~is_candidate)
        few = self._ranked(others, by_few, tokens)
        seen = {id_ for id_, _, _ in few}
        many = [one for one in self._ranked(others, by_many, tokens) if one[0] not in seen]
        return few + many[:MOST_SHARING]

    def _ranked(self, holding: Having, weights: Weights, tokens: Hashes) -> list[tuple[int, int, float]]:
        """Return the documents with evidence enough by other weights: id, hits and evidence, best first."""
        nats = self._evidence(holding, weights, tokens)
        found = holding.of_some(is_enough := (nats >= self.least) & (nats > 0))
        n_hits = np.bincount(found.owners[weights[found.places] > 0], minlength=len(found.ids))
        order = np.lexsort((found.ids, n_hits, -nats[is_enough]))
        columns = found.ids[order], n_hits[order], nats[is_enough][order]
        return list(zip(*(one.tolist() for one in columns), strict=True))

    def _evidence(self, having: Having, weights: Weights, tokens: Hashes) -> NDArray[np.float64]:
        return evidence(having.bounds, having.places, weights, tokens, self.shingle_tokens)
