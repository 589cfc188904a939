"""Sources: the candidates of queries with their rows of the catalog, and how a report names those that it matches.

The catalog is asked twice for all queries of a batch: before comparing for the rows of the candidates, and afterwards
for the paths of those that share passages, which are a few of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pmbf.base.labels import Labels
from pmbf.report import DocumentRef
from pmbf.screen.candidates import Candidate
from pmbf.screen.leaving_out import LeftOut
from pmbf.store.catalog_tables import Document, ListedPath
from pmbf.store.listing import labels_of


@dataclass(frozen=True, slots=True)
class Source:
    """A candidate, and its row of the catalog.

    Args:
        candidate: The candidate.
        document: Its row.
        paths: The paths that it is listed under, sorted, if its text must be read again from one of them, or if they
            are known; else empty.
        labels: The labels of each of these paths; empty if none has a label.
    """

    candidate: Candidate
    document: Document
    paths: tuple[str, ...] = ()
    labels: tuple[Labels, ...] = ()

    def listed(self, paths: Sequence[ListedPath]) -> Source:
        """Return the source with its paths."""
        return Source(self.candidate, self.document, tuple(one.path for one in paths), labels_of(paths))

    def named(self, paths: Mapping[int, Sequence[ListedPath]], left_out: LeftOut) -> Source:
        """Return the source with its paths, those that are left out taken out.

        Args:
            paths: The paths of sources that have none yet, by the id of the document.
            left_out: What the query is not compared with.
        """
        return self if self.paths else self.listed(left_out.kept(paths[self.document.id]))

    @property
    def reference(self) -> DocumentRef:
        """The document as a report names it; its paths must be known."""
        document = self.document
        return DocumentRef(document.id, self.paths[0], self.paths, document.n_chars, document.kind, self.labels)


class Rows(Protocol):
    """The rows of documents and paths, as `pmbf.store.folder.Store` has them."""

    def documents(self, ids: Iterable[int], /) -> Mapping[int, Document]:
        """Return the rows of documents, by id."""

    def listed_of(self, ids: Iterable[int], /) -> Mapping[int, Sequence[ListedPath]]:
        """Return the paths of documents as they are listed, sorted, by id."""


def sources(store: Rows, found: Sequence[tuple[Sequence[Candidate], LeftOut]]) -> list[list[Source]]:
    """Return the sources of some queries, in the same order. The catalog is asked once for all of them.

    Args:
        store: The collection.
        found: The candidates of each query, and what is left out for it.

    Raises:
        CorruptError: The catalog is damaged.
    """
    documents = store.documents([candidate.document for some, _ in found for candidate in some])
    unstored = [one.id for one in documents.values() if one.n_chars and not one.text_file]
    paths = store.listed_of(unstored) if unstored else {}
    return [[_source(one, documents[one.document], left_out, paths) for one in some] for some, left_out in found]


def _source(
    candidate: Candidate, document: Document, left_out: LeftOut, paths: Mapping[int, Sequence[ListedPath]]
) -> Source:
    source = Source(candidate, document)
    return source.listed(left_out.kept(paths[document.id])) if document.id in paths else source


def paths_of(store: Rows, found: Iterable[Source]) -> Mapping[int, Sequence[ListedPath]]:
    """Return the paths of those sources that have none yet, by the id of the document, in one question.

    Raises:
        CorruptError: The catalog is damaged.
    """
    return store.listed_of({one.document.id for one in found if not one.paths})
