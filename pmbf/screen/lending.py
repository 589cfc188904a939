"""A catalog lent to workers: their calls ask for rows, and the collection that they work for answers.

A worker may not open the catalog for itself: it would see the last commit, which may be a later one than the files are
of. So every report shows one commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pmbf.store.catalog_tables import Document, ListedPath
from pmbf.store.folder import Store
from pmbf.verify import Statistics


@dataclass(frozen=True)
class Lent:
    """What a worker knows of a collection beside its files; its rows, paths and checksums are asked for.

    Args:
        folder: Where the collection is.
        commit_number: Number of the commit that it shows.
        statistics: How rare words are in it; None if it stores no texts.
        ask: Returns what `answer` does for a question. Picklable, if the worker is a process.
    """

    folder: Path
    commit_number: int
    statistics: Statistics | None
    ask: Callable[..., Any]

    @property
    def catalog(self) -> Lent:
        """Itself."""
        return self

    def documents(self, ids: Iterable[int]) -> Mapping[int, Document]:
        """Return the rows of documents, by id."""
        return self._asked("documents", ids)

    def living(self, ids: Iterable[int]) -> Mapping[int, Document]:
        """Return the rows of those documents that were not removed, by id."""
        return self._asked("living", ids)

    def listed_of(self, ids: Iterable[int]) -> Mapping[int, Sequence[ListedPath]]:
        """Return the paths of live documents as they are listed, sorted, by id."""
        return self._asked("listed_of", ids)

    def by_sha256(self, contents: Iterable[str]) -> list[Document]:
        """Return the live documents with these contents, by descending id."""
        found: list[Document] = self.ask("by_sha256", list(contents))
        return found

    def _asked(self, what: str, ids: Iterable[int]) -> dict[int, Any]:
        wanted = list(ids)
        return self.ask(what, wanted) if wanted else {}


def answer(store: Store, what: str, values: list[Any]) -> Any:
    """Return what a worker asks for, in any thread.

    Raises:
        CorruptError: The catalog is damaged.
        ParameterError: The collection has been closed.
    """
    told: dict[str, Callable[[list[Any]], Any]] = {
        "documents": store.documents,
        "living": store.living,
        "listed_of": store.listed_of,
        "by_sha256": store.catalog.by_sha256,
    }
    with store.catalog.lent():
        return told[what](values)
