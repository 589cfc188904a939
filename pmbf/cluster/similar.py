"""The documents of a cluster's collection for `alike.similar`: each node makes the lists of chunks of its own volumes.

The table lies in `similar/` in the depot's folder, as it lies beside the files of a collection in one folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Self

from pmbf import kernels
from pmbf.alike.similar.documents import ListsRead, batches
from pmbf.alike.similar.rules import TableRules
from pmbf.base.errors import IncompleteError, NotFoundError, UnsupportedError
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.spread import Spread, SpreadCatalog
from pmbf.cluster.texts import SpreadTexts
from pmbf.jobs.executor import Executor
from pmbf.store.catalog_tables import BINARY_KIND, Document
from pmbf.store.files import Identity
from pmbf.store.listing import Entry

_VOLUMES_TOGETHER = 16
"""Volumes of which a batch is asked for at the same time: so many lists are in memory."""


class SpreadDocuments:
    """The documents of the last generation of a cluster's collection; see `pmbf.alike.similar.documents.Documents`.

    `UnsupportedError`: the depot is no folder, and has no place for the table. `IncompleteError` of a method: no node
    can read some volumes, whose documents would seem to be gone.
    """

    def __init__(self, collection: ClusterCollection) -> None:
        if collection.address.startswith("s3://"):
            raise UnsupportedError(
                f"{collection.address}: an object store has no place for similarities; it takes a depot in a folder"
            )
        self.collection = collection
        self.folder, self.asked_with = collection.path, f"-c {collection.path}"

    def __enter__(self) -> Self:
        if not self.collection.is_last():
            self.collection.refresh()
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    @property
    def identity(self) -> Identity:
        return Identity(bytes.fromhex(self.collection.id), self.collection.params.digest())

    def n_chars(self) -> float:
        return sum(one.n_hashes for one in self.collection.manifest.volumes) / self.collection.params.density

    def live(self) -> list[Document]:
        archive = self.collection.archive()
        rows = [row for row, _ in archive.entries() if row.kind != BINARY_KIND]
        self._require(archive.problems)
        return rows

    def entries(self, ids: Iterable[int]) -> dict[int, Entry]:
        archive = self.collection.archive()
        found = {entry[0].id: entry for entry in archive.some_entries(list(ids))}
        self._require(archive.problems)
        return found

    def find(self, what: int | str | os.PathLike[str]) -> int:
        if isinstance(what, int):
            found = list(self.entries([what]))
        else:
            spread, forms = self._spread(), (os.fspath(what), os.path.abspath(what))
            listed = SpreadCatalog(spread).some_paths(forms)
            self._require(SpreadTexts(spread).problems)
            found = [listed[form].document for form in forms if form in listed]
        if not found:
            raise NotFoundError(f"{self.folder}: has no document {what!r}; see `pmbf list {self.asked_with}`")
        return found[0]

    def lists(self, executor: Executor, n_shards: int, documents: Sequence[Document], rules: TableRules) -> ListsRead:
        """Yield documents with their lists: the nodes make them, and the executor does nothing."""
        spread = self._spread()
        volume_of = self.collection.manifest.volume_of
        of_volumes = [list(some) for _, some in groupby(documents, lambda one: volume_of(one.id).offset)]
        for first in range(0, len(of_volumes), _VOLUMES_TOGETHER):
            waiting = [list(batches(some)) for some in of_volumes[first : first + _VOLUMES_TOGETHER]]
            for turn in range(max(map(len, waiting))):
                yield from _lists(spread, [some[turn] for some in waiting if turn < len(some)], rules)

    def _spread(self) -> Spread:
        return Spread(self.collection.nodes, self.collection.manifest)

    def _require(self, problems: Sequence[str]) -> None:
        if problems:
            raise IncompleteError(f"{self.folder}: {problems[0]}")


def _lists(spread: Spread, some: Sequence[Sequence[Document]], rules: TableRules) -> ListsRead:
    """Yield the lists of a batch of each of several volumes, which the nodes make at the same time."""
    rows = {row.id: row for batch in some for row in batch}
    volumes = spread.having(batch[0].id for batch in some)
    missing = dict(rows)
    asked = (list(rows), rules.n_words, rules.bits)
    for parts in spread.ask("chunks", asked, volumes, size=len(rows)):
        for ids, lists, unread in parts:
            yield [missing.pop(id_) for id_ in ids], lists, unread
    if missing:
        reasons = {id_: spread.unread[spread.manifest.volume_of(id_).name] for id_ in missing}
        nothing = kernels.chunk_lists([b""] * len(missing), n_words=rules.n_words, bits=rules.bits)
        yield list(missing.values()), nothing, reasons
