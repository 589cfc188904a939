"""Inverted indexes of lists of features, and lists without some features: the reference of `native/inverted`."""

from __future__ import annotations

import numpy as np

from pmbf.kernels.inverted_checks import (
    damaged_index,
    malformed_lists,
    require_ascending,
    require_invertible,
    require_lists,
)
from pmbf.kernels.inverted_layout import Inverted, Lists, Numbers, shift_of

__all__ = ["drop_features", "invert"]


def invert(lists: Lists, documents: Numbers | None = None) -> Inverted:
    """Return the inverted index of some lists.

    Args:
        lists: At most 2^32 - 2 features in all.
        documents: `(n_lists,) uint32`, the number of each list's document, ascending, at most 2^32 - 2; None: 0, 1, …

    Raises:
        ParameterError: An argument is malformed, or a list does not ascend.
    """
    require_invertible(lists, documents)
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

    Raises:
        ParameterError: The lists are malformed, or `stop` does not ascend.
    """
    require_lists(lists)
    require_ascending("stop", stop)
    left_out = set(stop.tolist())
    return Lists.of([
        np.array([feature for feature in lists[at].tolist() if feature not in left_out], np.uint32)
        for at in range(len(lists))
    ])  # fmt: skip


def require_ascending_lists(lists: Lists) -> None:
    """Refuse lists whose features are not distinct and ascending."""
    rises = lists.features[1:] > lists.features[:-1]
    starts = lists.offsets[1:-1].astype(np.int64)
    rises[starts[(starts > 0) & (starts < len(lists.features))] - 1] = True
    if not rises.all():
        raise malformed_lists()


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
        raise damaged_index()


def _directory(features: Numbers, shift: int) -> Numbers:
    if not len(features):
        return np.zeros(1, np.uint32)
    slots = (features - features[0]) >> np.uint32(shift)
    return np.searchsorted(slots, np.arange(int(slots[-1]) + 2)).astype(np.uint32)
