"""Inverted indexes of lists of features, and what lists share by them: the reference of `native/inverted`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import inverted_checks as checks
from pmbf.kernels.inverted_layout import Inverted, Jaccard, Lists, Numbers, SharedCounts, shift_of

__all__ = ["add_highest", "drop_features", "invert", "jaccard_join", "merge_counts", "shared_counts"]

WHOLE = 2**32 - 1


def invert(lists: Lists, documents: Numbers | None = None) -> Inverted:
    """Return the inverted index of some lists.

    Args:
        lists: At most 2^32 - 2 features in all.
        documents: `(n_lists,) uint32`, the number of each list's document, ascending, at most 2^32 - 2; None: 0, 1, …
    """
    checks.require_invertible(lists, documents)
    require_ascending_lists(lists)
    numbers = range(len(lists)) if documents is None else documents.tolist()
    owners: dict[int, list[int]] = {}
    for at, number in enumerate(numbers):
        for feature in lists[at].tolist():
            owners.setdefault(feature, []).append(number)
    features = np.array(sorted(owners), np.uint32)
    some = [owners[feature] for feature in features.tolist()]
    starts = np.cumsum([0, *map(len, some)]).astype(np.uint32)
    postings = np.array([number for one in some for number in one], np.uint32)
    shift = shift_of(features)
    n_documents = int(numbers[-1]) + 1 if len(numbers) else 0
    return Inverted(features, starts, postings, _directory(features, shift), shift, n_documents)


def drop_features(lists: Lists, stop: Numbers) -> Lists:
    """Return the lists without some features.

    Args:
        lists: They stay as they are.
        stop: `(n,) uint32`, the features that are left out, ascending.
    """
    checks.require_lists(lists)
    checks.require_ascending("stop", stop)
    left_out = set(stop.tolist())
    return Lists.of([
        np.array([feature for feature in lists[at].tolist() if feature not in left_out], np.uint32)
        for at in range(len(lists))
    ])  # fmt: skip


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
    """
    checks.require_probe(inverted, lists, min_shared, after, jaccard)
    require_ascending_lists(lists)
    require_sound(inverted)
    starts = inverted.starts.tolist()
    owners = {
        feature: inverted.documents[start:stop].tolist()
        for feature, start, stop in zip(inverted.features.tolist(), starts, starts[1:], strict=False)
    }
    rows = []
    for number in range(len(lists)):
        least = -1 if after is None else int(after[number])
        having = [document for feature in lists[number].tolist() for document in owners.get(feature, ())]
        rows.append(Counter(document for document in having if document > least))
    return _told(rows, min_shared, jaccard)


def merge_counts(many: Sequence[SharedCounts], *, min_shared: int = 1, jaccard: Jaccard | None = None) -> SharedCounts:
    """Return the sums of partial counts.

    Args:
        many: Counts of the same lists, each of other features; at least one.
        min_shared: As in `shared_counts`, of the sums.
        jaccard: As in `shared_counts`, of the sums.
    """
    checks.require_mergeable(many, min_shared, jaccard)
    rows = [Counter[int]() for _ in range(len(many[0]))]
    for one in many:
        for row, document, count in zip(one.lists().tolist(), one.documents.tolist(), one.counts.tolist(), strict=True):
            rows[row][document] += count
    return _told(rows, min_shared, jaccard)


def add_highest(
    kept: NDArray[np.uint64],
    totals: NDArray[np.uint32],
    counts: SharedCounts,
    rows: Numbers,
    ranks: Numbers,
    *,
    mirrored: bool,
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
    """
    checks.require_highest(kept, totals, counts, rows, ranks, mirrored)
    offered: dict[int, list[int]] = {}
    pairs = zip(rows[counts.lists()].tolist(), counts.documents.tolist(), counts.counts.tolist(), strict=True)
    for row, document, count in pairs:
        offered.setdefault(row, []).append(count << 32 | WHOLE - int(ranks[document]))
        if mirrored:
            offered.setdefault(document, []).append(count << 32 | WHOLE - int(ranks[row]))
    for row, keys in offered.items():
        best = sorted([*kept[row].tolist(), *keys], reverse=True)[: kept.shape[1]]
        kept[row], totals[row] = best, totals[row] + len(keys)


def jaccard_join(lists: Lists, threshold: float) -> SharedCounts:
    """Return for each list the later lists that are as similar as a threshold, with the features that both have.

    Args:
        lists: At most 2^32 - 2 features in all.
        threshold: Least Jaccard index of a pair, in (0, 1]: shared features / features of either, as float64. A list
            without features is like no list.
    """
    checks.require_threshold(threshold)
    after, jaccard = np.arange(len(lists), dtype=np.uint32), Jaccard(threshold, lists.sizes, lists.sizes)
    return shared_counts(invert(lists), lists, after=after, jaccard=jaccard)


def _told(rows: Sequence[Counter[int]], min_shared: int, jaccard: Jaccard | None) -> SharedCounts:
    """Return for each list the documents with counts that are high enough."""
    told = []
    for row, counts in enumerate(rows):
        found = [(document, count) for document, count in sorted(counts.items()) if count >= min_shared]
        told.append([pair for pair in found if jaccard is None or _is_alike(jaccard, row, *pair)])
    pairs = np.array([pair for found in told for pair in found], np.uint32).reshape(-1, 2)
    offsets = np.cumsum([0, *map(len, told)], dtype=np.uint64)
    return SharedCounts(offsets, np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1]))


def _is_alike(jaccard: Jaccard, row: int, document: int, count: int) -> bool:
    of_either = int(jaccard.list_sizes[row]) + int(jaccard.sizes[document]) - count
    return of_either > 0 and count / of_either >= jaccard.threshold


def require_ascending_lists(lists: Lists) -> None:
    """Refuse lists whose features are not distinct and ascending."""
    rises = lists.features[1:] > lists.features[:-1]
    starts = lists.offsets[1:-1].astype(np.int64)
    rises[starts[(starts > 0) & (starts < len(lists.features))] - 1] = True
    if not rises.all():
        raise checks.malformed_lists()


def require_sound(inverted: Inverted) -> None:
    """Refuse an index whose numbers are not in order."""
    features, starts, directory = inverted.features, inverted.starts, inverted.directory
    n_documents = int(inverted.documents.max()) + 1 if len(inverted.documents) else 0
    if (
        (features[1:] <= features[:-1]).any()
        or (starts[1:] < starts[:-1]).any()
        or (starts[0], starts[-1]) != (0, len(inverted.documents))
        or not np.array_equal(directory, _directory(features, inverted.shift))
        or n_documents > inverted.n_documents
    ):
        raise checks.damaged_index()


def _directory(features: Numbers, shift: int) -> Numbers:
    if not len(features):
        return np.zeros(1, np.uint32)
    slots = (features - features[0]) >> np.uint32(shift)
    return np.searchsorted(slots, np.arange(int(slots[-1]) + 2)).astype(np.uint32)
