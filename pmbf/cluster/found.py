"""Which documents have the hashes of some queries: what nodes tell of their volumes, and all of it together.

A node answers with postings: of each hash the documents of its volumes, or only their number if the hash is common in
one of them. So the queries are weighed by the kernels that weigh them in one folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.arrays import among as is_among
from pmbf.base.arrays import begins
from pmbf.base.hashes import Hashes
from pmbf.cluster.manifest import Volume
from pmbf.kernels import Evident, EvidentRules, Postings, Ranges, Sampled
from pmbf.store.generation import Generation
from pmbf.store.having import FirstPlaces, Having, Keys

Ids = NDArray[np.uint32]

_PLACE, _SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32)


@dataclass(frozen=True, slots=True, eq=False)
class FoundByNode:
    """Documents of a node's volumes that have some hashes.

    Args:
        postings: Of each hash, the documents that have it, with the ids of the collection.
        n_hashes: `(d,) uint32`, how many hashes each of the documents has.
        more: `(h,) uint32`, how many documents of the volumes have a hash that are not in the postings: all of those
            volumes in which more documents have it than were asked for.
    """

    postings: Postings
    n_hashes: Ids
    more: Ids


class FoundInVolume(NamedTuple):
    """Documents of a volume that have some hashes.

    Args:
        keys: `(n,) uint64`, ascending, each once: the document's id in the collection << 32 | number of the hash.
        n_hashes: `(d,) uint32`, how many hashes each of the documents has.
        more: `(h,) int64`, how many documents have a hash that more have than were asked for; else 0. None: all are 0.
    """

    keys: Keys
    n_hashes: Ids
    more: NDArray[np.int64] | None


def within(among: Ranges, volume: Volume) -> Ranges:
    """Return those of some ranges of ids that a volume has, by its own ids."""
    moved = np.clip(among - volume.offset, 0, volume.n_ids + 1)
    return moved[moved[:, 0] < moved[:, 1]]


def are_near(places: Ids, least: int, window: int) -> bool:
    """Return whether `least` of some places, ascending, are among `window` that follow one another."""
    return bool((places[least - 1 :] - places[: max(0, len(places) - least + 1)] < window).any())


def listed(hashes: Hashes, places: Ids, limit: int, generation: Generation, volume: Volume) -> FoundInVolume:
    """Return the documents of a volume that have some of many hashes.

    Args:
        hashes: `(h,)`, ascending, each once.
        places: `(n,) uint32`, ascending, which of them the volume is asked for.
        limit: Documents of a hash that more than `limit` documents have are only counted.
        generation: The files of the volume; `CorruptError` if one is damaged.
        volume: The volume.
    """
    counts, keys = generation.posted.find(hashes[places], limit=limit)
    keys = generation.of_living(keys)
    documents, more = (keys >> _SHIFT).astype(np.uint32), None
    n_hashes = generation.directory.locations(documents[begins(documents)], "n_hashes")
    if (is_common := counts > limit).any():
        more = np.zeros(len(hashes), np.int64)
        more[places[is_common]] = counts[is_common]
    moved = (keys & ~_PLACE) + (np.uint64(volume.offset) << _SHIFT)
    return FoundInVolume(moved | places[(keys & _PLACE).astype(np.intp)], n_hashes, more)


def joined(hashes: Hashes, volumes: Sequence[FoundInVolume]) -> FoundByNode:
    """Return what a node's volumes have together."""
    more = np.zeros(len(hashes), np.int64)
    for one in volumes:
        more += 0 if one.more is None else one.more
    volumes = sorted(volumes, key=lambda one: one.keys[:1].tolist())
    every = np.concatenate([np.empty(0, np.uint64), *(one.keys for one in volumes)])
    n_hashes = np.concatenate([np.empty(0, np.uint32), *(one.n_hashes for one in volumes)])
    documents = (every >> _SHIFT).astype(np.uint32)
    starts = begins(documents)
    numbers = np.repeat(np.arange(len(starts), dtype=np.uint64), np.diff(starts, append=len(every)))
    by_hash = (every & _PLACE) << _SHIFT | numbers
    if more.any():
        by_hash = by_hash[more[(by_hash >> _SHIFT).astype(np.intp)] == 0]
    by_hash.sort()
    having = hashes[(by_hash >> _SHIFT).astype(np.intp)], by_hash.astype(np.uint32)
    postings = kernels.make_postings(*having, documents[starts], 8 * hashes.itemsize)
    return FoundByNode(postings, n_hashes, more.astype(np.uint32))


class Together:
    """What all nodes have told of some hashes, `(h,)`, ascending, each once. No document is in two parts."""

    def __init__(self, hashes: Hashes, limit: int, parts: Sequence[FoundByNode]) -> None:
        self.hashes, self.limit = hashes, limit
        self._postings = [one.postings for one in parts]
        self._more = np.zeros(len(hashes), np.int64)
        for one in parts:
            self._more += one.more
        ids = np.concatenate([np.empty(0, np.uint32), *(one.postings.documents for one in parts)])
        order = np.argsort(ids)
        self._ids = ids[order]
        self._n_hashes = np.concatenate([np.empty(0, np.uint32), *(one.n_hashes for one in parts)])[order]

    def knows(self, hashes: Hashes, limit: int) -> bool:
        """Return whether nothing more must be asked for to answer for some hashes."""
        return limit == self.limit and bool(is_among(hashes, self.hashes).all())

    def n_hashes(self, ids: Ids) -> Ids:
        """Return how many hashes some of the documents have."""
        return self._n_hashes[np.searchsorted(self._ids, ids)]

    def evident(self, queries: Iterable[Sampled], rules: EvidentRules) -> Evident:
        """Return the documents with evidence enough of many queries, as `Generation.evident`."""
        asked = [one._replace(more=self._more[np.searchsorted(self.hashes, one.hashes)]) for one in queries]
        return kernels.evident(self._postings, asked, rules)

    def having(self, hashes: Hashes, left_out: Ids) -> Having:
        """Return which documents have which hashes of a query, as `Generation.documents_having`.

        The hashes, `(q,)`, are in the order of the query's text; ids of documents that are left out ascend.
        """
        firsts = FirstPlaces.of(hashes)
        counts, keys = kernels.find_postings(self._postings, firsts.hashes, limit=self.limit)
        more = self._more[np.searchsorted(self.hashes, firsts.hashes)]
        keys = without(keys, left_out)
        return firsts.having(keys[more[(keys & _PLACE).astype(np.intp)] == 0], counts + more, self.limit)


def without(keys: NDArray[np.uint64], documents: Ids) -> NDArray[np.uint64]:
    """Return those keys, document << 32 | anything, that are not of some documents, ascending."""
    return keys[~is_among((keys >> _SHIFT).astype(np.uint32), documents)] if len(documents) else keys


def of_volume(ids: Ids, volume: Volume) -> Ids:
    """Return those ids of the collection, ascending, that a volume has, as its own ids."""
    first, last = np.searchsorted(ids, [volume.offset + 1, volume.offset + volume.n_ids + 1])
    return (ids[first:last] - np.uint32(volume.offset)).astype(np.uint32)
