"""Text that so many documents share that its hashes weigh nothing: one clause of all contracts, a manual's notice.

What is rare names its documents; of what is not, a phrase says nothing, but words in a row do. The documents that hold
such a run of a query are candidates, too: all of a few dozen, three of a thousand, and of these only where no other
candidate has it. Who asks whether a text stands in a collection wants to know of one of a thousand, not of all.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf.fingerprint import QuerySample
from pmbf.kernels import SharedPlaces
from pmbf.screen.rarity import COMMON_DOCUMENTS, UNITS, Stretch, Weighing, evidence
from pmbf.store.generation import StoreFiles

RUN_HASHES = 7
"""So many hashes of a query, one after another, that weigh little are a run, some 20 words. Of 300 texts of 4,000 words
without one, 9 have it beside 80,000 documents, by phrases alone, and none beside 11,600."""

RUN_SHINGLES = 5
"""So many of a document's hits that share no word, within 50 words of a run, make it a candidate."""

MOST_ROWS = 64
"""Rows of a tile that are looked into for a run, at most."""

MOST_SHARING = 3
"""Documents that are named for what more than `COMMON_DOCUMENTS` have, at most."""

Hashes = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Runs:
    """How runs of hashes that weigh little are found.

    Args:
        least: The evidence that makes a document a candidate, in nats.
        by: How hits are weighed.
    """

    least: float
    by: Weighing

    def levelled(self, weights: NDArray[np.int32]) -> NDArray[np.int32] | None:
        """Return weights by which runs of hashes that weigh little count, and the others do not; None without a run.

        Little is what could not make a candidate of a run, or a nat: more than a third of the documents have it.

        Args:
            weights: `(q,) int32`, those of the query's hashes, in the order of its text.
        """
        little = weights < max(self.least * UNITS / RUN_HASHES, UNITS)
        two = little[1:] & little[:-1]
        four = two[2:] & two[:-2]
        if not (four[3:] & four[:-3]).any():  # seven in a row
            return None
        edges = np.flatnonzero(np.diff(little, prepend=False, append=False)).reshape(-1, 2)
        levelled, level = np.zeros_like(weights), max(1, math.ceil(self.least * UNITS / RUN_SHINGLES))
        for start, stop in edges[edges[:, 1] - edges[:, 0] >= RUN_HASHES].tolist():
            levelled[start:stop] = level
        return levelled

    def parts(self, files: StoreFiles, stretch: Stretch) -> list[Hashes]:
        """Return the parts of documents that live in rows which hold a run of a stretch; of many rows, of some."""
        levelled = self.levelled(stretch.weights)
        if levelled is None:
            return []
        holding = stretch.weighed(levelled).rows(self.least, self.by)
        return [files.rows.parts(number, rows[:MOST_ROWS]) for number, rows in holding if len(rows)]

    def documents(
        self, files: StoreFiles, sample: QuerySample, weights: NDArray[np.int32], parts: Hashes, named: Collection[int]
    ) -> list[tuple[int, int, float]]:
        """Return documents that hold a run: id, hits and evidence of the run, best first.

        Of what few documents share, all are named; of what more have, some, and where no candidate has it.

        Args:
            files: The collection.
            sample: The query.
            weights: `(q,) int32`, what its hashes weigh.
            parts: `(n, 3) uint32`, of the documents that were looked into, those of the candidates among them.
            named: The candidates, which are not named again.
        """
        levelled = self.levelled(weights)
        if levelled is None or not len(parts):
            return []
        shared = files.shared_hashes(parts, sample.hashes, levelled)
        is_named = np.isin(shared.ids, list(named))
        by_few = np.where(shared.n_having <= COMMON_DOCUMENTS, levelled, np.int32(0))
        by_many = levelled - by_few
        for at in np.flatnonzero(is_named).tolist():
            by_many[shared.places[shared.bounds[at] : shared.bounds[at + 1]]] = 0
        few = self._holding(shared, by_few, sample.token, ~is_named)
        seen = {id_ for id_, _, _ in few}
        many = [one for one in self._holding(shared, by_many, sample.token, ~is_named) if one[0] not in seen]
        return few + many[:MOST_SHARING]

    def _holding(
        self, shared: SharedPlaces, weights: NDArray[np.int32], tokens: Hashes, eligible: NDArray[np.bool_]
    ) -> list[tuple[int, int, float]]:
        nats = evidence(shared.bounds, shared.places, weights, tokens, self.by)
        found = np.flatnonzero((nats >= self.least) & (nats > 0) & eligible)
        places = [shared.places[shared.bounds[at] : shared.bounds[at + 1]] for at in found.tolist()]
        n_hits = [int(np.count_nonzero(weights[one])) for one in places]
        ranked = sorted(zip((-nats[found]).tolist(), n_hits, shared.ids[found].tolist(), strict=True))
        return [(id_, n, -least) for least, n, id_ in ranked]
