"""Text that very many documents share, so that its hashes weigh nothing: a clause of all contracts, a manual's notice.

Rare hashes name their documents. Of common hashes, a single phrase says nothing, but some twenty words in a row do. So
the documents that hold a *run* of common hashes of the query are candidates too. If at most 50 documents share the run,
then all are named; if more do, then three are, and only if no other candidate has the run. The question "does this text
stand in the collection?" is answered by one of a thousand documents.

So not all of a thousand are looked at: documents are drawn until more than 50 hold each hash of the run, or all that
have the hash were looked at. The work does not grow with the documents that share a run.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base import arrays
from pmbf.kernels import ALL_DOCUMENTS, Sample
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

_END = 1 << 32
"""Above all ids."""

MOST_AT_ONCE, AS_DEAR = 65_536, 4
"""If the hashes of a run have at most 65,536 postings, then all their documents are looked at; also if the candidates
alone cost as much: a hash of a document by itself takes as long as 4 postings in a row."""

FIRST_DRAWN, TIMES_MORE, MOST_ROUNDS = 256, 4, 6
"""Else documents are drawn, by ascending id, from those of the rarest hash that too few documents hold so far: 256,
then 4 times as many, and so on. After 6 rounds all others are looked at: some hashes are common phrases, and few
documents that hold the run have them."""

Hashes = NDArray[np.uint32]
Weights = NDArray[np.int32]


class WeighedQuery(NamedTuple):
    """A query whose hashes were weighed.

    Args:
        sample: Its sample.
        weights: `(q,) int32`, of its hashes, in text order.
        n_having: `(q,) int64`, how many documents have each.
        candidates: The documents that are candidates by their rare hashes.
    """

    sample: Sample
    weights: Weights
    n_having: NDArray[np.int64]
    candidates: Collection[int]


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

    def holding(self, generation: AnyGeneration, queries: Sequence[WeighedQuery]) -> list[Holding | None]:
        """Return which documents hold a run of each of many queries; None for a query without a run.

        Of a hash that more than `COMMON_DOCUMENTS` of them hold, other documents may hold it, too, and are not among
        them. The candidates of a query are always looked at.
        """
        levelled = [self.levelled(one.weights) for one in queries]
        searches = [_Search(one, its, self) for one, its in zip(queries, levelled, strict=True) if its is not None]
        rows = generation_of_rows(generation)
        how = {"least": math.ceil(self.least * UNITS / self.level), "window": EVIDENCE_HASHES}
        if rows:
            asked = [one.firsts.hashes for one in searches]
            for one, keys in zip(searches, by_rows.near(rows, asked, **how), strict=True):
                one.add(keys)
        going_on = [] if rows else [one for one in searches if one.goes_on(generation)]
        while going_on:
            among = [one.ranges for one in going_on]
            near = generation.near([one.firsts.hashes for one in going_on], among, **how)
            for one, keys in zip(going_on, near, strict=True):
                one.add(keys)
            going_on = [one for one in going_on if one.goes_on(generation)]
        found = (one.holding for one in searches)
        return [None if one is None else next(found) for one in levelled]

    def named(self, holding: Holding, candidates: Collection[int]) -> list[tuple[int, int, float]]:
        """Return the documents that are named for their runs: id, hits and evidence of the runs, best first.

        If few documents share a run, then all are named. If more than `COMMON_DOCUMENTS` do, then `MOST_SHARING` are,
        and only if no candidate holds the run. The documents that hold a run are counted hash by hash. No candidate is
        named again.
        """
        by_few, by_many, others = self._split(holding, candidates)
        few = self._ranked(others, by_few, holding.tokens)
        seen = {id_ for id_, _, _ in few}
        many = [one for one in self._ranked(others, by_many, holding.tokens) if one[0] not in seen]
        return few + many[:MOST_SHARING]

    def unanswered(self, holding: Holding, candidates: Collection[int]) -> NDArray[np.bool_]:
        """Return which hashes are of a run that many documents share, no candidate holds, and too few others do.

        Returns:
            `(q,) bool`.
        """
        _, by_many, others = self._split(holding, candidates)
        places = np.flatnonzero(by_many)
        every = Having(np.zeros(1, np.uint32), np.array([0, len(places)]), places.astype(np.uint32), others.n_having)
        n_lacking = MOST_SHARING - len(self._ranked(others, by_many, holding.tokens))
        if n_lacking <= 0 or self.evidence(every, by_many, holding.tokens)[0] < self.least:
            return np.zeros(len(by_many), np.bool_)
        return by_many > 0

    def _split(self, holding: Holding, candidates: Collection[int]) -> tuple[Weights, Weights, Having]:
        """Return the weights of the hashes that few share, of those that many share, and who is no candidate."""
        having, levelled, _ = holding
        is_candidate = arrays.among(having.ids, np.sort(np.fromiter(candidates, np.uint32, len(candidates))))
        by_few = np.where(having.n_having <= COMMON_DOCUMENTS, levelled, np.int32(0))
        by_many = levelled - by_few
        by_many[having.places[is_candidate[having.owners]]] = 0
        return by_few, by_many, having.of_some(~is_candidate)

    def _ranked(self, holding: Having, weights: Weights, tokens: Hashes) -> list[tuple[int, int, float]]:
        """Return the documents with evidence enough by other weights: id, hits and evidence, best first."""
        nats = self.evidence(holding, weights, tokens)
        found = holding.of_some(is_enough := (nats >= self.least) & (nats > 0))
        n_hits = np.bincount(found.owners[weights[found.places] > 0], minlength=len(found.ids))
        order = np.lexsort((found.ids, n_hits, -nats[is_enough]))
        columns = found.ids[order], n_hits[order], nats[is_enough][order]
        return list(zip(*(one.tolist() for one in columns), strict=True))

    def evidence(self, having: Having, weights: Weights, tokens: Hashes) -> NDArray[np.float64]:
        """Return the evidence of each document by some weights, in nats."""
        return evidence(having.bounds, having.places, weights, tokens, self.shingle_tokens)


class _Search:
    """The documents that hold a run of a query, as far as documents were looked at."""

    def __init__(self, query: WeighedQuery, levelled: Weights, runs: CommonRuns) -> None:
        self._query, self._levelled, self._runs = query, levelled, runs
        self._places = np.flatnonzero(levelled)
        self.firsts = FirstPlaces.of(query.sample.hashes[self._places])
        self._first_places = self._places[self.firsts.places]
        self._n_having = query.n_having[self._first_places]
        self._is_exhausted = np.zeros(len(self._n_having), np.bool_)
        self._rarest, self._drawn, self._n_next, self._n_rounds = -1, np.empty(0, np.uint32), 0, 0
        self.ranges, self._keys = ALL_DOCUMENTS[:0], np.empty(0, np.uint64)
        self.add(self._keys)

    def add(self, keys: Keys) -> None:
        """Add the documents that have hashes of the run near each other: those that hold it are kept."""
        keys = arrays.distinct(np.concatenate([self._keys, keys]))
        near = self.firsts.having(keys, np.zeros(len(self.firsts.hashes), np.int64), 0)
        places = self._places[near.places].astype(np.uint32)
        near = Having(near.ids, near.bounds, places, np.zeros(len(self._levelled), np.int64))
        tokens = self._query.sample.token
        enough = self._runs.evidence(near, self._levelled, tokens) >= self._runs.least
        self.holding = Holding(near.of_some(enough), self._levelled, tokens)
        self._keys = keys[np.repeat(enough, np.diff(near.bounds))]

    def goes_on(self, generation: AnyGeneration) -> bool:
        """Choose the documents to be looked at next, `ranges`. Return whether there are any."""
        wanted = self._wanted()
        if not wanted.any():
            return False
        known = self._query.candidates if self._n_rounds == 0 else ()
        n_postings, n_least = int(self._n_having.sum()), len(wanted) * (FIRST_DRAWN + len(known))
        if self._n_rounds == MOST_ROUNDS or n_postings <= max(MOST_AT_ONCE, AS_DEAR * n_least):
            self.ranges, self._is_exhausted[:] = ALL_DOCUMENTS, True
            return True
        drawn = self._draw(generation, int(np.argmin(np.where(wanted, self._n_having, _END))))
        ids = arrays.distinct(np.concatenate([drawn, np.fromiter(known, np.uint32, len(known))])).astype(np.int64)
        self.ranges = np.stack([ids, ids + 1], axis=1)
        self._n_rounds += 1
        return True

    def _wanted(self) -> NDArray[np.bool_]:
        """Return the hashes of which more documents are to be looked at, `(d,) bool`."""
        wanted = self.holding.having.n_having <= COMMON_DOCUMENTS
        wanted |= self._runs.unanswered(self.holding, self._query.candidates)
        return np.asarray(wanted[self._first_places] & ~self._is_exhausted)

    def _draw(self, generation: AnyGeneration, rarest: int) -> Hashes:
        """Return documents with the rarest of the hashes that are wanted: those with the lowest ids."""
        if rarest != self._rarest:
            self._drawn = generation.documents_having(self.firsts.hashes[[rarest]], limit=_END).ids
            self._rarest, self._n_next = rarest, FIRST_DRAWN
        drawn, self._drawn = self._drawn[: self._n_next], self._drawn[self._n_next :]
        self._is_exhausted[rarest], self._n_next = not len(self._drawn), TIMES_MORE * self._n_next
        return drawn
