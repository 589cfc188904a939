"""The plan `doc`: each holder has a share of the texts, and its texts probe one block of the index after another.

    texts 0, n, 2n, …        ─► pairs ─┐
    texts 1, n + 1, 2n + 1 … ─► pairs ─┴─► the work folder         for each block of the index, of consecutive texts

This process inverts a block once and writes it to a file, which all holders map: a block is in memory once, and each
text is looked up in it once, whatever the number of holders. A text probes for later texts alone, so texts behind a
block do not probe it. Nothing but pairs is handed on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path

import numpy as np

from pmbf import kernels
from pmbf.alike.pairs.holders import TextShare, keep_arrays
from pmbf.alike.pairs.plans import How, Joined, PlanRun, consecutive, pairs_block
from pmbf.alike.pairs.work import Arrays, Work
from pmbf.jobs.executor import Executor, complete
from pmbf.kernels import Lists

HELD_FEATURES = 1 << 26
"""Features of a block of the index, about: 1 GB of index at most."""
PROBING_FEATURES = 1 << 22
"""Features of the texts that probe together, about."""


def by_texts(lists: Lists, how: How, work: Work) -> Joined:
    """Return all pairs, as `pmbf.alike.pairs.joining.joined`."""
    n_rows = len(lists.features) // PROBING_FEATURES + 1
    run = PlanRun.of(lists, how, work, held_features=HELD_FEATURES, n_rows=n_rows)
    blocks = consecutive(lists, run.n_turns)
    with work.mapped_folder() as folder, closing(how.executor(how.jobs)) as executor:
        turns = (_turn(run, turn, block, folder, executor) for turn, block in enumerate(blocks))
        return Joined.of(chain.from_iterable(turns))


def _turn(run: PlanRun, turn: int, block: tuple[int, int], folder: Path, executor: Executor) -> Iterator[Arrays]:
    """Yield the pairs whose second text is in a block of the index. It is not made if all of them are there."""
    jobs, started = run.how.jobs, False
    for number, start, stop in run.steps(turn):
        if start >= block[1]:
            continue
        name = f"doc-{turn:04d}-{number:06d}"
        made = run.read(name)
        if made is None:
            if not started:
                executor.close()  # nobody maps the files that are replaced
                keep_arrays(folder, run.lists)
                keep_arrays(folder, kernels.invert(run.lists.part(*block), np.arange(*block, dtype=np.uint32)))
                executor.start(TextShare, [(folder, job, jobs, run.how.threshold) for job in range(jobs)])
                started = True
            asked = dict.fromkeys(range(jobs), (start, min(stop, block[1])))
            made = pairs_block(complete(executor.call("pairs", asked)), start)
            run.write(name, made)
        yield made
