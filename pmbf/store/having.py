"""Which documents have which hashes of a query."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf.base import arrays
from pmbf.base.hashes import Hashes, ascending

Ids = NDArray[np.uint32]
Keys = NDArray[np.uint64]

_PLACE = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True, slots=True, eq=False)
class Having:
    """Which of a query's hashes each of many documents has.

    Args:
        ids: `(n,) uint32`, the ids of the documents, ascending, each once.
        bounds: `(n + 1,) int64`; document i has the hashes at `places[bounds[i]:bounds[i + 1]]` of the query.
        places: `(bounds[-1],) uint32`, where each hash first stands in the query, ascending for each document.
        n_having: `(q,) int64`, how many documents have the hash at each place of the query.
    """

    ids: Ids
    bounds: NDArray[np.int64]
    places: Ids
    n_having: NDArray[np.int64]

    @property
    def owners(self) -> NDArray[np.int64]:
        """The number in `ids` of the document of each place, `(bounds[-1],) int64`."""
        return np.repeat(np.arange(len(self.ids)), np.diff(self.bounds))

    def of_some(self, which: NDArray[np.bool_]) -> Having:
        """Return some of the documents, `(n,) bool`; only these are counted."""
        sizes = np.diff(self.bounds)
        places = self.places[np.repeat(which, sizes)]
        n_having = np.bincount(places, minlength=len(self.n_having))
        return Having(self.ids[which], np.append(0, np.cumsum(sizes[which])), places, n_having)


@dataclass(frozen=True, slots=True, eq=False)
class FirstPlaces:
    """The distinct hashes of a query, in the order in which they first stand in it.

    Args:
        hashes: `(d,)`, the distinct hashes.
        places: `(d,) intp`, where each first stands, ascending.
        numbers: `(q,) intp`, which of them stands at each place of the query.

    >>> firsts = FirstPlaces.of(np.array([7, 3, 7, 9], np.uint32))
    >>> firsts.hashes.tolist(), firsts.places.tolist(), firsts.numbers.tolist()
    ([7, 3, 9], [0, 1, 3], [0, 1, 0, 2])
    """

    hashes: Hashes
    places: NDArray[np.intp]
    numbers: NDArray[np.intp]

    @classmethod
    def of(cls, hashes: Hashes) -> FirstPlaces:
        """Return the distinct hashes of a query, `(q,)`."""
        order = ascending(hashes)
        ordered, is_first = hashes[order], np.ones(len(hashes), np.bool_)
        np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
        firsts = order[is_first]
        is_first_at = np.zeros(len(hashes), np.bool_)
        is_first_at[firsts] = True
        places, numbers = np.flatnonzero(is_first_at), np.empty_like(order)
        numbers[order] = (np.cumsum(is_first_at) - 1)[firsts[np.cumsum(is_first) - 1]]
        return cls(np.ascontiguousarray(hashes[places]), places, numbers)

    def having(self, keys: Keys, counts: NDArray[np.int64], limit: int) -> Having:
        """Return which documents have the hashes.

        Args:
            keys: `(n,) uint64`, ascending, each once: document << 32 | number of the hash.
            counts: `(d,) int64`, the documents of each hash in all postings, removed ones included.
            limit: The keys have only hashes with a count of at most `limit`.
        """
        documents, numbers = (keys >> np.uint64(32)).astype(np.uint32), (keys & _PLACE).astype(np.intp)
        begins = arrays.begins(documents)
        exact = np.bincount(numbers, minlength=len(counts))
        return Having(
            documents[begins],
            np.append(begins, len(keys)).astype(np.int64),
            self.places[numbers].astype(np.uint32),
            np.where(counts <= limit, exact, counts)[self.numbers],
        )
