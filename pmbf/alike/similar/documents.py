"""The documents of a collection, as its similarities need them: in one folder here, on many nodes elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, Self

from pmbf.alike.similar.chunk_readers import read_lists
from pmbf.alike.similar.rules import TableRules
from pmbf.jobs.executor import Executor
from pmbf.kernels import Lists
from pmbf.store.catalog_tables import BINARY_KIND, Document
from pmbf.store.files import Identity
from pmbf.store.folder import Store
from pmbf.store.listing import Entry, find
from pmbf.store.schema import require


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
        """Return the documents by ascending id.

        Raises:
            CorruptError, IncompleteError: Some documents cannot be listed.
        """

    def entries(self, ids: Iterable[int]) -> dict[int, Entry]:
        """Return those of some documents that are there, with their paths, sorted, by id; the others were removed.

        Raises:
            CorruptError, IncompleteError: Some documents cannot be listed.
        """

    def find(self, what: int | str | os.PathLike[str]) -> int:
        """Return the id of a document that is named by its id, path or name.

        Raises:
            NotFoundError: There is none such.
        """

    def lists(
        self, executor: Executor, n_shards: int, documents: Sequence[Document], rules: TableRules
    ) -> Iterator[tuple[Sequence[Document], Lists, dict[int, str]]]:
        """Yield documents with the lists of their chunks, and by id why a text could not be read: its list is empty.

        Args:
            executor: Makes `n_shards` holders, if the texts are read by them.
            n_shards: How many.
            documents: What to read.
            rules: With the bits of a chunk ID.

        Raises:
            IncompleteError: A process died.
        """


class FolderDocuments:
    """The documents of a collection in one folder.

    Args:
        folder: The folder.

    Raises:
        NotFoundError: There is no collection in it.
    """

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
        """What ties files to the collection."""
        return self._store.generation.identity

    def n_chars(self) -> float:
        """Return how many characters all texts have, about."""
        return self._store.generation.directory.totals().n_hashes / self._store.params.density

    def live(self) -> list[Document]:
        """Return the documents by ascending id."""
        return [document for document in self._store.catalog.live_documents() if document.kind != BINARY_KIND]

    def entries(self, ids: Iterable[int]) -> dict[int, Entry]:
        """Return those of some documents that are there, by id."""
        rows = self._store.living(ids)
        paths = self._store.listed_of(rows)
        return {id_: (row, paths[id_]) for id_, row in rows.items()}

    def find(self, what: int | str | os.PathLike[str]) -> int:
        """Return the id of a document."""
        [found] = find(self._store, [what])
        if isinstance(found, int):
            return found
        listed = self._store.catalog.path(found)
        assert listed is not None, "find has found it"
        return listed.document

    def lists(
        self, executor: Executor, n_shards: int, documents: Sequence[Document], rules: TableRules
    ) -> Iterator[tuple[Sequence[Document], Lists, dict[int, str]]]:
        """Yield documents with their lists: the holders of an executor read the texts."""
        paths = self._store.paths_of(document.id for document in documents)
        return read_lists(executor, n_shards, self._store.generation, documents, paths, rules)


def documents_of(collection: str | os.PathLike[str] | Documents) -> Documents:
    """Return the documents of a folder, or what has documents.

    Raises:
        NotFoundError: There is no collection in the folder.
    """
    return FolderDocuments(Path(collection)) if isinstance(collection, str | os.PathLike) else collection
