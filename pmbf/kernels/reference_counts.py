"""Which documents share how many features with which lists, in NumPy: the reference of the C kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.inverted_checks import require_highest, require_mergeable, require_probe
from pmbf.kernels.inverted_layout import Inverted, Jaccard, Lists, Numbers, SharedCounts
from pmbf.kernels.reference_inverted import require_ascending_lists, require_sound

__all__ = ["add_highest", "merge_counts", "shared_counts"]

Keys = NDArray[np.uint64]

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_BLOCK = 1 << 20
"""Features that probe together, about."""


def shared_counts(
    inverted: Inverted,
    lists: Lists,
    *,
    min_shared: int = 1,
    after: Numbers | None = None,
    jaccard: Jaccard | None = None,
) -> SharedCounts:
    """Return for each list the documents that share features with it, and how many.

    Threads may call it side by side; each call has counters of its own, 4 bytes a document.

    Args:
        inverted: The documents.
        lists: The lists that probe.
        min_shared: Fewest shared features of a document that is told, at least 1.
        after: `(n_lists,) uint32`. Of each list only documents above this number are counted and told. If documents
            probe themselves, with `after` their own numbers, then each pair is told once.
        jaccard: Tell only pairs that are as similar as this asks.

    Raises:
        ParameterError: An argument is malformed or damaged, or a list does not ascend.
    """
    require_probe(inverted, lists, min_shared, after, jaccard)
    require_ascending_lists(lists)
    require_sound(inverted)
    parts = [
        _shared(inverted, lists.part(start, stop), None if after is None else after[start:stop])
        + (np.uint64(start) << _HALF)
        for start, stop in _blocks(lists)
    ]
    keys = np.concatenate([np.empty(0, np.uint64), *parts])
    firsts = _firsts(keys)
    return _told(keys[firsts], np.diff(np.append(firsts, len(keys))), len(lists), min_shared, jaccard)


def merge_counts(many: Sequence[SharedCounts], *, min_shared: int = 1, jaccard: Jaccard | None = None) -> SharedCounts:
    """Return the sums of partial counts.

    Args:
        many: Counts of the same lists, each of other features; at least one.
        min_shared: As in `shared_counts`, of the sums.
        jaccard: As in `shared_counts`, of the sums.

    Raises:
        ParameterError: An argument is malformed.
    """
    require_mergeable(many, min_shared, jaccard)
    keys = np.concatenate([one.lists().astype(np.uint64) << _HALF | one.documents for one in many])
    counts = np.concatenate([one.counts for one in many])
    order = np.argsort(keys)
    keys = keys[order]
    firsts = _firsts(keys)
    sums = np.add.reduceat(counts[order], firsts) if len(firsts) else counts
    return _told(keys[firsts], sums, len(many[0]), min_shared, jaccard)


def add_highest(
    kept: Keys, totals: NDArray[np.uint32], counts: SharedCounts, rows: Numbers, ranks: Numbers, *, mirrored: bool
) -> None:
    """Offer counts to rows that keep their highest ones.

    Args:
        kept: `(n_rows, keep) uint64`, for each row count << 32 | 2^32 - 1 - rank, 0 where there is none: zeros, or
            what an earlier call of this twin left. It is changed.
        totals: `(n_rows,) uint32`, how many documents were offered to each row. It is changed.
        counts: No document may be offered to a row twice, in all calls.
        rows: `(n_lists,) uint32`, the row that each list is offered to.
        ranks: `(n_documents,) uint32`, a permutation. Of equal counts the documents with the least ranks are kept.
        mirrored: Whether row d too is offered the list's row as a document, for each document d of a list. Then rows
            are documents.

    Raises:
        ParameterError: An argument is malformed.
    """
    require_highest(kept, totals, counts, rows, ranks, mirrored)
    into, documents, numbers = rows[counts.lists()], counts.documents, counts.counts
    if mirrored:
        into, documents = np.append(into, documents), np.append(documents, into)
        numbers = np.append(numbers, numbers)
    keys = numbers.astype(np.uint64) << _HALF | (_LOW - ranks[documents])
    totals += np.bincount(into, minlength=len(totals)).astype(np.uint32)
    order = np.lexsort((~keys, into))
    into, keys = into[order], keys[order]
    starts = np.searchsorted(into, np.arange(len(kept) + 1))
    for row in np.flatnonzero(np.diff(starts)).tolist():
        best = np.append(kept[row], keys[starts[row] : starts[row + 1]][: kept.shape[1]])
        best.sort()
        kept[row] = best[len(best) - kept.shape[1] :]


def _blocks(lists: Lists) -> Iterator[tuple[int, int]]:
    """Yield where blocks of lists start and stop, one list at least in each."""
    start = 0
    while start < len(lists):
        stop = int(np.searchsorted(lists.offsets, lists.offsets[start] + np.uint64(_BLOCK), "right")) - 1
        yield start, (start := max(start + 1, stop))


def _shared(inverted: Inverted, lists: Lists, after: Numbers | None) -> Keys:
    """Return list << 32 | document for each feature that a list and a document have, ascending."""
    at = np.searchsorted(inverted.features, lists.features)
    inside = np.flatnonzero(at < len(inverted.features))
    found = inside[inverted.features[at[inside]] == lists.features[inside]]
    at, probing = at[found], np.repeat(np.arange(len(lists)), lists.sizes)[found]
    sizes = inverted.frequencies[at].astype(np.int64)
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    documents = inverted.documents[np.repeat(inverted.starts[at].astype(np.int64), sizes) + within]
    probing = np.repeat(probing, sizes)
    if after is not None:
        told = documents > after[probing]
        probing, documents = probing[told], documents[told]
    keys: Keys = probing.astype(np.uint64) << _HALF | documents
    keys.sort()
    return keys


def _firsts(keys: Keys) -> NDArray[np.int64]:
    """Return where each of the ascending keys first occurs."""
    return np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])


def _told(keys: Keys, counts: Numbers, n_lists: int, min_shared: int, jaccard: Jaccard | None) -> SharedCounts:
    """Return the counts of list << 32 | document that are high enough, cut into lists."""
    probing, documents = (keys >> _HALF).astype(np.uint32), (keys & _LOW).astype(np.uint32)
    told = counts >= min_shared
    if jaccard:
        of_either = jaccard.list_sizes[probing].astype(np.int64) + jaccard.sizes[documents] - counts
        told &= (of_either > 0) & (counts / np.maximum(of_either, 1) >= jaccard.threshold)
    probing, documents, counts = probing[told], documents[told], counts[told]
    offsets = np.searchsorted(probing, np.arange(n_lists + 1)).astype(np.uint64)
    return SharedCounts(offsets, documents, counts.astype(np.uint32))
