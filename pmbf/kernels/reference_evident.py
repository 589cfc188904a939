"""The documents of many queries, by evidence and by hashes near each other: the reference of `native/postings`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pmbf.base.hashes import Hashes
from pmbf.kernels.evident_rules import EVIDENCE_UNITS, Evident, EvidentRules, Sampled, bounds_of
from pmbf.kernels.postings_layout import Keys, Postings, no_hashes, require_near, require_postings
from pmbf.kernels.reference_bits import evidence
from pmbf.kernels.reference_postings import find_postings

__all__ = ["evident", "find_near"]

_One = tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64], float, int, bool]
_ALL = 2**62


def evident(postings: Sequence[Postings], queries: Sequence[Sampled], rules: EvidentRules) -> Evident:
    """Return the documents of which a query has hashes with evidence enough, for each of many queries.

    Args:
        postings: Those of all tiles. A document may stand in several of them; it counts once.
        queries: The queries.
        rules: How hits are weighed.

    Raises:
        ParameterError: The postings are damaged, or a query is not in order.
    """
    require_postings(postings, no_hashes(postings))
    found = [_evident(postings, query, rules) for query in queries]
    none = np.empty(0, np.uint32), np.empty(0, np.int64), np.empty(0, np.int64), 0.0, 0, False
    documents, n_hits, nats, copied, n_common, is_hard = zip(none, *found, strict=True)
    return Evident(
        bounds_of([len(some) for some in documents[1:]]),
        np.concatenate(documents),
        np.concatenate(n_hits),
        np.concatenate(nats),
        np.array(copied[1:], np.float64),
        np.array(n_common[1:], np.int64),
        np.array(is_hard[1:], np.bool_),
    )


def _evident(postings: Sequence[Postings], query: Sampled, rules: EvidentRules) -> _One:
    distinct, firsts, numbers = np.unique(query.hashes, return_index=True, return_inverse=True)
    counts, keys = find_postings(postings, distinct, limit=rules.limit)
    if query.more is not None:
        counts = counts + query.more[firsts]
    keys = np.unique(keys)
    keys = keys[counts[(keys & np.uint64(0xFFFFFFFF)).astype(np.intp)] <= rules.limit]
    keys = keys[~np.isin((keys >> np.uint64(32)).astype(np.uint32), rules.gone)]
    hashes = (keys & np.uint64(0xFFFFFFFF)).astype(np.intp)
    is_common = (counts > rules.limit)[numbers]
    exact = np.minimum(np.bincount(hashes, minlength=len(distinct)), rules.limit)[numbers]
    weights = np.where(is_common, np.int32(0), rules.weights[exact])
    n_common = int(np.count_nonzero(weights == 0))
    if np.count_nonzero(is_common) > rules.most_common * len(is_common) or _has_run(
        weights < rules.little, rules.n_run
    ):
        return np.empty(0, np.uint32), np.empty(0, np.int64), np.empty(0, np.int64), 0.0, n_common, True
    order = np.lexsort((firsts[hashes], keys >> np.uint64(32)))
    places = firsts[hashes][order].astype(np.uint32)
    documents, begins = np.unique((keys >> np.uint64(32)).astype(np.uint32)[order], return_index=True)
    bounds = np.append(begins, len(keys)).astype(np.int64)
    nats = evidence(bounds, places, weights, query.tokens, rules.hits)
    copied = _half_of_a_copy(query, weights, rules)
    kept = nats / EVIDENCE_UNITS >= min(copied, rules.least)
    return documents[kept], np.diff(bounds)[kept], nats[kept], copied, n_common, False


def _has_run(is_little: NDArray[np.bool_], n: int) -> bool:
    """Return whether n in a row are true."""
    return len(is_little) >= n and bool(np.lib.stride_tricks.sliding_window_view(is_little, n).all(axis=1).any())


def _half_of_a_copy(query: Sampled, weights: NDArray[np.int32], rules: EvidentRules) -> float:
    half = 0.0
    for n in (min(rules.n_first, len(weights)), len(weights)):
        bounds, every = np.array([0, n]), np.arange(n, dtype=np.uint32)
        half = query.share * float(
            evidence(bounds, every, weights[:n], query.tokens[:n], rules.hits)[0] / EVIDENCE_UNITS
        )
        if half >= rules.enough:
            break
    return half


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
