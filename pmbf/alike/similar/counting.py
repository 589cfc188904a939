"""Who shares how many chunks with whom: ranges of chunk IDs, each with a holder, and the coordinator's side.

    lists ─cut to the range, without common chunks─► Inverted ◄─probed by─ lists of any documents ─► partial counts

The similarity of two documents is a sum over all ranges. So counts of one range are never cut to the highest.

If all rows are wanted, then all documents are held: each pair is told once and offered to both rows. Otherwise some
documents are held, the *targets*, and all lists pass by them. So the rows of the targets come out whole, and the other
documents are told what they share with new ones. Nothing but forward lists is kept from run to run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.alike.sharing import Highest, Ranked
from pmbf.alike.similar.known import Ids, KnownRows
from pmbf.alike.similar.rules import TableRules
from pmbf.alike.similar.segments import ChunkSegment, ListBatch
from pmbf.base.arrays import distinct
from pmbf.jobs.executor import Executor, complete
from pmbf.kernels import Inverted, Lists, SharedCounts
from pmbf.store.files import Identity

Numbers = NDArray[np.uint32]
OnCounted = Callable[[int, int], None]
TARGETS = 8192
"""Targets that are held at once. More of them are held one part after the other."""
_PENDING = 4_000_000
"""Pairs that wait to be sorted by target."""


class Range:
    """A holder of one range of chunk IDs, of `n_ranges`. The folder is the collection's, or has the same segments."""

    def __init__(self, folder: Path, identity: Identity, bits: int, number: int, n_ranges: int) -> None:
        self._folder, self._identity = folder, identity
        self._first, stop = (-(-one * 2**bits // n_ranges) for one in (number, number + 1))
        self._width = stop - self._first
        self._is_all = n_ranges == 1
        self._segments: dict[int, ChunkSegment] = {}
        self._index: Inverted | None = None

    def common(self, batches: Sequence[ListBatch], n_documents: int) -> Numbers:
        """Return the chunks of the range that more than `n_documents` documents have, ascending."""
        ordered = np.concatenate([np.empty(0, np.uint32), *(self._cut(one).features for one in batches)])
        ordered.sort()
        n = max(0, len(ordered) - n_documents)
        return distinct(ordered[:n][ordered[:n] == ordered[len(ordered) - n :]])

    def hold(self, batches: Sequence[ListBatch], common: Numbers) -> list[Numbers]:
        """Invert the lists of documents, whose numbers ascend through all batches, in place of those held before.

        Returns for each batch how many chunks of the range each of its documents has, common ones left out.
        """
        self._index = None
        lists = [kernels.drop_features(self._cut(one), common) for one in batches]
        documents = np.concatenate([np.empty(0, np.uint32), *(one.documents for one in batches)])
        self._index = kernels.invert(kernels.join_lists(lists), documents)
        return [one.sizes for one in lists]

    def count(self, batch: ListBatch, min_shared: int, once: bool) -> SharedCounts:
        """Return which documents held share how many chunks of the range with each list of a batch.

        With `once` only documents above the list's own number are told: each pair once.
        """
        assert self._index is not None, "documents are held before lists are counted"
        after = batch.documents if once else None
        return kernels.shared_counts(self._index, self._lists(batch), min_shared=min_shared, after=after)

    def _lists(self, batch: ListBatch) -> Lists:
        serial = batch.file.serial
        if serial not in self._segments:
            self._segments[serial] = ChunkSegment(self._folder, batch.file, self._identity)
        return self._segments[serial].take(batch.places)

    def _cut(self, batch: ListBatch) -> Lists:
        lists = self._lists(batch)
        return lists if self._is_all else within(lists, self._first, self._width)


def within(lists: Lists, first: int, width: int) -> Lists:
    """Return the lists with their features from `first` on, below `first + width`.

    >>> within(Lists.of([np.array([1, 5, 9], np.uint32)]), 4, 5).features.tolist()
    [5]
    """
    inside = lists.features - np.uint32(first) < width
    n_before = np.zeros(len(inside) + 1, np.uint64)
    np.cumsum(inside, out=n_before[1:])
    return Lists(n_before[lists.offsets], lists.features[inside])


class Ranges:
    """All ranges of chunk IDs, each with a holder that the executor makes; it makes nothing else from now on."""

    def __init__(self, executor: Executor, n_ranges: int, folder: Path, identity: Identity, rules: TableRules) -> None:
        self._executor, self._n_ranges, self._rules = executor, n_ranges, rules
        executor.start(Range, [(folder, identity, rules.bits, number, n_ranges) for number in range(n_ranges)])

    def common(self, batches: Sequence[ListBatch]) -> Numbers:
        """Return the chunks that more documents have than the rules allow, ascending."""
        found = self._asked("common", batches, self._rules.common)
        return np.concatenate([np.empty(0, np.uint32), *found])

    def hold(self, batches: Sequence[ListBatch], common: Numbers) -> Ids:
        """Hold documents; return how many chunks of each count, for the documents of all batches in order."""
        counted = self._asked("hold", batches, common)
        sizes = [np.concatenate([np.empty(0, np.uint32), *one]).astype(np.int64) for one in counted]
        return np.asarray(np.sum(sizes, axis=0, dtype=np.int64))

    def counts(self, batches: Sequence[ListBatch], *, once: bool) -> Iterator[tuple[ListBatch, SharedCounts]]:
        """Yield batches with the documents held that share enough chunks with each list.

        The holders count the next batch while the caller looks at this one.
        """
        least = self._rules.min_shared if self._n_ranges == 1 else 1
        with ThreadPoolExecutor(1) as ahead:
            asked = [ahead.submit(self._asked, "count", batch, least, once) for batch in batches[:1]]
            for number, batch in enumerate(batches):
                answers = asked.pop().result()
                if number + 1 < len(batches):
                    asked.append(ahead.submit(self._asked, "count", batches[number + 1], least, once))
                yield batch, self._summed(answers)

    def _summed(self, answers: list[SharedCounts]) -> SharedCounts:
        return answers[0] if len(answers) == 1 else kernels.merge_counts(answers, min_shared=self._rules.min_shared)

    def _asked(self, method: str, *arguments: Any) -> list[Any]:
        return complete(self._executor.call(method, dict.fromkeys(range(self._n_ranges), arguments)))


class Entries:
    """Pairs of a list's document and a target, by number, and the chunks they share: parts of these three columns."""

    def __init__(self) -> None:
        self.parts: list[tuple[Numbers, Numbers, Numbers]] = []
        self.n_pairs = 0

    def add(self, documents: Numbers, targets: Numbers, shared: Numbers) -> None:
        """Append pairs."""
        self.parts.append((documents, targets, shared))
        self.n_pairs += len(shared)

    def joined(self) -> list[Numbers]:
        """Return the three columns of all pairs."""
        return [np.concatenate(column) for column in zip([np.empty(0, np.uint32)] * 3, *self.parts, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """The documents that others pass by.

    Args:
        numbers: Ascending: new documents, other documents whose rows are computed, and documents that left.
        is_new: `(n_documents,) bool`, whether a document is new.
        least: `(n_documents,) int64`, fewest shared chunks that a document is told of; a target is told of none.
    """

    numbers: Ids
    is_new: NDArray[np.bool_]
    least: Ids

    def parts(self) -> list[Ids]:
        """Return the targets in parts that are held at once."""
        return np.array_split(self.numbers, -(-len(self.numbers) // TARGETS)) if len(self.numbers) else []


@dataclass(slots=True)
class Found:
    """What passing by the targets has found.

    Args:
        told: Pairs of a document that is no target, and a new one.
        n_more: `(n_documents,) int64`, for each document how many new ones are similar, less those that left.
        rows: The rows of the targets, in parts; a document that left has none.
        n_counted: How many chunks of each target count.
    """

    told: Entries
    n_more: Ids
    rows: list[Ranked] = field(default_factory=list)
    n_counted: list[Ids] = field(default_factory=list)


def pass_by(
    ranges: Ranges, archive: KnownRows, rules: TableRules, targets: Targets, common: Numbers, on_counted: OnCounted
) -> Found:
    """Let the lists of all documents pass by the targets, which the ranges hold part by part."""
    parts, batches, n = targets.parts(), archive.batches(), len(archive)
    found = Found(Entries(), np.zeros(n, np.int64))
    for number, part in enumerate(parts):
        found.n_counted.append(ranges.hold(archive.batches(part), common))
        highest, pending = Highest(len(part), rules.keep, archive.ranks), Entries()
        row_of = np.zeros(archive.n_all, np.uint32)
        row_of[part] = np.arange(len(part), dtype=np.uint32)
        for batch, counts in ranges.counts(batches, once=False):
            documents, others, shared = _pairs(batch, counts)
            _tell(found, targets, documents, others, shared)
            stay = others < n
            pending.add(documents[stay], row_of[others[stay]], shared[stay])
            if pending.n_pairs > _PENDING:
                pending = _offered(highest, pending)
            on_counted(number * n + int(batch.documents[-1]) + 1, len(parts) * n)
        _offered(highest, pending)
        found.rows.append(highest.ranked())
    return found


def _tell(found: Found, targets: Targets, documents: Numbers, others: Numbers, shared: Numbers) -> None:
    """Note of pairs what documents are told, and how many similar ones each gains and loses."""
    n = len(found.n_more)
    has_left = others >= n
    is_new = ~has_left
    is_new[is_new] = targets.is_new[others[is_new]]
    found.n_more += np.bincount(documents[is_new], minlength=n)
    found.n_more -= np.bincount(documents[has_left], minlength=n)
    told = is_new & (shared >= targets.least[documents])
    found.told.add(documents[told], others[told], shared[told])


def _pairs(batch: ListBatch, counts: SharedCounts) -> tuple[Numbers, Numbers, Numbers]:
    """Return the document of the list, the other document and their shared chunks of each pair of two documents."""
    documents = batch.documents[counts.lists()]
    pairs = np.flatnonzero(documents != counts.documents)
    return documents[pairs], counts.documents[pairs], counts.counts[pairs]


def _offered(rows: Highest, pending: Entries) -> Entries:
    documents, targets, shared = pending.joined()
    rows.add_pairs(targets, documents, shared)
    return Entries()
