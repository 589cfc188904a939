"""Which documents have which hashes, told by one volume or by several: what is added up on the way to the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf import arrays
from pmbf.cluster.manifest import Volume
from pmbf.store.having import Having

Ids = NDArray[np.uint32]

_PLACE, _SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Documents of some volumes that have hashes of a query.

    Args:
        keys: `(n,) uint64`, ascending: id of a document << 32 | place of a hash in the query.
        n_having: `(q,) int64`, how many documents of the volumes have the hash at each place.
        ids: `(d,) uint32`, the documents, ascending.
        n_hashes: `(d,) uint32`, how many hashes each of them has.
    """

    keys: NDArray[np.uint64]
    n_having: NDArray[np.int64]
    ids: Ids
    n_hashes: Ids

    @classmethod
    def of(cls, having: Having, n_hashes: Ids, volume: Volume) -> Found:
        """Return what a volume has, with the ids of the collection."""
        ids = having.ids + np.uint32(volume.offset)
        keys = (ids[having.owners].astype(np.uint64) << _SHIFT) | having.places
        return cls(keys, having.n_having, ids, n_hashes)

    def having(self) -> Having:
        """Return the same as screening takes it."""
        documents = (self.keys >> _SHIFT).astype(np.uint32)
        begins = arrays.begins(documents) if len(documents) else np.empty(0, np.intp)
        bounds = np.append(begins, len(documents)).astype(np.int64)
        return Having(documents[begins], bounds, (self.keys & _PLACE).astype(np.uint32), self.n_having)


def added_up(some: Sequence[Found], n_places: int, limit: int) -> Found:
    """Return what several parts of a collection have together.

    A hash that more than `limit` documents of all parts have is only counted, as in each of the parts. A part that
    has fewer of them has named its documents: they are dropped here. So one round is enough, and the answer does not
    depend on how the volumes are shared out.

    Args:
        some: What each part has; no document is in two of them.
        n_places: Hashes of the query.
        limit: As it was asked for.
    """
    n_having = np.zeros(n_places, np.int64)
    for one in some:
        n_having += one.n_having
    keys = np.sort(np.concatenate([np.empty(0, np.uint64), *(one.keys for one in some)]))
    ids = np.concatenate([np.empty(0, np.uint32), *(one.ids for one in some)])
    n_hashes = np.concatenate([np.empty(0, np.uint32), *(one.n_hashes for one in some)])
    order = np.argsort(ids, kind="stable")
    if (n_having > limit).any():
        keys = keys[n_having[(keys & _PLACE).astype(np.intp)] <= limit]
    return Found(keys, n_having, ids[order], n_hashes[order])


def of_volume(ids: Ids, volume: Volume) -> Ids:
    """Return those ids of the collection that a volume has, as its own ids.

    Args:
        ids: Ascending.
        volume: The volume.
    """
    first, last = np.searchsorted(ids, [volume.offset + 1, volume.offset + volume.n_ids + 1])
    return (ids[first:last] - np.uint32(volume.offset)).astype(np.uint32)
