"""What a collection's texts have in common anyway: background rates of rows, and stop shingles.

Unrelated texts share phrases. A row holding two dozen documents is hit by some share of any query beyond its own
false positives; the screening threshold must lie above that. And a shingle found in very many documents (a licence, a
template) says nothing about copying; it is left out of queries.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pmbf.filter import Tile
from pmbf.store import Store

Hashes = NDArray[np.uint32]

PROBE_DOCUMENTS, PROBES_EACH = 128, 8
MAX_BACKGROUND = 0.05
"""A collection of near-duplicates would otherwise drive its own thresholds beyond reach."""

STOP_SAMPLE = 2048
STOP_MIN_DOCUMENTS, STOP_SHARE = 50, 0.02
"""A stop shingle is in more than this many documents of the sample, and in more than this share of them: fifty drafts
of one text are still sources, fifty licences at the end of other texts are not worth a line each."""


class ProbePool:
    """A few hashes of a few documents, a fair sample of all it was shown: texts to try rows with.

    Args:
        seed: Of the sampling; the same documents and seed give the same pool.
        n_seen: Documents that those shown first stand for, beside themselves.
    """

    def __init__(self, seed: int, *, n_seen: int = 0) -> None:
        self._random = np.random.default_rng(seed)
        self._n_seen = n_seen
        self._documents: list[int] = []
        self._hashes: list[Hashes] = []

    def show(self, documents: Mapping[int, Hashes]) -> None:
        """Let documents take places in the pool, by chance (reservoir sampling: Vitter 1985).

        Args:
            documents: The hashes of each, by its id.
        """
        n_free, n_shown = PROBE_DOCUMENTS - len(self._documents), len(documents)
        places = self._random.integers(self._n_seen + 1 + np.arange(n_shown))
        places[:n_free] = np.arange(PROBE_DOCUMENTS)[len(self._documents) :][:n_shown]
        self._n_seen += n_shown
        ids, hashes = list(documents), list(documents.values())
        for number in np.flatnonzero(places < PROBE_DOCUMENTS).tolist():
            place = int(places[number])  # the first ones come in order
            self._documents[place : place + 1] = [ids[number]]
            self._hashes[place : place + 1] = [self._some(hashes[number])]

    def rates(self, tile: Tile, entries: NDArray[np.uint32]) -> NDArray[np.float32]:
        """Return each row's share of hits by unrelated probes beyond its false positives, 0 to `MAX_BACKGROUND`.

        Args:
            tile: The rows.
            entries: `(n_entries, 4) uint32`: a row is not tried with probes of the documents it holds.
        """
        n_probes = sum(map(len, self._hashes))
        if not n_probes:
            return np.zeros(tile.n_rows, np.float32)
        hits = _unpacked(tile.hits(np.concatenate(self._hashes)), tile.n_rows)
        tried = np.full(tile.n_rows, float(n_probes))
        held = entries[np.isin(entries[:, 1], np.array(self._documents, np.uint32))]
        for document, start, stop in self._spans():
            rows = np.unique(held[held[:, 1] == document, 0])
            hits[start:stop, rows] = False
            tried[rows] -= stop - start
        false = tile.rates()
        share = hits.sum(axis=0) / np.maximum(tried, 1.0)
        beyond = (share - false) / np.maximum(1 - false, np.finfo(float).tiny)
        return np.asarray(np.clip(beyond, 0.0, MAX_BACKGROUND), np.float32)

    def _some(self, hashes: Hashes) -> Hashes:
        return self._random.choice(hashes, min(PROBES_EACH, len(hashes)), replace=False) if len(hashes) else hashes

    def _spans(self) -> list[tuple[int, int, int]]:
        stops = np.cumsum([len(hashes) for hashes in self._hashes]).tolist()
        return list(zip(self._documents, [0, *stops[:-1]], stops, strict=True))


def stored_pool(store: Store, seed: int) -> ProbePool:
    """Return a pool over a fair sample of a store's documents."""
    ids = sampled_ids(store, PROBE_DOCUMENTS, seed)
    pool = ProbePool(seed, n_seen=store.directory.totals().n_live - len(ids))
    pool.show(dict(zip(ids.tolist(), store.hashes_of(ids), strict=True)))
    return pool


def sampled_ids(store: Store, n_documents: int, seed: int) -> NDArray[np.uint32]:
    """Return the ids of up to so many live documents, chosen by chance, ascending."""
    ids = store.directory.live_ids()
    if len(ids) > n_documents:
        ids = np.sort(np.random.default_rng(seed).choice(ids, n_documents, replace=False))
    return ids


def count_stop_hashes(store: Store, seed: int = 0) -> Hashes:
    """Return the hashes that too many documents of a sample have, ascending."""
    sample = sampled_ids(store, STOP_SAMPLE, seed)
    if len(sample) <= STOP_MIN_DOCUMENTS:
        return np.empty(0, np.uint32)
    # Sorted, a hash that n documents have stands n times in a row: far faster than counting each.
    hashes = np.sort(np.concatenate(list(store.hashes_of(sample))))
    least = int(max(STOP_MIN_DOCUMENTS, STOP_SHARE * len(sample)))
    return np.unique(hashes[least:][hashes[least:] == hashes[:-least]])


def _unpacked(hits: NDArray[np.uint64], n_rows: int) -> NDArray[np.bool_]:
    bits = np.unpackbits(np.ascontiguousarray(hits).view(np.uint8), axis=1, bitorder="little")
    return bits[:, :n_rows].astype(bool)
