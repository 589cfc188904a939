"""The plan `doc`: each holder has the index of some texts, and every text probes every holder.

Text i is in block i mod n, so that all blocks have as much to do. Nothing but pairs is handed on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import numpy as np

from pmbf.jobs.executor import Executor, complete
from pmbf.kernels import Lists
from pmbf.pairs.holders import TextBlock
from pmbf.pairs.plans import How, Joined, Numbers, Run, pairs_block
from pmbf.pairs.work import Arrays, Work

HELD_FEATURES = 1 << 26
"""Most features of a holder: 256 MB of them, and as much of index."""
PROBING_FEATURES = 1 << 22
"""Features of the texts that probe together, about."""


def by_texts(lists: Lists, how: How, work: Work | None) -> Joined:
    """Return all pairs, as `pmbf.pairs.joining.joined`."""
    n_rows = len(lists.features) // PROBING_FEATURES + 1
    run = Run.of(lists, how, work, held_features=HELD_FEATURES, n_rows=n_rows)
    with closing(how.executor(how.jobs)) as executor:
        return Joined.of(part for turn in range(run.n_turns) for part in _turn(run, turn, executor))


def _turn(run: Run, turn: int, executor: Executor) -> Iterator[Arrays]:
    """Yield the finished blocks of what is held in one turn. Nothing is held if all of them are there."""
    started = False
    for number, start, stop in run.steps(turn):
        name = f"doc-{turn:04d}-{number:06d}"
        made = run.read(name)
        if made is None:
            if not started:
                executor.start(TextBlock, _blocks(run, turn))
                started = True
            asked = dict.fromkeys(range(run.how.jobs), (run.lists.part(start, stop), start))
            made = pairs_block(complete(executor.call("pairs", asked)), start)
            run.write(name, made)
        yield made


def _blocks(run: Run, turn: int) -> list[tuple[Lists, Numbers, Numbers, float]]:
    """Return what each holder of a turn is made of."""
    jobs, lists = run.how.jobs, run.lists
    step = run.n_turns * jobs
    some = [np.arange(turn * jobs + job, len(lists), step, dtype=np.uint32) for job in range(jobs)]
    return [(_chosen(lists, numbers), numbers, lists.sizes, run.how.threshold) for numbers in some]


def _chosen(lists: Lists, numbers: Numbers) -> Lists:
    return lists if len(numbers) == len(lists) else Lists.of([lists[number] for number in numbers.tolist()])
