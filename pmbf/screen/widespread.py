"""Text that very many documents share, so that its hashes weigh nothing: a clause of all contracts, a manual's notice.

Rare hashes name their documents. Of common hashes, a single phrase says nothing, but some twenty words in a row do. So
the documents that hold a *run* of common hashes of the query are candidates too. If at most 50 documents share the run,
then all are named; if more do, then three are, and only if no other candidate has the run. The question "does this text
stand in the collection?" is answered by one of a thousand documents.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmbf import arrays
from pmbf.fingerprint import QuerySample
from pmbf.hashes import first_bits
from pmbf.screen.rarity import COMMON_DOCUMENTS, UNITS, evidence, hit_rules
from pmbf.screen.rows import WithRun
from pmbf.screen.stores import AnyGeneration
from pmbf.store.having import Having

RUN_HASHES = 7
"""Hashes of little weight in a row that make a run: 7, some 20 words. Of 300 texts of 4,000 words without such a
passage, 9 have a run among 80,000 documents, by phrases alone; none among 11,600."""

RUN_SHINGLES = 5
"""Hits of a document that share no word, within 50 words of a run, that make the document a candidate."""

MOST_SHARING = 3
"""At most this many documents are named for a run that over 50 documents share."""

_EVERY = 2**62

Hashes = NDArray[np.uint32]
Weights = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Runs:
    """How runs of hashes that weigh little are found.

    Args:
        least: The evidence that makes a document a candidate for sure, in nats.
        shingle_tokens: Tokens of a shingle.
    """

    least: float
    shingle_tokens: int

    @property
    def little(self) -> int:
        """A hash of less weight weighs little, in 1/`UNITS` nat.

        `RUN_SHINGLES` hashes of less weight that share no word make no sure candidate. Or it is less than a nat: then
        more than a third of the documents have the hash.
        """
        return math.ceil(max(self.least * UNITS / RUN_SHINGLES, UNITS))

    def levelled(self, weights: Weights) -> Weights | None:
        """Return weights by which only the hashes of runs count, all alike; None if the query has no run.

        Args:
            weights: `(q,) int32`, the weights of the query's hashes, in text order.
        """
        little = weights < self.little
        two = little[1:] & little[:-1]
        four = two[2:] & two[:-2]
        if not (four[3:] & four[:-3]).any():  # seven in a row
            return None
        edges = arrays.edges(little)
        levelled, level = np.zeros_like(weights), max(1, math.ceil(self.least * UNITS / RUN_SHINGLES))
        for start, stop in edges[edges[:, 1] - edges[:, 0] >= RUN_HASHES].tolist():
            levelled[start:stop] = level
        return levelled

    def documents(
        self, generation: AnyGeneration, sample: QuerySample, weights: Weights, named: Collection[int]
    ) -> list[tuple[int, int, float]]:
        """Return the documents that hold a run: id, hits and evidence of the run, best first.

        The filter tells which rows hold a run; only their documents are looked at. If few documents share a run, all
        are named. If more than `COMMON_DOCUMENTS` do, `MOST_SHARING` are, and only if no candidate has the run.

        Args:
            generation: The files of the collection.
            sample: The query.
            weights: `(q,) int32`, the weights of its hashes.
            named: The candidates, which are not named again.
        """
        levelled = self.levelled(weights)
        if levelled is None:
            return []
        places = np.flatnonzero(levelled)
        known = np.sort(np.fromiter(named, np.uint32, len(named)))
        among = arrays.distinct(np.concatenate([known, *self._in_rows(generation, sample, levelled)]))
        shared = generation.documents_having(sample.hashes[places], limit=_EVERY, among=among)
        shared = replace(shared, places=places[shared.places].astype(np.uint32))
        n_having = np.zeros(len(weights), np.int64)
        n_having[places] = shared.n_having
        is_named = arrays.among(shared.ids, known)
        by_few = np.where(n_having <= COMMON_DOCUMENTS, levelled, np.int32(0))
        by_many = levelled - by_few
        by_many[shared.places[is_named[shared.owners]]] = 0
        few = self._holding(shared, by_few, sample.token, ~is_named)
        seen = {id_ for id_, _, _ in few}
        many = [one for one in self._holding(shared, by_many, sample.token, ~is_named) if one[0] not in seen]
        return few + many[:MOST_SHARING]

    def _in_rows(self, generation: AnyGeneration, sample: QuerySample, levelled: Weights) -> Iterator[Hashes]:
        """Yield documents of the rows that hold a run, run by run."""
        least, rules = max(1, math.ceil(self.least * UNITS)), hit_rules(self.shingle_tokens)
        for start, stop in arrays.edges(levelled > 0).tolist():
            hashes = first_bits(sample.hashes[start:stop])
            run = WithRun(hashes, levelled[start:stop], sample.token[start:stop], rules, least)
            yield generation.documents_of_rows(run)

    def _holding(
        self, shared: Having, weights: Weights, tokens: Hashes, eligible: NDArray[np.bool_]
    ) -> list[tuple[int, int, float]]:
        nats = evidence(shared.bounds, shared.places, weights, tokens, self.shingle_tokens)
        found = np.flatnonzero((nats >= self.least) & (nats > 0) & eligible)
        places = [shared.places[shared.bounds[at] : shared.bounds[at + 1]] for at in found.tolist()]
        n_hits = [int(np.count_nonzero(weights[one])) for one in places]
        ranked = sorted(zip((-nats[found]).tolist(), n_hits, shared.ids[found].tolist(), strict=True))
        return [(id_, n, -least) for least, n, id_ in ranked]
