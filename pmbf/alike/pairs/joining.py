"""All pairs of a set: by one of the two plans, or in a single call if the set is held by this process anyway."""

from __future__ import annotations

from pmbf import kernels
from pmbf.alike.pairs.by_features import by_features
from pmbf.alike.pairs.by_texts import HELD_FEATURES, by_texts
from pmbf.alike.pairs.plans import How, Joined, pairs_block
from pmbf.alike.pairs.work import Work, work_folder
from pmbf.kernels import Lists

FEW_FEATURES = 1 << 22
"""Up to them this process is done before others have started: a second."""


def joined(lists: Lists, how: How, work: Work | None = None) -> Joined:
    """Return all pairs of texts whose Jaccard index reaches the threshold.

    Args:
        lists: The features of each text.
        how: The plan.
        work: Where finished blocks are kept. Without one, a plan uses a temporary folder.

    Raises:
        ParameterError: The plan `term` would make more than `how.max_volume`.
        IncompleteError: A holder died; finished blocks are kept.
        OSError: The disk is full, or the work folder cannot be written.

    >>> import numpy as np
    >>> lists = Lists.of([np.array(one, np.uint32) for one in ([1, 2, 3], [2, 3, 4], [9], [1, 2, 3, 4])])
    >>> [joined(lists, How(0.6, plan)).second.tolist() for plan in ("doc", "term")]
    [[3, 3], [3, 3]]
    """
    most = HELD_FEATURES if how.jobs == 1 else FEW_FEATURES
    if how.plan == "doc" and not work and len(lists.features) <= most:
        how.advance("Comparing", 0, 1)
        return Joined.of([pairs_block([kernels.jaccard_join(lists, how.threshold)], 0)])
    by_plan = by_texts if how.plan == "doc" else by_features
    if work:
        return by_plan(lists, how, work)
    with work_folder(None) as temporary:
        return by_plan(lists, how, temporary)
