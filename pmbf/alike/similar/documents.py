"""The documents of a collection and the lists of their chunks: in one folder here, on many nodes elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, Self

import numpy as np

from pmbf import kernels
from pmbf.alike.similar.rules import TableRules
from pmbf.base.errors import PmbfError
from pmbf.jobs.executor import Executor, complete
from pmbf.kernels import Lists
from pmbf.store.catalog_tables import BINARY_KIND, Document
from pmbf.store.files import Identity
from pmbf.store.folder import Store
from pmbf.store.generation import Generation
from pmbf.store.listing import Entry, find
from pmbf.store.originals import original_text
from pmbf.store.schema import require

Known = tuple[Document, list[str]]
"""A document's row in the catalog, and its paths."""
ListsRead = Iterator[tuple[Sequence[Document], Lists, dict[int, str]]]
"""Documents with the lists of their chunks, and by id why a text could not be read: its list is empty."""

_BATCH_CHARS = 4_000_000
_BATCH_DOCUMENTS = 1024


class Documents(Protocol):
    """Documents with text of one generation, while the object is entered."""

    @property
    def folder(self) -> Path:
        """The folder that has the table, in `similar/`."""

    @property
    def asked_with(self) -> str:
        """The option that names the collection on the command line."""

    @property
    def identity(self) -> Identity:
        """What ties files to the collection."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...

    def n_chars(self) -> float:
        """Return how many characters all texts have, about."""

    def live(self) -> list[Document]:
        """Return the documents by ascending id; `CorruptError` or `IncompleteError` if some cannot be listed."""

    def entries(self, ids: Iterable[int]) -> dict[int, Entry]:
        """Return those of some documents that are there, with their paths, sorted, by id; raises as `live`."""

    def find(self, what: int | str | os.PathLike[str]) -> int:
        """Return the id of a document that is named by its id, path or name; `NotFoundError` if there is none such."""

    def lists(self, executor: Executor, n_shards: int, documents: Sequence[Document], rules: TableRules) -> ListsRead:
        """Yield documents with their lists, in order. If holders read the texts, then the executor makes `n_shards`.

        `IncompleteError`: a process died.
        """


class FolderDocuments:
    """The documents of a collection in one folder; `NotFoundError` if there is none in it."""

    def __init__(self, folder: Path) -> None:
        require(folder)
        self.folder, self.asked_with = folder, f"-c {folder}"

    def __enter__(self) -> Self:
        self._store = Store(self.folder)
        return self

    def __exit__(self, *exc: object) -> None:
        self._store.close()

    @property
    def identity(self) -> Identity:
        return self._store.generation.identity

    def n_chars(self) -> float:
        return self._store.generation.directory.totals().n_hashes / self._store.params.density

    def live(self) -> list[Document]:
        return [document for document in self._store.catalog.live_documents() if document.kind != BINARY_KIND]

    def entries(self, ids: Iterable[int]) -> dict[int, Entry]:
        rows = self._store.living(ids)
        paths = self._store.listed_of(rows)
        return {id_: (row, paths[id_]) for id_, row in rows.items()}

    def find(self, what: int | str | os.PathLike[str]) -> int:
        [found] = find(self._store, [what])
        if isinstance(found, int):
            return found
        listed = self._store.catalog.path(found)
        assert listed is not None, "find has found it"
        return listed.document

    def lists(self, executor: Executor, n_shards: int, documents: Sequence[Document], rules: TableRules) -> ListsRead:
        paths = self._store.paths_of(document.id for document in documents)
        executor.start(Reader, [(self._store.generation, rules.n_words, rules.bits)] * n_shards)
        cut = list(batches(documents))
        for first in range(0, len(cut), n_shards):
            some = cut[first : first + n_shards]
            known = [[(document, paths[document.id]) for document in batch] for batch in some]
            answers = complete(executor.call("lists", {shard: (batch,) for shard, batch in enumerate(known)}))
            for batch, (lists, unread) in zip(some, answers, strict=True):
                yield batch, lists, unread


def documents_of(collection: str | os.PathLike[str] | Documents) -> Documents:
    """Return the documents of a folder, or what has documents; `NotFoundError` if no collection is in the folder."""
    return FolderDocuments(Path(collection)) if isinstance(collection, str | os.PathLike) else collection


class Reader:
    """A holder that reads texts of a generation, whose lock whoever makes the holder has."""

    def __init__(self, generation: Generation, n_words: int, bits: int) -> None:
        self._generation, self._n_words, self._bits = generation, n_words, bits

    def lists(self, documents: Sequence[Known]) -> tuple[Lists, dict[int, str]]:
        """Return the chunks of documents, and by id why a text cannot be read; its list is empty.

        A damaged or missing text stops nothing.
        """
        texts, unread = [], dict[int, str]()
        for document, paths in documents:
            try:
                texts.append(original_text(self._generation, document, paths).encode("utf-8"))
            except (PmbfError, OSError) as error:
                unread[document.id] = str(error)
                texts.append(b"")
        return kernels.chunk_lists(texts, n_words=self._n_words, bits=self._bits), unread


def batches(documents: Sequence[Document]) -> Iterator[Sequence[Document]]:
    """Yield documents in batches that are read together: of so many characters, and so many."""
    chars = np.cumsum([document.n_chars for document in documents])
    start = 0
    while start < len(documents):
        before = chars[start - 1] if start else 0
        stop = int(np.searchsorted(chars, before + _BATCH_CHARS, "right"))
        yield documents[start : (stop := min(max(stop, start + 1), start + _BATCH_DOCUMENTS))]
        start = stop
