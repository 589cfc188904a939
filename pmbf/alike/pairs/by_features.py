"""The plan `term`: each holder has a range of features, and the counts of all ranges are summed.

    range 0 ─► partial counts ─┐
    range 1 ─► partial counts ─┼─► the work folder ─► summed ─► pairs         for each block of consecutive texts
    range 2 ─► partial counts ─┘

The paper writes a pair for each feature that two texts share: n(n - 1)/2 pairs for a feature of n texts, four times as
many when the set doubles. Here a range sums its counts before it hands them on. How many pairs there are without sums
is known from the frequencies alone, so that a run that would fill the disk is refused before it begins.
"""

from __future__ import annotations

from contextlib import closing

import numpy as np

from pmbf import kernels
from pmbf.alike.pairs.bands import frequencies_of
from pmbf.alike.pairs.plans import HandedOn, Joined, Joining, PlanRun, pairs_block
from pmbf.alike.pairs.work import Arrays, Work
from pmbf.base.errors import CorruptError, ParameterError
from pmbf.jobs.executor import Executor, complete
from pmbf.kernels import Jaccard, Lists, SharedCounts, cut_lists

PAIR_BYTES = 12
"""Of a pair and a count where nothing is summed: two numbers of texts and a count."""
HELD_FEATURES = 1 << 25
"""Most features of a holder: 128 MB of them, and twice as much of index."""
PROBING_FEATURES = 1 << 22
BLOCK_BYTES = 1 << 28
"""Raw bytes of a block of texts, about. Summed they are a tenth of that, and are in memory."""


def by_features(lists: Lists, how: Joining, work: Work) -> Joined:
    """Return all pairs, as `pmbf.alike.pairs.linking.joined`."""
    raw = raw_bytes(lists)
    if raw > how.max_volume:
        raise ParameterError(
            f"plan is 'term', which would make {raw:,} bytes of partial counts before they are summed, expected "
            f"at most {how.max_volume:,}; raise max_volume, or take the plan 'doc', which "
            "makes none"
        )
    n_rows = max(raw // BLOCK_BYTES, len(lists.features) // PROBING_FEATURES) + 1
    run = PlanRun.of(lists, how, work, held_features=how.jobs * HELD_FEATURES, n_rows=n_rows)
    missing = {number for number in range(len(run.rows)) if run.read(_whole(number)) is None}
    if missing:
        with closing(how.executor(how.jobs)) as executor:
            for turn in range(run.n_turns):
                _count(run, turn, executor, missing)
    parts = [_summed(run, work, number) for number in range(len(run.rows))]
    return Joined.of(parts, HandedOn(raw, sum(int(part["bytes"][0]) for part in parts)))


def raw_bytes(lists: Lists) -> int:
    """Return how much is handed on without sums: `PAIR_BYTES` · n(n - 1)/2 for each feature of n texts.

    >>> raw_bytes(Lists.of([np.array([7], np.uint32)] * 3))
    36
    """
    counts = frequencies_of(lists)[1].astype(np.uint64)
    return PAIR_BYTES * int((counts * (counts - np.minimum(counts, 1)) // 2).sum())


def _count(run: PlanRun, turn: int, executor: Executor, missing: set[int]) -> None:
    """Write the partial counts of the ranges that are held in one turn, for the blocks of texts that are missing."""
    jobs, started = run.how.jobs, False
    for number, start, stop in run.steps(turn):
        names = [_part(turn * jobs + job, number) for job in range(jobs)]
        if number not in missing or all(run.read(name) is not None for name in names):
            continue
        if not started:
            ranges = cut_lists(run.lists, run.n_turns * jobs)[turn * jobs : (turn + 1) * jobs]
            executor.start(FeatureRange, [(one,) for one in ranges])
            started = True
        answers = complete(executor.call("counts", dict.fromkeys(range(jobs), (start, stop))))
        for name, counts in zip(names, answers, strict=True):
            run.write(name, _stored(counts))


class FeatureRange:
    """All texts, each with its features of one range."""

    def __init__(self, lists: Lists) -> None:
        self._inverted, self._lists = kernels.invert(lists), lists

    def counts(self, start: int, stop: int) -> SharedCounts:
        """Return how many features of the range consecutive texts share with each later text."""
        after = np.arange(start, stop, dtype=np.uint32)
        return kernels.shared_counts(self._inverted, self._lists.part(start, stop), after=after)


def _summed(run: PlanRun, work: Work, number: int) -> Arrays:
    """Return the pairs of a block of texts; the partial counts of all ranges are summed, and removed."""
    made = run.read(_whole(number))
    names = [_part(one, number) for one in range(run.n_turns * run.how.jobs)]
    if made is None:
        stored = [run.read(name) for name in names]
        if None in stored:
            raise CorruptError(f"{work.folder}: lost a block while the run went on; run it again")
        parts = [part for part in stored if part is not None]
        start, stop = run.rows[number]
        sizes = run.lists.sizes
        jaccard = Jaccard(run.how.threshold, sizes[start:stop], sizes)
        made = pairs_block([kernels.merge_counts([_counts(part) for part in parts], jaccard=jaccard)], start)
        n_bytes = sum(array.nbytes for part in parts for array in part.values())
        made["bytes"] = np.array([n_bytes], np.uint64)
        run.write(_whole(number), made)
    for name in names:  # also those that a killed run left
        work.remove(name)
    return made


def _stored(counts: SharedCounts) -> Arrays:
    """Return counts in as few bytes as their largest number allows."""
    most = int(counts.counts.max()) if counts.n_pairs else 0
    narrow = np.uint8 if most < 1 << 8 else np.uint16 if most < 1 << 16 else np.uint32
    sizes = np.diff(counts.offsets).astype(np.uint32)
    return {"sizes": sizes, "documents": counts.documents, "counts": counts.counts.astype(narrow)}


def _counts(stored: Arrays) -> SharedCounts:
    offsets = np.append(np.uint64(0), np.cumsum(stored["sizes"], dtype=np.uint64))
    return SharedCounts(offsets, stored["documents"], stored["counts"].astype(np.uint32))


def _part(feature_range: int, number: int) -> str:
    return f"term-{feature_range:04d}-{number:06d}"


def _whole(number: int) -> str:
    return f"term-pairs-{number:06d}"
