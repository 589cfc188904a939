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
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from pmbf import kernels
from pmbf.alike.pairs.plans import Joined, Joining, PlanRun, consecutive, pairs_block
from pmbf.alike.pairs.work import Arrays, Work
from pmbf.jobs.executor import Executor, complete
from pmbf.kernels import Inverted, Jaccard, Lists, SharedCounts

HELD_FEATURES = 1 << 26
"""Features of a block of the index, about: 1 GB of index at most."""
PROBING_FEATURES = 1 << 22
"""Features of the texts that probe together, about."""

Kept = TypeVar("Kept", Lists, Inverted)


def by_texts(lists: Lists, how: Joining, work: Work) -> Joined:
    """Return all pairs, as `pmbf.alike.pairs.linking.joined`."""
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


class TextShare:
    """A holder's share of the texts: each `n_shares`-th one. `folder` has what `keep_arrays` wrote."""

    def __init__(self, folder: Path, share: int, n_shares: int, threshold: float) -> None:
        self._lists, self._inverted = _mapped(folder, Lists), _mapped(folder, Inverted)
        self._sizes, self._share, self._n_shares, self._threshold = self._lists.sizes, share, n_shares, threshold

    def pairs(self, start: int, stop: int) -> SharedCounts:
        """Return which later texts of the block the own ones of some consecutive texts are pairs with."""
        own = np.arange(start + self._share, stop, self._n_shares, dtype=np.uint32)
        lists = Lists.of([self._lists[number] for number in own.tolist()])
        jaccard = Jaccard(self._threshold, lists.sizes, self._sizes)
        return kernels.shared_counts(self._inverted, lists, after=own, jaccard=jaccard)


def keep_arrays(folder: Path, kept: Lists | Inverted) -> None:
    """Write lists or an index to a folder, a file for each array or number."""
    for one in fields(kept):
        np.save(_path(folder, type(kept), one.name), getattr(kept, one.name))


def _mapped(folder: Path, kind: type[Kept]) -> Kept:
    """Return what `keep_arrays` wrote. Its arrays are in memory once, for all processes that map them."""
    arrays = [np.asarray(np.load(_path(folder, kind, one.name), mmap_mode="r")) for one in fields(kind)]
    kept: list[Any] = [array if array.ndim else array.item() for array in arrays]
    return kind(*kept)


def _path(folder: Path, kind: type[Lists] | type[Inverted], name: str) -> Path:
    return folder / f"{kind.__name__}-{name}.npy".lower()
