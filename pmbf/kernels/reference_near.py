"""Documents that have several hashes of a query near each other, in NumPy: the reference of `native_near`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmbf.base.hashes import Hashes
from pmbf.kernels.postings_layout import Keys, Postings, no_hashes, require_near, require_postings
from pmbf.kernels.reference_postings import find_postings

__all__ = ["find_near"]

_ALL = 2**62


def find_near(postings: Sequence[Postings], queries: Sequence[Hashes], *, least: int, window: int) -> list[Keys]:
    """Return the documents that have several hashes of a query near each other, for each of many queries.

    A document that several of the postings name is looked at in each of them by itself. What is read of postings with
    pages is checked.

    Args:
        postings: Whose arrays are contiguous.
        queries: Of each query `(q,)`, distinct hashes.
        least: Hashes that a document must have, at least 1.
        window: Consecutive places of the query that they must be among, at least 1.

    Returns:
        All hashes of these documents, for each query `(n,) uint64`, ascending: document << 32 | place in the query.

    Raises:
        ParameterError: An array has another dtype or shape, or the postings or their pages are damaged.

    >>> from pmbf.kernels.reference_postings import make_postings
    >>> hashes, numbers = np.array([5, 5, 7, 9], np.uint32), np.array([0, 1, 0, 1], np.uint32)
    >>> made = make_postings(hashes, numbers, np.array([70, 80], np.uint32))
    >>> [found] = find_near([made], [np.array([9, 4, 5, 7], np.uint32)], least=2, window=2)
    >>> [divmod(key, 2**32) for key in found.tolist()]
    [(70, 2), (70, 3)]
    """
    require_near(least, window)
    require_postings(postings, no_hashes(postings))
    found = []
    for hashes in queries:
        some = [np.empty(0, np.uint64)]
        for one in postings:
            _, keys = find_postings([one], hashes, limit=_ALL)
            documents, places = keys >> np.uint64(32), keys.astype(np.uint32).astype(np.int64)
            first, last = slice(None, max(0, len(keys) - least + 1)), slice(least - 1, None)
            is_near = (documents[first] == documents[last]) & (places[last] - places[first] < window)
            some.append(keys[np.isin(documents, documents[first][is_near])])
        found.append(np.sort(np.concatenate(some)))
    return found
