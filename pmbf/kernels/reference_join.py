"""All pairs of lists that are alike, in NumPy: the reference of the C kernel."""

from __future__ import annotations

import numpy as np

from pmbf.kernels.inverted_checks import require_jaccard
from pmbf.kernels.inverted_layout import Jaccard, Lists, SharedCounts
from pmbf.kernels.reference_counts import shared_counts
from pmbf.kernels.reference_inverted import invert

__all__ = ["jaccard_join"]


def jaccard_join(lists: Lists, threshold: float) -> SharedCounts:
    """Return for each list the lists behind it that are as similar as the threshold: all of them, no other ones.

    Args:
        lists: At most 2^32 - 2 features in all.
        threshold: Least Jaccard index of a pair, in (0, 1]: shared features / features of either, as float64. Lists
            without features are like no list.

    Returns:
        Of list i the numbers of lists j > i, with the features that both have.

    Raises:
        ParameterError: The lists are malformed, or do not ascend; the threshold is outside its range.
    """
    inverted, sizes = invert(lists), lists.sizes
    require_jaccard(jaccard := Jaccard(threshold, sizes, sizes), len(lists), len(lists))
    return shared_counts(inverted, lists, after=np.arange(len(lists), dtype=np.uint32), jaccard=jaccard)
