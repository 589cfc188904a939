"""The checks of lists, inverted indexes and counts that both twins make, in the same words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import ParameterError
from pmbf.kernels import checks
from pmbf.kernels.inverted_layout import Inverted, Jaccard, Lists, Numbers, Offsets, SharedCounts

MOST_POSTINGS = 2**32 - 2
"""The place of a posting is a number of 32 bits. More features are cut into ranges first."""


def require_chunks(n_words: int, bits: int) -> None:
    """Refuse chunks without words, longer ones than shingles, and IDs of a width that nobody needs."""
    if not 1 <= n_words <= 32:
        raise ParameterError(f"n_words is {n_words}, expected 1 to 32")
    if not 20 <= bits <= 32:
        raise ParameterError(f"bits is {bits}, expected 20 to 32")


def require_lists(lists: Lists) -> None:
    """Refuse arrays of another dtype or shape, and offsets that do not cut the features into lists."""
    _require_offsets("features", lists.offsets, lists.features)


def require_counts(counts: SharedCounts) -> None:
    """Refuse arrays of another dtype or shape, and offsets that do not cut the documents into lists."""
    _require_offsets("documents", counts.offsets, counts.documents)
    checks.require("counts", counts.counts, np.uint32, "(n_pairs,)", 1)
    if len(counts.counts) != len(counts.documents):
        raise ParameterError(f"counts is for {len(counts.counts)} pairs, expected {counts.n_pairs} as documents has")


def require_documents(documents: object, n_lists: int, name: str = "documents") -> None:
    """Refuse anything but a number for each list."""
    checks.require(name, documents, np.uint32, "(n_lists,)", 1)
    assert isinstance(documents, np.ndarray)
    if len(documents) != n_lists:
        raise ParameterError(f"{name} is for {len(documents)} lists, expected {n_lists}")


def require_invertible(lists: Lists, documents: Numbers | None) -> None:
    """Refuse lists that cannot be inverted as one range, and documents that do not ascend."""
    require_lists(lists)
    if len(lists.features) > MOST_POSTINGS:
        raise ParameterError(f"{len(lists.features)} features in all, expected at most 2^32 - 2; cut them into ranges")
    if documents is None:
        return
    require_documents(documents, len(lists))
    require_ascending("documents", documents)
    if len(documents) and documents[-1] == 2**32 - 1:
        raise ParameterError("a document is 2^32 - 1, expected at most 2^32 - 2")


def require_inverted(inverted: Inverted) -> None:
    """Refuse arrays of another dtype, and arrays whose lengths do not fit. The kernels check what they read of them."""
    for name, shape in (("features", "(m,)"), ("starts", "(m + 1,)"), ("documents", "(n,)"), ("directory", "(s + 1,)")):
        checks.require(name, getattr(inverted, name), np.uint32, shape, 1)
    features, reach = inverted.features, 0
    if len(features):
        reach = ((int(features[-1]) - int(features[0])) >> inverted.shift) + 1
    if (
        not 0 <= inverted.shift <= 31
        or len(inverted.starts) != len(features) + 1
        or len(inverted.directory) != reach + 1
        or not 0 <= inverted.n_documents < 2**32
    ):
        raise damaged_index()


def damaged_index() -> ParameterError:
    """Return the error for an inverted index whose arrays do not fit each other."""
    return ParameterError("the inverted index is damaged: its arrays do not fit each other")


def malformed_lists() -> ParameterError:
    """Return the error for lists whose features are not distinct and ascending."""
    return ParameterError("the features of a list do not ascend, expected distinct ones in ascending order")


def require_least(min_shared: int) -> None:
    """Refuse a least number of shared features that all documents reach."""
    if not 1 <= min_shared < 2**32:
        raise ParameterError(f"min_shared is {min_shared}, expected 1 to 2^32 - 1")


def require_threshold(threshold: float) -> None:
    """Refuse a Jaccard index that no pair or any pair reaches."""
    if not 0 < threshold <= 1:
        raise ParameterError(f"threshold is {threshold}, expected a number in (0, 1]")


def require_jaccard(jaccard: Jaccard | None, n_lists: int, n_documents: int) -> None:
    """Refuse a threshold outside (0, 1], and sizes that are not for these lists and documents."""
    if jaccard is None:
        return
    require_threshold(jaccard.threshold)
    require_documents(jaccard.list_sizes, n_lists, "list_sizes")
    checks.require("sizes", jaccard.sizes, np.uint32, "(n_documents,)", 1)
    if len(jaccard.sizes) < n_documents:
        raise ParameterError(f"sizes is for {len(jaccard.sizes)} documents, expected {n_documents}")


def require_ascending(name: str, numbers: Numbers) -> None:
    """Refuse numbers that are not distinct and ascending."""
    checks.require(name, numbers, np.uint32, "(n,)", 1)
    if (numbers[1:] <= numbers[:-1]).any():
        raise ParameterError(f"{name} does not ascend, expected distinct numbers in ascending order")


def require_probe(
    inverted: Inverted, lists: Lists, min_shared: int, after: Numbers | None, jaccard: Jaccard | None
) -> None:
    """Refuse lists and an index that do not fit, and numbers that are not for them."""
    require_inverted(inverted)
    require_lists(lists)
    require_least(min_shared)
    require_jaccard(jaccard, len(lists), inverted.n_documents)
    if after is not None:
        require_documents(after, len(lists), "after")


def require_mergeable(many: Sequence[SharedCounts], min_shared: int, jaccard: Jaccard | None) -> int:
    """Refuse counts that are not of the same lists. Return a number above all documents."""
    require_least(min_shared)
    if not many:
        raise ParameterError("there are no counts to merge, expected at least one")
    for one in many:
        require_counts(one)
        if len(one) != len(many[0]):
            raise ParameterError(f"counts of {len(many[0])} and of {len(one)} lists do not merge, expected equal lists")
    n_documents = max(int(one.documents.max()) + 1 if one.n_pairs else 0 for one in many)
    require_jaccard(jaccard, len(many[0]), n_documents)
    return n_documents


def require_highest(
    kept: NDArray[np.uint64], totals: Numbers, counts: SharedCounts, rows: Numbers, ranks: Numbers, mirrored: bool
) -> None:
    """Refuse rows that cannot keep these counts."""
    checks.require("kept", kept, np.uint64, "(n_rows, keep)", 2)
    checks.require("totals", totals, np.uint32, "(n_rows,)", 1)
    checks.require("ranks", ranks, np.uint32, "(n_documents,)", 1)
    require_counts(counts)
    require_documents(rows, len(counts), "rows")
    for name, array in (("kept", kept), ("totals", totals)):
        if not (array.flags.writeable and array.flags.c_contiguous) or len(array) != len(kept):
            raise ParameterError(f"{name} is not a plain writable array of {len(kept)} rows")
    if not kept.shape[1]:
        raise ParameterError("kept has no room in a row, expected at least 1")
    n_documents = min(len(ranks), len(kept)) if mirrored else len(ranks)
    _require_below("documents", counts.documents, n_documents)
    _require_below("rows", rows, n_documents if mirrored else len(kept))


def _require_below(name: str, numbers: Numbers, limit: int) -> None:
    if len(numbers) and numbers.max() >= limit:
        raise ParameterError(f"{name} has {numbers.max()}, expected numbers below {limit}")


def _require_offsets(name: str, offsets: Offsets, items: Numbers) -> None:
    checks.require("offsets", offsets, np.uint64, "(n + 1,)", 1)
    checks.require(name, items, np.uint32, "(offsets[-1],)", 1)
    if not len(offsets) or offsets[0] or offsets[-1] != len(items) or (offsets[1:] < offsets[:-1]).any():
        raise ParameterError(f"offsets do not ascend from 0 to {len(items)}, the number of {name}")
