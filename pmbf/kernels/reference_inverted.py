"""Inverted indexes of lists of features, and lists without some features, in NumPy: the reference of the C kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import among
from pmbf.kernels.inverted_checks import (
    damaged_index,
    malformed_lists,
    require_ascending,
    require_invertible,
    require_lists,
)
from pmbf.kernels.inverted_layout import Inverted, Lists, Numbers, shift_of

__all__ = ["drop_features", "invert"]

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


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
    numbers = np.arange(len(lists), dtype=np.uint32) if documents is None else documents
    keys = lists.features.astype(np.uint64) << _HALF | np.repeat(numbers, lists.sizes)
    keys.sort()
    return _inverted(keys, int(numbers[-1]) + 1 if len(numbers) else 0)


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
    kept = ~among(lists.features, stop)
    n_before = np.append(np.uint64(0), np.cumsum(kept, dtype=np.uint64))
    return Lists(n_before[lists.offsets], lists.features[kept])


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


def _inverted(keys: NDArray[np.uint64], n_documents: int) -> Inverted:
    """Return the index of feature << 32 | document, ascending."""
    of_keys = (keys >> _HALF).astype(np.uint32)
    begins = np.flatnonzero(np.append(True, of_keys[1:] != of_keys[:-1])[: len(keys)])
    features, starts = of_keys[begins], np.append(begins, len(keys)).astype(np.uint32)
    shift = shift_of(features)
    return Inverted(features, starts, (keys & _LOW).astype(np.uint32), _directory(features, shift), shift, n_documents)


def _directory(features: Numbers, shift: int) -> Numbers:
    if not len(features):
        return np.zeros(1, np.uint32)
    slots = (features - features[0]) >> np.uint32(shift)
    return np.searchsorted(slots, np.arange(int(slots[-1]) + 2)).astype(np.uint32)
