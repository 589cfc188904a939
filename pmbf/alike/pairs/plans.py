"""What the two plans have in common: how pairs are asked for, and what comes of them.

    doc     each holder has a share of the texts, which probe the same index     by_texts.py
    term    each holder has a range of features; partial counts are summed       by_features.py

Both give the same pairs exactly, on any executor. A plan does its work in blocks of consecutive texts. Each finished
block is written to the work folder, so that a run that was killed makes the others only.

Source: Zhang, Yu, Zhang & Huang, sections 2.2 to 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.pairs.work import Arrays, Work
from pmbf.base.errors import ParameterError
from pmbf.jobs.executor import Executor, local
from pmbf.kernels import Lists, SharedCounts

PLANS = ("doc", "term")
MOST_VOLUME = 10 << 30

Numbers = NDArray[np.uint32]
Advance = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class Joining:
    """How pairs are found.

    Args:
        threshold: Least Jaccard index of a pair, in (0, 1].
        plan: `doc` or `term`.
        jobs: Holders, at least 1; one is this process.
        max_volume: Bytes above which the plan `term` is refused, counted before they are summed.
        executor: Returns an executor for a number of holders.
        advance: Called while pairs are found.

    Raises:
        ParameterError: A value is outside its range.
    """

    threshold: float = 0.5
    plan: str = "doc"
    jobs: int = 1
    max_volume: int = MOST_VOLUME
    executor: Callable[[int], Executor] = local
    advance: Advance = field(default=lambda what, done, total: None)

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            raise ParameterError(f"threshold is {self.threshold!r}, expected a number above 0, at most 1")
        if self.plan not in PLANS:
            raise ParameterError(f"plan is {self.plan!r}, expected {' or '.join(PLANS)}")
        if self.jobs < 1:
            raise ParameterError(f"jobs is {self.jobs}, expected at least 1")


@dataclass(frozen=True, slots=True)
class HandedOn:
    """Bytes that the plan `term` handed on: `raw` are 12 for each feature that two texts share, without any summing."""

    raw: int = 0
    summed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """All pairs of a set, by their first text, then by their second.

    Args:
        first, second: `(n,) uint32`, the texts of each pair, first < second.
        shared: `(n,) uint32`, the features that both have.
        volume: Of the plan `term`.
    """

    first: Numbers
    second: Numbers
    shared: Numbers
    volume: HandedOn = field(default_factory=HandedOn)

    @classmethod
    def of(cls, parts: Iterable[Arrays], volume: HandedOn | None = None) -> Joined:
        """Return the pairs of some finished blocks."""
        made = list(parts)
        first, second, shared = (_joined([part[name] for part in made]) for name in ("first", "second", "shared"))
        order = np.argsort(first.astype(np.uint64) << np.uint64(32) | second)
        return cls(first[order], second[order], shared[order], volume or HandedOn())


def pairs_block(many: Sequence[SharedCounts], start: int) -> Arrays:
    """Return counts of consecutive texts from `start` on as a finished block.

    The texts are dealt to n counts: list i of counts j is of text start + i · n + j.
    """
    return {
        "first": _joined([one.lists() * np.uint32(len(many)) + np.uint32(start + j) for j, one in enumerate(many)]),
        "second": _joined([one.documents for one in many]),
        "shared": _joined([one.counts for one in many]),
    }


def consecutive(lists: Lists, n_blocks: int) -> list[tuple[int, int]]:
    """Return where blocks of consecutive texts start and stop: about `n_blocks` of equally many features.

    >>> consecutive(Lists.of([np.arange(3, dtype=np.uint32)] * 4), 2)
    [(0, 2), (2, 4)]
    """
    wanted = np.linspace(0, float(lists.offsets[-1]), n_blocks + 1)[1:-1]
    cuts = sorted({0, len(lists), *np.searchsorted(lists.offsets, wanted).tolist()})
    return list(pairwise(cuts))


@dataclass(frozen=True, slots=True, eq=False)
class PlanRun:
    """A plan at work.

    Args:
        lists: The features of each text.
        how: Joining pairs are found.
        n_turns: In each turn the holders hold another part of the index; one turn if their memory is enough.
        rows: The blocks of consecutive texts, from start to stop.
        work: Where finished blocks are kept.
        key: What finished blocks are of.
    """

    lists: Lists
    how: Joining
    n_turns: int
    rows: Sequence[tuple[int, int]]
    work: Work
    key: str

    @classmethod
    def of(cls, lists: Lists, how: Joining, work: Work, *, held_features: int, n_rows: int) -> PlanRun:
        """Return a run whose holders hold `held_features` together, and whose texts are cut into some `n_rows`."""
        n_turns = max(1, -(-len(lists.features) // held_features))
        rows = consecutive(lists, n_rows)
        key = _key(lists, how, n_turns, len(rows))
        return cls(lists, how, n_turns, rows, work, key)

    def read(self, name: str) -> Arrays | None:
        return self.work.read(name, self.key)

    def write(self, name: str, arrays: Arrays) -> None:
        self.work.write(name, self.key, arrays)

    def steps(self, turn: int) -> Iterator[tuple[int, int, int]]:
        """Yield the number, start and stop of each block of texts, and tell how much is done."""
        for number, (start, stop) in enumerate(self.rows):
            self.how.advance("Comparing", turn * len(self.rows) + number, self.n_turns * len(self.rows))
            yield number, start, stop


def _key(lists: Lists, how: Joining, *layout: int) -> str:
    digest = sha256(repr((how.plan, how.threshold, how.jobs, layout)).encode())
    for array in (lists.offsets, lists.features):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _joined(arrays: Sequence[Numbers]) -> Numbers:
    return np.concatenate([np.empty(0, np.uint32), *arrays])
