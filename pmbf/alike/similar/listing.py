"""What changed in a collection, and the forward lists of a run: those of new documents and of worn segments.

A document is known by its id and its contents together: ids are used again. So a modified document is one that was
removed and one that was added, whatever their ids are.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.similar.documents import Documents
from pmbf.alike.similar.known import KNOWN, Ids, KnownRows
from pmbf.alike.similar.rules import TableRules
from pmbf.alike.similar.segments import ChunkSegment, gathered, write_segment
from pmbf.jobs.executor import Executor
from pmbf.kernels import Lists
from pmbf.store.catalog_tables import Document, contents_key
from pmbf.store.files import StoredFile

_DEAD_SHARE = 4
"""A segment is written anew if one chunk in 4 belongs to no document."""


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """What differs between a collection and the table.

    Added documents have their keys by id; `gone` and `kept` are `KNOWN` rows of the table; `incomplete` says by id what
    was not read of documents of the collection.
    """

    added: list[Document]
    keys: dict[int, int]
    gone: NDArray[np.void]
    kept: NDArray[np.void]
    incomplete: dict[int, str]

    def __bool__(self) -> bool:
        return bool(self.added) or len(self.gone) > 0


def changes(documents: Documents, known: NDArray[np.void]) -> Changes:
    """Return what differs between a collection and its table: `KNOWN` rows by ascending id."""
    live = documents.live()
    keys = {document.id: contents_key(document) for document in live}
    before = dict(zip(known["id"].tolist(), known["key"].tolist(), strict=True))
    is_kept = np.array([keys.get(id_) == key for id_, key in before.items()], np.bool_)
    incomplete = {document.id: document.problems for document in live if document.problems}
    added = [document for document in live if before.get(document.id) != keys[document.id]]
    return Changes(added, {one.id: keys[one.id] for one in added}, known[~is_kept], known[is_kept], incomplete)


@dataclass(frozen=True, slots=True, eq=False)
class ListedChunks:
    """The documents of a run whose text was read, with their lists, in old segments and a new one.

    `worn` are the serials of segments whose lists are in the new one, `new` the ids of the documents that were read, in
    their order, `unread` says by id why a text could not be read.
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
    """Reads the new documents of a collection, by `n_shards` holders of an executor."""

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
        """Write the segment of that serial, and return the documents of the run.

        `files` are the segments of those that stay. Raises `CorruptError` if a worn segment is damaged,
        `IncompleteError` if a process died.
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

    The segments from some size down are small if together with what is new, `n_new` chunks, they are as large as the
    next larger one. So there are few segments, and a list is written again some log2(all lists / new lists) times.
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
