"""The forward lists of a run: those of new documents, and those of worn segments, in one new segment."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.similar.archive import KnownRows
from pmbf.alike.similar.changes import Changes
from pmbf.alike.similar.documents import Documents
from pmbf.alike.similar.known import KNOWN, Ids
from pmbf.alike.similar.rules import TableRules
from pmbf.alike.similar.segments import ChunkSegment, gathered, write_segment
from pmbf.jobs.executor import Executor
from pmbf.kernels import Lists
from pmbf.store.files import StoredFile

_DEAD_SHARE = 4
"""A segment is written anew if one chunk in 4 belongs to no document."""


@dataclass(frozen=True, slots=True, eq=False)
class ListedChunks:
    """The documents of a run with their lists.

    Args:
        archive: All documents whose text was read.
        segment: The new segment.
        worn: Serials of segments whose lists are in the new one.
        new: Ids of the documents that were read, in their order.
        unread: Why the text of a document could not be read, by id.
    """

    archive: KnownRows
    segment: StoredFile
    worn: list[int]
    new: Ids
    unread: dict[int, str]

    @property
    def has_lists(self) -> bool:
        """Whether the new segment has any."""
        return bool((self.archive.known["segment"] == self.segment.serial).any())


@dataclass(slots=True)
class Lister:
    """Reads the new documents of a collection.

    Args:
        documents: The collection.
        executor: Makes the holders that read.
        n_shards: How many.
        rules: With the bits of a chunk ID.
    """

    documents: Documents
    executor: Executor
    n_shards: int
    rules: TableRules
    _ids: list[int] = field(default_factory=list)
    _sizes: list[int] = field(default_factory=list)
    _unread: dict[int, str] = field(default_factory=dict)

    def listed(
        self, changed: Changes, files: Mapping[int, StoredFile], serial: int, on_read: Callable[[int, int], None]
    ) -> ListedChunks:
        """Write a segment, and return the documents of the run.

        Args:
            changed: Which documents are new, and which stay.
            files: The segments of those that stay, by serial.
            serial: Of the new segment.
            on_read: Called with the characters read, and how many there are.

        Raises:
            CorruptError: A worn segment is damaged.
            IncompleteError: A process died.
            OSError: The disk is full.
        """
        folder, identity = self.documents.folder, self.documents.identity
        known = changed.kept.copy()
        worn = worn_segments(files, known, sum(document.n_tokens for document in changed.added))
        moving = KnownRows(known[np.isin(known["segment"], worn)], files)
        segments = {number: ChunkSegment(folder, files[number], identity) for number in worn}
        moved = (segments[batch.file.serial].take(batch.places) for batch in moving.batches())
        segment = write_segment(folder, identity, serial, itertools.chain(moved, self._new(changed, on_read)))
        moving.known["segment"], moving.known["place"] = serial, np.arange(len(moving))
        stay = known[~np.isin(known["segment"], worn)]
        new = self._known(changed, serial, len(moving))
        archive = KnownRows(np.concatenate([stay, moving.known, new]), {**files, serial: segment}, changed.gone)
        return ListedChunks(archive, segment, worn, new["id"].copy(), self._unread)

    def _new(self, changed: Changes, on_read: Callable[[int, int], None]) -> Iterator[Lists]:
        n_chars, n_read = sum(document.n_chars for document in changed.added), 0
        found = self.documents.lists(self.executor, self.n_shards, changed.added, self.rules)
        for batch, lists, unread in found:
            is_read = np.array([document.id not in unread for document in batch], np.bool_)
            self._unread |= unread
            self._ids += [document.id for document in batch if document.id not in unread]
            self._sizes += lists.sizes[is_read].tolist()
            yield lists if is_read.all() else gathered(lists, np.flatnonzero(is_read))
            n_read += sum(document.n_chars for document in batch)
            on_read(n_read, n_chars)

    def _known(self, changed: Changes, serial: int, first: int) -> NDArray[np.void]:
        known = np.zeros(len(self._ids), KNOWN)
        known["id"], known["n_chunks"] = self._ids, self._sizes
        known["key"] = [changed.keys[id_] for id_ in self._ids]
        known["segment"], known["place"] = serial, np.arange(first, first + len(known))
        return known


def worn_segments(files: Mapping[int, StoredFile], known: NDArray[np.void], n_new: int) -> list[int]:
    """Return the serials of segments to be written anew: those with many dead lists, and small ones.

    The segments from some size down are small if together with what is new they are as large as the next larger one.
    So there are few segments, and a list is written again some log2(all lists / new lists) times.

    Args:
        files: All segments by serial.
        known: `KNOWN` rows of the documents that stay.
        n_new: Chunks of the new documents, about.
    """
    live = {serial: int(known["n_chunks"][known["segment"] == serial].sum()) for serial in files}
    dead = [serial for serial, file in files.items() if live[serial] * 4 * _DEAD_SHARE <= file.payload_bytes * 3]
    waiting, worn = n_new + sum(live[serial] for serial in dead), set(dead)
    for serial in sorted(files.keys() - worn, key=lambda one: live[one]):
        if live[serial] > waiting:
            break
        waiting += live[serial]
        worn.add(serial)
    return sorted(worn)
