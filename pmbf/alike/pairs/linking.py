"""From the features of texts to pairs and clusters.

    lists ─► in a band ─► equal lists once ─► pairs ─► clusters: stars around the texts that are kept

Texts with equal features are one text while pairs are found, and their pairs are told afterwards. A thousand equal
texts are half a million pairs. If there would be more than `MOST_PAIRS`, then each of them is a pair with the one that
stands for all.

A cluster is a star. The texts are taken in order of preference. A text that is a pair with one that is kept goes to
its cluster; any other is kept. So no text is dropped for a chain of texts that are alike two by two only.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.alike.pairs.by_features import by_features
from pmbf.alike.pairs.by_texts import HELD_FEATURES, by_texts
from pmbf.alike.pairs.plans import Joined, Joining, Numbers, pairs_block
from pmbf.alike.pairs.results import Links
from pmbf.alike.pairs.work import Work, work_folder
from pmbf.base.arrays import distinct
from pmbf.base.errors import ParameterError
from pmbf.kernels import Lists

Ranks = NDArray[np.int64]
Places = NDArray[np.int64]

MOST_PAIRS = 5_000_000
FEW_FEATURES = 1 << 22
"""Up to them this process is done before others have started: a second."""
KEEPS = ("first", "longest", "newest")


def ranks_of(keep: str, lengths: Sequence[int], times: Sequence[float] | None) -> Ranks:
    """Return the rank of each text: the lowest is kept. Of equal ones the first is preferred.

    Raises:
        ParameterError: `keep` is none of them, or there are no times for `newest`.

    >>> ranks_of("longest", [3, 9, 9], None).tolist()
    [2, 0, 1]
    """
    if keep not in KEEPS:
        raise ParameterError(f"keep is {keep!r}, expected {', '.join(KEEPS)}")
    values: Sequence[float] = [0] * len(lengths)
    if keep == "longest":
        values = lengths
    elif keep == "newest":
        if times is None or len(times) != len(lengths):
            n_times = 0 if times is None else len(times)
            raise ParameterError(f"keep is 'newest' with {n_times} times, expected times of {len(lengths)} texts")
        values = times
    order = np.argsort(-np.asarray(values, np.float64), kind="stable")
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def linked(lists: Lists, ranks: Ranks, how: Joining, work: Work | None = None) -> Links:
    """Return the pairs and clusters of some texts, of which those of lower rank are kept; raise what `joined` does."""
    stands_for = _stand_ins(lists, ranks)
    chosen = np.flatnonzero((stands_for == np.arange(len(lists))) & (lists.sizes > 0))
    found = joined(_some(lists, chosen), how, work)
    first, second = chosen[found.first], chosen[found.second]
    kept = _stars(first, second, ranks)[stands_for]
    ends, is_whole = _with_equal(first, second, found.shared, stands_for, lists.sizes)
    low, high = (one.astype(np.uint32) for one in (np.minimum(*ends[:2]), np.maximum(*ends[:2])))
    pairs = Joined.of([{"first": low, "second": high, "shared": ends[2]}], found.volume)
    return Links(pairs, lists.sizes, kept, is_whole)


def joined(lists: Lists, how: Joining, work: Work | None = None) -> Joined:
    """Return all pairs of texts whose Jaccard index reaches the threshold.

    Without a work folder, a plan uses a temporary one.

    Raises:
        ParameterError: The plan `term` would make more than `how.max_volume`.
        IncompleteError: A holder died; finished blocks are kept.

    >>> import numpy as np
    >>> lists = Lists.of([np.array(one, np.uint32) for one in ([1, 2, 3], [2, 3, 4], [9], [1, 2, 3, 4])])
    >>> [joined(lists, Joining(0.6, plan)).second.tolist() for plan in ("doc", "term")]
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


def _with_equal(
    first: Places, second: Places, shared: Numbers, stands_for: Places, sizes: Numbers
) -> tuple[tuple[Places, Places, Numbers], bool]:
    """Return the pairs of texts with those of the texts that others stand for, and whether all of them are there."""
    others = np.flatnonzero(stands_for != np.arange(len(stands_for)))
    if not len(others):
        return (first, second, shared), True
    weights = np.bincount(stands_for, minlength=len(stands_for)).astype(np.int64)
    n_pairs = int((weights[first] * weights[second]).sum() + (weights * (weights - 1) // 2).sum())
    if n_pairs > MOST_PAIRS:
        told = (np.append(first, others), np.append(second, stands_for[others]), np.append(shared, sizes[others]))
        return told, False
    groups: dict[int, list[int]] = {}
    for number in others.tolist():
        groups.setdefault(int(stands_for[number]), [int(stands_for[number])]).append(number)
    plain = (weights[first] == 1) & (weights[second] == 1)
    ends = [np.stack([first[plain], second[plain]])]
    counts = [shared[plain]]
    for a, b, both in zip(first[~plain].tolist(), second[~plain].tolist(), shared[~plain].tolist(), strict=True):
        ends.append(np.array(list(product(groups.get(a, [a]), groups.get(b, [b])))).T)
        counts.append(np.full(ends[-1].shape[1], both, np.uint32))
    for stand_in, group in groups.items():
        ends.append(np.array(group)[np.stack(np.triu_indices(len(group), 1))])
        counts.append(np.full(ends[-1].shape[1], sizes[stand_in], np.uint32))
    low, high = np.concatenate(ends, axis=1)
    return (low, high, np.concatenate(counts)), True


def _stand_ins(lists: Lists, ranks: Ranks) -> Places:
    """Return for each list the one of lowest rank among those that are equal to it; lists without features are not."""
    stands_for = np.arange(len(lists))
    best: dict[bytes, int] = {}
    for number in sorted(_suspects(lists), key=ranks.__getitem__):
        stands_for[number] = best.setdefault(lists[number].tobytes(), number)
    return stands_for


def _suspects(lists: Lists) -> list[int]:
    """Return the lists with features that may be equal to another one: as long, with the same at three places."""
    some, sizes = np.flatnonzero(lists.sizes), lists.sizes.astype(np.int64)
    firsts, lasts = lists.offsets[some].astype(np.int64), lists.offsets[some + 1].astype(np.int64) - 1
    told = [sizes[some], *(lists.features[at] for at in (firsts, (firsts + lasts) // 2, lasts))]
    order = np.lexsort(told)
    same = np.flatnonzero(np.all([one[order][1:] == one[order][:-1] for one in told], axis=0))
    return list(some[order[distinct(np.append(same, same + 1))]].tolist())


def _stars(first: Places, second: Places, ranks: Ranks) -> Places:
    """Return for each text the one that is kept in its place."""
    kept = np.arange(len(ranks))
    ends, others = np.append(first, second), np.append(second, first)
    order = np.lexsort((others, ends))
    ends, others = ends[order], others[order]
    begins = np.flatnonzero(np.append(True, ends[1:] != ends[:-1])[: len(ends)])
    nodes, stops = ends[begins], np.append(begins[1:], len(ends))
    taken = np.zeros(len(ranks), np.bool_)
    for place in np.argsort(ranks[nodes]).tolist():
        node = nodes[place]
        if not taken[node]:
            around = others[begins[place] : stops[place]]
            free = around[~taken[around]]
            kept[free], taken[free], taken[node] = node, True, True
    return kept


def _some(lists: Lists, numbers: Places) -> Lists:
    if len(numbers) == len(lists):
        return lists
    chosen = np.zeros(len(lists), np.bool_)
    chosen[numbers] = True
    sizes = lists.sizes.astype(np.int64)
    offsets = np.append(0, np.cumsum(sizes[chosen])).astype(np.uint64)
    return Lists(offsets, lists.features[np.repeat(chosen, sizes)])
