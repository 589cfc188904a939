"""All pairs of lists that are alike, in NumPy: the reference of the C kernel."""

from __future__ import annotations

import numpy as np

from pmbf.kernels.inverted_checks import require_join
from pmbf.kernels.inverted_layout import Inverted, Jaccard, Lists, SharedCounts
from pmbf.kernels.reference_counts import shared_counts
from pmbf.kernels.reference_inverted import invert

__all__ = ["jaccard_join"]


def jaccard_join(
    lists: Lists, threshold: float, *, probes: Lists | None = None, inverted: Inverted | None = None
) -> SharedCounts:
    """Return all pairs of lists that are as similar as a threshold, and no other ones.

    Args:
        lists: At most 2^32 - 2 features in all.
        threshold: Least Jaccard index of a pair, in (0, 1]: shared features / features of either, as float64. A list
            without features is like no list.
        probes: Other lists, which are compared with each of `lists`; None: `lists` with each other.
        inverted: What `invert(lists)` returned; None: it is made.

    Returns:
        For each list i of `probes` the numbers of all lists that are like it, with the features that both have. If
        there are no probes, then for each list i only lists j > i: each pair is told once.

    Raises:
        ParameterError: An argument is malformed or damaged; a list does not ascend; the threshold is not in (0, 1].
    """
    inverted = invert(lists) if inverted is None else inverted
    require_join(lists, threshold, probes, inverted)
    asked = lists if probes is None else probes
    after = np.arange(len(lists), dtype=np.uint32) if probes is None else None
    return shared_counts(inverted, asked, after=after, jaccard=Jaccard(threshold, asked.sizes, lists.sizes))
